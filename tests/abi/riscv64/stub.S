#include "../abi.h"
#if defined(__riscv) && __riscv_xlen == 64

    .option norvc

/* A row of registers from or to consecutive words from word n of the frame in t6. */
.macro words op, n, regs:vararg
    .set .Lword, \n
    .irp reg, \regs
    \op \reg, (8 * .Lword)(t6)
    .set .Lword, .Lword + 1
    .endr
.endm

#define SAVED_F fs0, fs1, fs2, fs3, fs4, fs5, fs6, fs7, fs8, fs9, fs10, fs11

.macro doubles op, base
    .set .Lbyte, \base
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \op f\n, .Lbyte(t6)
    .set .Lbyte, .Lbyte + 8
    .endr
.endm

abi_func abi_call
    addi sp, sp, -208
    sd ra, 0(sp)
    .set .Lbyte, 8
    .irp reg, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
    sd \reg, .Lbyte(sp)
    .set .Lbyte, .Lbyte + 8
    .endr
    .irp reg, SAVED_F
    fsd \reg, .Lbyte(sp)
    .set .Lbyte, .Lbyte + 8
    .endr

    mv t6, a0
    sd sp, (8 * ABI_SAVED)(t6)
    ld sp, (8 * ABI_SP)(t6)
    ld t0, (8 * ABI_FLAGS)(t6)
    beqz t0, 1f
    /* All ones in v0 to v31, then vl = 0 and vtype illegal (V specification 1.0, section 6.1). */
    .4byte 0x0c3072d7       /* vsetvli t0, zero, e8, m8, ta, ma */
    .4byte 0x5e0fb057       /* vmv.v.i v0, -1 */
    .4byte 0x5e0fb457       /* vmv.v.i v8, -1 */
    .4byte 0x5e0fb857       /* vmv.v.i v16, -1 */
    .4byte 0x5e0fbc57       /* vmv.v.i v24, -1 */
    li t0, 4
    li t1, -1
    .4byte 0x8062f057       /* vsetvl zero, t0, t1 */
1:
    doubles fld, ABI_FP_BEFORE
    words ld, ABI_BEFORE + 1, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
    words ld, ABI_BEFORE + 16, t1, t2, t3, t4, t5
    words ld, ABI_ARGS, a0, a1, a2, a3, a4, a5, a6, a7
    ld t0, (8 * ABI_FN)(t6)
    jalr ra, t0, 0

    /* gp may be spoilt: no address relative to it. */
    .option push
    .option norelax
    lla t6, abi_current
    .option pop
    ld t6, 0(t6)
    sd sp, (8 * ABI_AFTER)(t6)
    ld sp, (8 * ABI_SAVED)(t6)
    words sd, ABI_AFTER + 1, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, gp, tp
    frrm t0
    sd t0, (8 * (ABI_AFTER + 15))(t6)
    doubles fsd, ABI_FP_AFTER
    ld gp, (8 * (ABI_BEFORE + 13))(t6)
    ld tp, (8 * (ABI_BEFORE + 14))(t6)
    ld t0, (8 * (ABI_BEFORE + 15))(t6)
    fsrm t0

    ld ra, 0(sp)
    .set .Lbyte, 8
    .irp reg, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
    ld \reg, .Lbyte(sp)
    .set .Lbyte, .Lbyte + 8
    .endr
    .irp reg, SAVED_F
    fld \reg, .Lbyte(sp)
    .set .Lbyte, .Lbyte + 8
    .endr
    addi sp, sp, 208
    ret
#endif
