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

/* h = (h + block + padbit * 2**128) * r in fourteen parts, so that other work can stand between them. BUF
 * points to the block and moves on, PAD is padbit. The flags carry from part 0 to 1 and from 12 to 13.
 * h[2] <= 6 before the multiplication, <= 4 after it. */
.macro fc_poly_part0
    ldp T0, T1, [BUF], #16
    fc_rev64 T0, T1
    adds H0, H0, T0
.endm
.macro fc_poly_part1
    adcs H1, H1, T1
    adc H2, H2, PAD
.endm
.macro fc_poly_part2 // (D1, D0) = h0 r0
    mul D0, H0, R0
    umulh D1, H0, R0
.endm
.macro fc_poly_part3 // + h1 s1
    mul T0, H1, S1
    umulh T1, H1, S1
.endm
.macro fc_poly_part4 // (D2, T2) = h0 r1
    mul T2, H0, R1
    umulh D2, H0, R1
.endm
.macro fc_poly_part5
    adds D0, D0, T0
    adc D1, D1, T1
.endm
.macro fc_poly_part6 // + h1 r0
    mul T0, H1, R0
    umulh T1, H1, R0
.endm
.macro fc_poly_part7 // + h2 s1; h2 r0
    mul H0, H2, S1
    mul H2, H2, R0
.endm
.macro fc_poly_part8
    adds T2, T2, T0
    adc D2, D2, T1
.endm
.macro fc_poly_part9
    adds D1, D1, H0
    adc H2, H2, D2
.endm
.macro fc_poly_part10
    adds H1, D1, T2
    adc H2, H2, xzr
.endm
.macro fc_poly_part11 // what stands above 2**130, times 5: c + c / 4 with c a multiple of 4
    and T0, H2, #-4
    add T0, T0, H2, lsr #2
.endm
.macro fc_poly_part12
    and H2, H2, #3
    adds H0, D0, T0
.endm
.macro fc_poly_part13
    adcs H1, H1, xzr
    adc H2, H2, xzr
.endm

/* h *= r */
.macro fc_poly_mul
    fc_poly_part2
    fc_poly_part3
    fc_poly_part4
    fc_poly_part5
    fc_poly_part6
    fc_poly_part7
    fc_poly_part8
    fc_poly_part9
    fc_poly_part10
    fc_poly_part11
    fc_poly_part12
    fc_poly_part13
.endm

/* One block */
.macro fc_poly_block
    fc_poly_part0
    fc_poly_part1
    fc_poly_mul
.endm

#endif
