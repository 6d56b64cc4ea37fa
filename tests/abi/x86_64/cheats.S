/* Kernels that break the calling convention; describe.c says how each must be caught. */
#include "../abi.h"
#if defined(__x86_64__)

#define DO_IT jmp ABI_SYM(fc_chacha20_generic)

/* Spoils a register. */
.macro spoil name, reg
abi_func \name
    not \reg
    ret
.endm
.macro spoil_xmm name, reg
abi_func \name
    pcmpeqd \reg, \reg
    ret
.endm

abi_func ABI_SYM(cheat_honest)
    DO_IT

    spoil ABI_SYM(cheat_rbx), %rbx
    spoil ABI_SYM(cheat_rbp), %rbp
    spoil ABI_SYM(cheat_r12), %r12
    spoil ABI_SYM(cheat_r13), %r13
    spoil ABI_SYM(cheat_r14), %r14
    spoil ABI_SYM(cheat_r15), %r15
    spoil ABI_SYM(cheat_rdi), %rdi
    spoil ABI_SYM(cheat_rsi), %rsi
    spoil_xmm ABI_SYM(cheat_xmm6), %xmm6
    spoil_xmm ABI_SYM(cheat_xmm11), %xmm11
    spoil_xmm ABI_SYM(cheat_xmm15), %xmm15

abi_func ABI_SYM(cheat_rsp)
    pop %r10
    add $8, %rsp
    jmp *%r10

abi_func ABI_SYM(cheat_above_stack)
    notb 72(%rsp)
    ret

/* Keeps a value beyond the red zone (System V: 128 bytes). */
abi_func ABI_SYM(cheat_below_stack)
    mov $0x12345678, %eax
    mov %eax, -256(%rsp)
    mov $20000000, %r10d
1:  cmp %eax, -256(%rsp)
    jne 2f
    dec %r10d
    jnz 1b
    DO_IT
2:  ret

abi_func ABI_SYM(cheat_direction)
    std
    ret

abi_func ABI_SYM(cheat_mxcsr)
    push %rax
    stmxcsr (%rsp)
    xorl $0x2000, (%rsp)
    ldmxcsr (%rsp)
    pop %rax
    ret

abi_func ABI_SYM(cheat_x87)
    push %rax
    fnstcw (%rsp)
    xorw $0x0c00, (%rsp)
    fldcw (%rsp)
    pop %rax
    ret

/* Takes `rounds` for 64 bits. */
abi_func ABI_SYM(cheat_upper_bits)
#if defined(_WIN32)
    mov 48(%rsp), %r10
#else
    mov %r9, %r10
#endif
    cmp $20, %r10
    jne 1f
    DO_IT
1:  ret

abi_func ABI_SYM(cheat_expects_zero)
    test %r11, %r11
    jnz 1f
    DO_IT
1:  ret

abi_func ABI_SYM(cheat_expects_zero_xmm)
    movq %xmm5, %rax
    test %rax, %rax
    jnz 1f
    DO_IT
1:  ret
#endif
