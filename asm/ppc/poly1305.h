/* Poly1305 in 64-bit general registers: what the scalar kernel, and vector kernels for their first and last
 * blocks, share. Algorithm and bounds: poly1305_ppc.S.
 *
 * Registers: r3 p, r4 in, r5 r0, r6 padbit, r7 r1, r8 s1, r9-r11 h, r29-r31 4, 8, 12 (big-endian only); r0,
 * r12, r26-r28 scratch.
 */
#ifndef FC_PPC_POLY1305_H
#define FC_PPC_POLY1305_H

#include "arch.h"

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
    ld r26, 0(r4)
    ld r27, 8(r4)
#else
    lwbrx r26, 0, r4
    lwbrx r28, r4, r29
    lwbrx r27, r4, r30
    lwbrx r12, r4, r31
    rldimi r26, r28, 32, 0
    rldimi r27, r12, 32, 0
#endif
    addi r4, r4, 16
    addc r9, r9, r26
    adde r10, r10, r27
    adde r11, r11, r6
.endm

/* h *= r. */
.macro fc_poly_mul
    /* d0 = h0 r0 + h1 s1 */
    mulld r26, r9, r5
    mulhdu r27, r9, r5
    mulld r0, r10, r8
    mulhdu r12, r10, r8
    addc r26, r26, r0
    /* d1 = h0 r1 + h1 r0 + h2 s1, d2 = h2 r0 */
    mulld r28, r9, r7
    adde r27, r27, r12
    mulhdu r9, r9, r7
    mulld r0, r10, r5
    mulhdu r12, r10, r5
    addc r28, r28, r0
    mulld r0, r11, r8
    adde r9, r9, r12
    mulld r11, r11, r5
    addc r28, r28, r0
    addze r9, r9
    addc r10, r28, r27
    adde r11, r11, r9
    /* what stands above 2**130: times 5 = c + c / 4 with c a multiple of 4 */
    clrrdi r0, r11, 2
    srdi r12, r11, 2
    clrldi r11, r11, 62
    add r0, r0, r12
    addc r9, r26, r0
    addze r10, r10
    addze r11, r11
.endm

#endif
