/* Kernels that break the calling convention; describe.c says how each must be caught. */
#include "../abi.h"
#if defined(__riscv) && __riscv_xlen == 64

    .option norvc

#define DO_IT tail fc_chacha20_generic

.macro spoil name, regs:vararg
    .irp reg, \regs
abi_func cheat_\reg
    not \reg, \reg
    ret
    .endr
.endm
.macro spoil_f regs:vararg
    .irp reg, \regs
abi_func cheat_\reg
    fneg.d \reg, \reg
    ret
    .endr
.endm

abi_func cheat_honest
    DO_IT

    spoil all, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, gp, tp
    spoil_f fs0, fs1, fs2, fs11

abi_func cheat_frm
    frrm t0
    xori t0, t0, 1
    fsrm t0
    ret

abi_func cheat_sp
    addi sp, sp, 16
    ret

abi_func cheat_above_stack
    lb t0, 0(sp)
    not t0, t0
    sb t0, 0(sp)
    ret

/* There is no red zone. */
abi_func cheat_below_stack
    li t0, 0x123
    sw t0, -64(sp)
    li t1, 20000000
1:  lw t2, -64(sp)
    bne t0, t2, 2f
    addi t1, t1, -1
    bnez t1, 1b
    DO_IT
2:  ret

abi_func cheat_expects_zero
    bnez t3, 1f
    DO_IT
1:  ret

/* A vector instruction before any vsetvli. */
abi_func cheat_expects_vtype
    .4byte 0x5e003057       /* vmv.v.i v0, 0 */
    DO_IT

/* vl as the caller left it: vsetvli zero, zero, e8, m1 keeps it, were vtype legal. */
abi_func cheat_expects_vl
    csrr t0, 0xc20          /* vl */
    beqz t0, 1f
    DO_IT
1:  ret

abi_func cheat_expects_zero_vector
    .4byte 0x0d0072d7       /* vsetvli t0, zero, e32, m1, ta, ma */
    .4byte 0x424022d7       /* vmv.x.s t0, v4 */
    bnez t0, 1f
    DO_IT
1:  ret
#endif
