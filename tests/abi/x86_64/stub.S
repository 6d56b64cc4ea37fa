#include "../abi.h"
#if defined(__x86_64__)

#define BEFORE(n) (8 * (ABI_BEFORE + n))(%rax)
#define AFTER(n) (8 * (ABI_AFTER + n))(%rax)
#define ARG(n) (8 * (ABI_ARGS + n))(%rax)

abi_func ABI_SYM(abi_call)
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
#if defined(_WIN32)
    push %rdi
    push %rsi
    sub $168, %rsp
    .irp n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups %xmm\n, (16 * (\n - 6))(%rsp)
    .endr
    mov %rcx, %rax
#else
    mov %rdi, %rax
#endif
    mov %rsp, (8 * ABI_SAVED)(%rax)
    mov (8 * ABI_SP)(%rax), %rsp
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups (ABI_VEC_BEFORE + 16 * \n)(%rax), %xmm\n
    .endr
    mov BEFORE(1), %rbx
    mov BEFORE(2), %rbp
    mov BEFORE(3), %r12
    mov BEFORE(4), %r13
    mov BEFORE(5), %r14
    mov BEFORE(6), %r15
    mov BEFORE(13), %r10
    mov BEFORE(14), %r11
#if defined(_WIN32)
    mov BEFORE(7), %rdi
    mov BEFORE(8), %rsi
    mov ARG(0), %rcx
    mov ARG(1), %rdx
    mov ARG(2), %r8
    mov ARG(3), %r9
#else
    mov ARG(0), %rdi
    mov ARG(1), %rsi
    mov ARG(2), %rdx
    mov ARG(3), %rcx
    mov ARG(4), %r8
    mov ARG(5), %r9
#endif
    call *(8 * ABI_FN)(%rax)

    mov ABI_SYM(abi_current)(%rip), %rax
    mov %rsp, AFTER(0)
    mov (8 * ABI_SAVED)(%rax), %rsp
    mov %rbx, AFTER(1)
    mov %rbp, AFTER(2)
    mov %r12, AFTER(3)
    mov %r13, AFTER(4)
    mov %r14, AFTER(5)
    mov %r15, AFTER(6)
    mov %rdi, AFTER(7)
    mov %rsi, AFTER(8)
    stmxcsr AFTER(9)
    fnstcw AFTER(10)
    pushfq
    pop %rcx
    mov %rcx, AFTER(11)
    cld
    ldmxcsr BEFORE(9)
    fldcw BEFORE(10)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups %xmm\n, (ABI_VEC_AFTER + 16 * \n)(%rax)
    .endr
#if defined(_WIN32)
    .irp n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups (16 * (\n - 6))(%rsp), %xmm\n
    .endr
    add $168, %rsp
    pop %rsi
    pop %rdi
#endif
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
#endif
