/* Poly1305 with mulx: one block as four slices of a few instructions, which can stand alone or between
 * vector instructions.
 *
 * Registers of all kernels that use it: h in H0-H2, products in T0-T3, r[0] in R0, 5 / 4 r[1] in S1,
 * rdx for mulx; where r[1] is (R1) each file defines before it includes this one.
 */
#ifndef FC_X86_64_POLY1305_H
#define FC_X86_64_POLY1305_H

#define H0 r8
#define H1 r9
#define H2 r10
#define T0 r11
#define T1 rbx
#define T2 r12
#define T3 r13
#define R0 r14
#define S1 r15

/* h = h * r + block (+ 2**128). h comes in \h0, \h1, \h2 and goes out in \t0, \t2, \h2. \m, \m8: the
 * block's two words, \pad its 2**128; nothing is added where \m is blank, which also marks the last
 * block of a call. s1 = 5 / 4 r1 (see csrc/poly1305_generic.c). The block is added to the first
 * products, long before the fold: it costs the chain of dependent operations nothing. rdx is used.
 * Bounds: h2 <= 5 comes in, so h2 s1 < 2**63 and h2 r0 < 2**63; after the fold h2 <= 3 + 1 + 1.
 */
.macro poly_slice_0 h0, h1, h2, t0, t1, t2, t3, r0, r1, s1
    mov rdx, \h0
    mulx \t1, \t0, \r0                  /* d0 = h0 r0 */
    mulx \t3, \t2, \r1                  /* d1 = h0 r1 */
    mov rdx, \h1
    mov \h0, \h2
    imul \h0, \s1                       /* h2 s1 */
    imul \h2, \r0                       /* d2 = h2 r0 */
.endm
.macro poly_slice_1 h0, h1, t0, t1, t2, t3, s1, m, m8, pad
    .ifnb \m
    add \t0, \m
    adc \t1, 0
    add \t2, \m8
    adc \t3, \pad
    .endif
    add \t2, \h0                        /* d1 += h2 s1 */
    adc \t3, 0
    mulx \h1, \h0, \s1
.endm
.macro poly_slice_2 h0, h1, h2, t0, t1, t2, t3, r0
    add \t0, \h0                        /* d0 += h1 s1 */
    adc \t1, \h1
    mulx \h1, \h0, \r0
    add \t2, \h0                        /* d1 += h1 r0 */
    adc \t3, \h1
    add \h2, \t3                        /* what d1 carries to d2, all but a bit */
.endm
.macro poly_slice_3 h0, h2, t0, t1, t2
    mov rdx, -4                         /* what stands above 2**130, times 5: c + c / 4 */
    and rdx, \h2
    mov \h0, \h2
    shr \h0, 2
    add rdx, \h0
    and \h2, 3
    add \t2, \t1                        /* what d0 carries to d1, and the bit */
    adc \h2, 0
    add \t0, rdx
    adc \t2, 0
    adc \h2, 0
.endm
/* The last block of a call: the carry from d0 comes first, which takes longer and leaves h2 <= 4. */
.macro poly_slice_3_last h0, h2, t0, t1, t2
    add \t2, \t1
    adc \h2, 0
    mov rdx, -4
    and rdx, \h2
    mov \h0, \h2
    shr \h0, 2
    add rdx, \h0
    and \h2, 3
    add \t0, rdx
    adc \t2, 0
    adc \h2, 0
.endm
.macro poly_block h0, h1, h2, t0, t1, t2, t3, r0, r1, s1, m, m8, pad
    poly_slice_0 \h0, \h1, \h2, \t0, \t1, \t2, \t3, \r0, \r1, \s1
    poly_slice_1 \h0, \h1, \t0, \t1, \t2, \t3, \s1, \m, \m8, \pad
    poly_slice_2 \h0, \h1, \h2, \t0, \t1, \t2, \t3, \r0
    .ifnb \m
    poly_slice_3 \h0, \h2, \t0, \t1, \t2
    .else
    poly_slice_3_last \h0, \h2, \t0, \t1, \t2
    .endif
.endm

/* The same with the fixed registers, for two blocks in turn, the next block's words at rsi + at: h in H0, H1, H2 before
 * odd_*, in T0, T2, H2 between, in H0, H1, H2 after even_*. */
.macro odd_0 at
    poly_slice_0 H0, H1, H2, T0, T1, T2, T3, R0, R1, S1
.endm
.macro odd_1 at
    poly_slice_1 H0, H1, T0, T1, T2, T3, S1, [rsi + \at], [rsi + \at + 8], 1
.endm
.macro odd_2 at
    poly_slice_2 H0, H1, H2, T0, T1, T2, T3, R0
.endm
.macro odd_3 at
    poly_slice_3 H0, H2, T0, T1, T2
.endm
.macro even_0 at
    poly_slice_0 T0, T2, H2, H0, T1, H1, T3, R0, R1, S1
.endm
.macro even_1 at
    poly_slice_1 T0, T2, H0, T1, H1, T3, S1, [rsi + \at], [rsi + \at + 8], 1
.endm
.macro even_2 at
    poly_slice_2 T0, T2, H2, H0, T1, H1, T3, R0
.endm
.macro even_3 at
    poly_slice_3 T0, H2, H0, T1, H1
.endm

/* h += the first block at \from; rsi then is \from */
.macro poly_first from
    lea rsi, [\from]
    add H0, [rsi]
    adc H1, [rsi + 8]
    adc H2, 1
.endm

#endif
