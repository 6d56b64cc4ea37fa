/* Poly1305, scalar, for every 32-bit and 64-bit Power core.
 *
 * void fc_poly1305_blocks_ppc(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
 *                             uint32_t padbit);
 * Contract: csrc/backend.h. ISA: the base user instructions of the oldest 32- and 64-bit cores.
 *
 * h = (h + block + padbit * 2**128) * r, schoolbook, in limbs of a general register's width; what
 * stands above 2**130 comes back times 5. r is clamped: its upper limbs are multiples of 4, so 2**128
 * r_i = 5 (r_i / 4) = r_i + r_i / 4 exactly (s_i below). Bounds: csrc/poly1305_generic.c.
 *
 * Old 32-bit cores multiply faster when the second operand (rB) is small. rB is always a limb of r or
 * s, which is the same for a whole message: the time may depend on the one-time key, of which a new one
 * serves every message, and never on the data or on h. docs/security.md states what remains.
 *
 * 64-bit: poly1305.h.
 * 32-bit: r3 p, r4 in, r6 padbit, r14-r17 r0-r3, r18-r20 s1-s3, r21-r25 h, r26-r30 the
 *   product, r31 8, r0, r5, r7-r12 scratch. Clobbers CTR, CR0, XER's CA. Nothing secret goes to the stack but callers' registers.
 * Measured cost: docs/performance/ppc.md.
 */
#if defined(__powerpc__)
#include "poly1305.h"

#if FC_PPC64

fc_func fc_poly1305_blocks_ppc
    cmpldi r5, 0
    beqlr
    fc_enter 0, 26
    mtctr r5
    fc_poly_enter
    fc_poly_offsets
    .p2align 4
1:  fc_poly_add
    fc_poly_mul
    bdnz 1b
    fc_poly_leave
    fc_leave 0, 26
fc_endfunc fc_poly1305_blocks_ppc

#else

/* Half \i (0: low) of the 64-bit word at byte offset \at of struct fc_poly1305. */
#if FC_LE
#define HALF(at, i) (at) + 4 * (i)
#else
#define HALF(at, i) (at) + 4 - 4 * (i)
#endif

/* d += h * (the four limbs k0-k3), one row of the product: d0 = r26 ... d4 = r30; scratch r0, r5, r7-r12.
 * Low halves first, then high halves one limb up. */
.macro fc_row h, k0, k1, k2, k3
    mullw r0, \h, \k0
    mullw r5, \h, \k1
    mullw r7, \h, \k2
    mullw r8, \h, \k3
    addc r26, r26, r0
    mulhwu r9, \h, \k0
    adde r27, r27, r5
    mulhwu r10, \h, \k1
    adde r28, r28, r7
    mulhwu r11, \h, \k2
    adde r29, r29, r8
    mulhwu r12, \h, \k3
    addze r30, r30
    addc r27, r27, r9
    adde r28, r28, r10
    adde r29, r29, r11
    adde r30, r30, r12
.endm

fc_func fc_poly1305_blocks_ppc
    cmplwi r5, 0
    beqlr
    fc_enter 0, 14
    mtctr r5
    lwz r14, HALF(24, 0)(r3)
    lwz r15, HALF(24, 1)(r3)
    lwz r16, HALF(32, 0)(r3)
    lwz r17, HALF(32, 1)(r3)
    lwz r21, HALF(0, 0)(r3)
    lwz r22, HALF(0, 1)(r3)
    lwz r23, HALF(8, 0)(r3)
    lwz r24, HALF(8, 1)(r3)
    lwz r25, HALF(16, 0)(r3)
    srwi r18, r15, 2
    srwi r19, r16, 2
    srwi r20, r17, 2
    add r18, r18, r15          /* s_i = 5 r_i / 4 */
    add r19, r19, r16
    add r20, r20, r17
    li r31, 8

    .p2align 4
1:  /* h += block, four little-endian words */
#if FC_LE
    lwz r0, 0(r4)
    lwz r5, 4(r4)
    lwz r7, 8(r4)
    lwz r8, 12(r4)
#else
    li r9, 4
    li r11, 12
    lwbrx r0, 0, r4
    lwbrx r5, r4, r9
    lwbrx r7, r4, r31
    lwbrx r8, r4, r11
#endif
    addi r4, r4, 16
    addc r21, r21, r0
    adde r22, r22, r5
    adde r23, r23, r7
    adde r24, r24, r8
    adde r25, r25, r6
    /* d = h0 (r0, r1, r2, r3) */
    mullw r26, r21, r14
    mulhwu r9, r21, r14
    mullw r27, r21, r15
    mulhwu r10, r21, r15
    mullw r28, r21, r16
    mulhwu r11, r21, r16
    addc r27, r27, r9
    mullw r29, r21, r17
    adde r28, r28, r10
    mulhwu r30, r21, r17
    adde r29, r29, r11
    addze r30, r30
    /* d += h1 (s3, r0, r1, r2) + h2 (s2, s3, r0, r1) + h3 (s1, s2, s3, r0) */
    fc_row r22, r20, r14, r15, r16
    fc_row r23, r19, r20, r14, r15
    fc_row r24, r18, r19, r20, r14
    /* d += h4 (0, s1, s2, s3, r0): h4 is small, so the low halves are all there is */
    mullw r0, r25, r18
    mullw r5, r25, r19
    mullw r7, r25, r20
    mullw r8, r25, r14
    addc r22, r27, r0
    adde r23, r28, r5
    adde r24, r29, r7
    adde r25, r30, r8
    /* what stands above 2**130: times 5 = c + c / 4 with c a multiple of 4 */
    clrrwi r0, r25, 2
    srwi r5, r25, 2
    clrlwi r25, r25, 30
    add r0, r0, r5
    addc r21, r26, r0
    addze r22, r22
    addze r23, r23
    addze r24, r24
    addze r25, r25
    bdnz 1b

    stw r21, HALF(0, 0)(r3)
    stw r22, HALF(0, 1)(r3)
    stw r23, HALF(8, 0)(r3)
    stw r24, HALF(8, 1)(r3)
    stw r25, HALF(16, 0)(r3)
    li r0, 0
    stw r0, HALF(16, 1)(r3)
    fc_leave 0, 14
fc_endfunc fc_poly1305_blocks_ppc
#endif
#endif
#include "../fc_asm.h"
