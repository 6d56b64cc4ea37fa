/* Poly1305 in 64-bit general registers: what the scalar kernel, and vector kernels for their first and last
 * blocks, share. Algorithm and bounds: poly1305_ppc.S.
 *
 * Registers: r3 p, r4 in, r5 r0, r6 padbit, r7 r1, r8 s1, r9-r11 h, r29-r31 4, 8, 12 (big-endian, fc_poly_add
 * only); r0 and PT1-PT4 scratch (r12, r26-r28, unless the file says otherwise).
 */
#ifndef FC_PPC_POLY1305_H
#define FC_PPC_POLY1305_H

#include "arch.h"

#ifndef PT1
#define PT1 r12
#define PT2 r26
#define PT3 r27
#define PT4 r28
#endif

/* struct fc_poly1305 (csrc/backend.h); its limbs are 64-bit words in host order. */
#define P_H 0
#define P_R 24
#define P_KIND 56
#define P_POWERS 64

.macro fc_poly_enter
    ld r5, P_R(r3)
    ld r7, P_R + 8(r3)
    ld r9, P_H(r3)
    ld r10, P_H + 8(r3)
    ld r11, P_H + 16(r3)
    srdi r8, r7, 2
    add r8, r8, r7             /* s1 = 5 r1 / 4 */
.endm

/* What fc_poly_add needs. */
.macro fc_poly_offsets
#if !FC_LE
    li r29, 4
    li r30, 8
    li r31, 12
#endif
.endm

.macro fc_poly_leave
    std r9, P_H(r3)
    std r10, P_H + 8(r3)
    std r11, P_H + 16(r3)
.endm

/* h += block, two little-endian words. */
.macro fc_poly_add
#if FC_LE
    ld PT2, 0(r4)
    ld PT3, 8(r4)
#else
    lwbrx PT2, 0, r4
    lwbrx PT4, r4, r29
    lwbrx PT3, r4, r30
    lwbrx PT1, r4, r31
    rldimi PT2, PT4, 32, 0
    rldimi PT3, PT1, 32, 0
#endif
    addi r4, r4, 16
    fc_poly_sum
.endm
.macro fc_poly_sum
    addc r9, r9, PT2
    adde r10, r10, PT3
    adde r11, r11, r6
.endm

/* h *= r, in steps 0 to 24, so that vector instructions may stand between them. */
.macro fc_poly_step n
    /* d0 = h0 r0 + h1 s1 */
    .if \n == 0
    mulld PT2, r9, r5
    .elseif \n == 1
    mulhdu PT3, r9, r5
    .elseif \n == 2
    mulld r0, r10, r8
    .elseif \n == 3
    mulhdu PT1, r10, r8
    .elseif \n == 4
    addc PT2, PT2, r0
    /* d1 = h0 r1 + h1 r0 + h2 s1, d2 = h2 r0 */
    .elseif \n == 5
    mulld PT4, r9, r7
    .elseif \n == 6
    adde PT3, PT3, PT1
    .elseif \n == 7
    mulhdu r9, r9, r7
    .elseif \n == 8
    mulld r0, r10, r5
    .elseif \n == 9
    mulhdu PT1, r10, r5
    .elseif \n == 10
    addc PT4, PT4, r0
    .elseif \n == 11
    mulld r0, r11, r8
    .elseif \n == 12
    adde r9, r9, PT1
    .elseif \n == 13
    mulld r11, r11, r5
    .elseif \n == 14
    addc PT4, PT4, r0
    .elseif \n == 15
    addze r9, r9
    .elseif \n == 16
    addc r10, PT4, PT3
    .elseif \n == 17
    adde r11, r11, r9
    /* what stands above 2**130: times 5 = c + c / 4 with c a multiple of 4 */
    .elseif \n == 18
    clrrdi r0, r11, 2
    .elseif \n == 19
    srdi PT1, r11, 2
    .elseif \n == 20
    clrldi r11, r11, 62
    .elseif \n == 21
    add r0, r0, PT1
    .elseif \n == 22
    addc r9, PT2, r0
    .elseif \n == 23
    addze r10, r10
    .elseif \n == 24
    addze r11, r11
    .endif
.endm
.macro fc_poly_mul
    .irp step, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24
    fc_poly_step \step
    .endr
.endm

/* The frame of a vector kernel: fc_poly_vectors_begin, its powers, 2: the vectors, fc_poly_vectors_end; r24
 * the blocks left to do. Nothing to do: returns. Fewer than eight blocks: on to the end. Powers of this \kind
 * there already: on to 2. Otherwise h = 1, to be multiplied up; fc_poly_enter must follow. */
.macro fc_poly_vectors_begin bytes, saved, kind
    cmpldi r5, 0
    beqlr
    fc_enter \bytes, 24
    mr r24, r5
    fc_poly_enter
    fc_poly_offsets
    cmpldi r24, 8
    blt 5f
    fc_save_vectors \saved, 31
    ld r0, P_KIND(r3)
    cmpldi r0, \kind
    beq 2f
    li r0, \kind
    std r0, P_KIND(r3)
    li r9, 1
    li r10, 0
    li r11, 0
.endm
.macro fc_poly_vectors_end bytes, saved
    fc_restore_vectors \saved, 31
    cmpldi r24, 0
    beq 7f
5:  /* the last blocks, and short messages */
    mtctr r24
6:  fc_poly_add
    fc_poly_mul
    bdnz 6b
7:  fc_poly_leave
    fc_leave \bytes, 24
.endm

#endif
