/* AArch64: the scalar Poly1305 step, shared by the Poly1305 kernel and the combined AEAD kernel.
 *
 * h = H0 + 2**64 H1 + 2**128 H2, r = R0 + 2**64 R1 clamped, S1 = R1 + R1 / 4 (R1 is a multiple of 4, so
 * 2**128 R1 = 5 R1 / 4 = S1 modulo 2**130 - 5). The arithmetic is that of csrc/poly1305_generic.c.
 */
#ifndef FC_AARCH64_POLY1305_H
#define FC_AARCH64_POLY1305_H

#define H0 x4
#define H1 x5
#define H2 x6
#define R0 x7
#define R1 x8
#define S1 x9
#define D0 x10
#define D1 x11
#define D2 x12
#define T0 x13
#define T1 x14
#define T2 x15

/* struct fc_poly1305 */
#define POLY_H 0
#define POLY_R 24
#define POLY_KIND 56
#define POLY_POWERS 64

.macro fc_poly_enter p
    ldp H0, H1, [\p, #POLY_H]
    ldr H2, [\p, #POLY_H + 16]
    ldp R0, R1, [\p, #POLY_R]
    add S1, R1, R1, lsr #2
.endm

.macro fc_poly_leave p
    stp H0, H1, [\p, #POLY_H]
    str H2, [\p, #POLY_H + 16]
.endm

/* Between blocks h stands open, as D0 + 2**64 H1 + 2**128 H2 + D2: the block is added first and D2, which
 * is ready last, then (2 of 15 cycles a block on N2). h[2] <= 4 when it is closed. */
.macro fc_poly_open
    mov D0, H0
    mov D2, xzr
.endm
.macro fc_poly_close
    adds H0, D0, D2
    adcs H1, H1, xzr
    adc H2, H2, xzr
.endm

/* T0, T1 = the block at \at */
.macro fc_poly_load at:vararg
    ldp T0, T1, \at
    fc_rev64 T0, T1
.endm

/* h = (h + T0 + 2**64 T1 + padbit * 2**128) * r, instruction by instruction, so that other work can stand
 * between them (none that changes the flags). PAD is padbit. h[2] <= 6 before the multiplication. */
.macro fc_poly_step n
    .if \n == 1
    adds H0, D0, T0 // h += block
    .endif
    .if \n == 2
    adcs H1, H1, T1
    .endif
    .if \n == 3
    adc H2, H2, PAD
    .endif
    .if \n == 4
    adds H0, H0, D2 // h += what stood above 2**130
    .endif
    .if \n == 5
    adcs H1, H1, xzr
    .endif
    .if \n == 6
    adc H2, H2, xzr
    .endif
    .if \n == 7
    mul D0, H0, R0 // (D1, D0) = h0 r0
    .endif
    .if \n == 8
    umulh D1, H0, R0
    .endif
    .if \n == 9
    mul T0, H1, S1 // + h1 s1
    .endif
    .if \n == 10
    umulh T1, H1, S1
    .endif
    .if \n == 11
    mul T2, H0, R1 // (D2, T2) = h0 r1
    .endif
    .if \n == 12
    umulh D2, H0, R1
    .endif
    .if \n == 13
    adds D0, D0, T0
    .endif
    .if \n == 14
    adc D1, D1, T1
    .endif
    .if \n == 15
    mul T0, H1, R0 // + h1 r0
    .endif
    .if \n == 16
    umulh T1, H1, R0
    .endif
    .if \n == 17
    mul H0, H2, S1 // + h2 s1
    .endif
    .if \n == 18
    mul H2, H2, R0 // + h2 r0
    .endif
    .if \n == 19
    adds T2, T2, T0
    .endif
    .if \n == 20
    adc D2, D2, T1
    .endif
    .if \n == 21
    adds D1, D1, H0
    .endif
    .if \n == 22
    adc H2, H2, D2
    .endif
    .if \n == 23
    adds H1, D1, T2
    .endif
    .if \n == 24
    adc H2, H2, xzr
    .endif
    .if \n == 25
    and D2, H2, #-4 // what stands above 2**130, times 5: c + c / 4 with c a multiple of 4
    .endif
    .if \n == 26
    add D2, D2, H2, lsr #2
    .endif
    .if \n == 27
    and H2, H2, #3
    .endif
.endm

/* h *= r, closed */
.macro fc_poly_mul
    .irp n, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
    fc_poly_step \n
    .endr
    fc_poly_close
.endm

/* One block, open; BUF points to it and moves on. */
.macro fc_poly_block
    fc_poly_load [BUF], #16
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
    fc_poly_step \n
    .endr
.endm

#endif
