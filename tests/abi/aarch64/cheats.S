/* Kernels that break the calling convention; describe.c says how each must be caught. */
#include "../abi.h"
#if defined(__aarch64__)

#define DO_IT b ABI_SYM(fc_chacha20_generic)

.macro spoil name, reg
abi_func \name
    mvn \reg, \reg
    ret
.endm
.macro spoil_vector name, reg
abi_func \name
    mvn \reg\().8b, \reg\().8b
    ret
.endm

abi_func ABI_SYM(cheat_honest)
    DO_IT

    spoil ABI_SYM(cheat_x18), x18
    spoil ABI_SYM(cheat_x19), x19
    spoil ABI_SYM(cheat_x20), x20
    spoil ABI_SYM(cheat_x21), x21
    spoil ABI_SYM(cheat_x22), x22
    spoil ABI_SYM(cheat_x23), x23
    spoil ABI_SYM(cheat_x24), x24
    spoil ABI_SYM(cheat_x25), x25
    spoil ABI_SYM(cheat_x26), x26
    spoil ABI_SYM(cheat_x27), x27
    spoil ABI_SYM(cheat_x28), x28
    spoil ABI_SYM(cheat_x29), x29
    spoil_vector ABI_SYM(cheat_d8), v8
    spoil_vector ABI_SYM(cheat_d9), v9
    spoil_vector ABI_SYM(cheat_d10), v10
    spoil_vector ABI_SYM(cheat_d11), v11
    spoil_vector ABI_SYM(cheat_d12), v12
    spoil_vector ABI_SYM(cheat_d13), v13
    spoil_vector ABI_SYM(cheat_d14), v14
    spoil_vector ABI_SYM(cheat_d15), v15

abi_func ABI_SYM(cheat_upper_half)
    mov v8.d[1], xzr
    DO_IT

abi_func ABI_SYM(cheat_fpcr)
    mrs x9, fpcr
    eor x9, x9, #(1 << 24)
    msr fpcr, x9
    ret

abi_func ABI_SYM(cheat_sp)
    add sp, sp, #16
    ret

abi_func ABI_SYM(cheat_above_stack)
    ldrb w9, [sp]
    mvn w9, w9
    strb w9, [sp]
    ret

/* There is no red zone (Apple: 128 bytes). */
abi_func ABI_SYM(cheat_below_stack)
    mov w9, #0x1234
    str w9, [sp, #-256]
    mov w10, #20000000 & 0xffff
    movk w10, #20000000 >> 16, lsl #16
1:  ldr w11, [sp, #-256]
    cmp w9, w11
    b.ne 2f
    subs w10, w10, #1
    b.ne 1b
    DO_IT
2:  ret

/* Takes `rounds` for 64 bits. */
abi_func ABI_SYM(cheat_upper_bits)
    cmp x5, #20
    b.ne 1f
    DO_IT
1:  ret

abi_func ABI_SYM(cheat_expects_zero)
    cbnz x11, 1f
    DO_IT
1:  ret

abi_func ABI_SYM(cheat_expects_zero_vector)
    fmov x9, d20
    cbnz x9, 1f
    DO_IT
1:  ret
#endif
