/* Poly1305 for POWER9 (ISA 3.0: vmsumudm).
 *
 * void fc_poly1305_blocks_power9(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
 *                                uint32_t padbit);
 * Contract: csrc/backend.h.
 *
 * h = (h + m0) r**8 + m1 r**7 + ... + m7 r for eight blocks at a time, what is left by scalar code. Limbs
 * of 44 bits, x = x0 + 2**44 x1 + 2**88 x2; 2**132 = 20, so s_i = 20 r_i:
 *     d0 = x0 r0 + x1 s2 + x2 s1,  d1 = x0 r1 + x1 r0 + x2 s2,  d2 = x0 r2 + x1 r1 + x2 r0
 * vmsumudm adds both 128-bit products of two pairs of doublewords to a 128-bit sum: a pair of blocks
 * stands in one vector (the first in doubleword 1), their powers of r in another, and the sum over all
 * eight blocks comes about by itself. Limbs of blocks are below 2**44, of h below 2**44 + 2**16, of powers below
 * 2**44, so a sum of 24 products is below 2**98, and what is carried fits a doubleword.
 *
 * Powers (FC_POWERS_POWER9): four pairs of five vectors r0, r1, r2, s1, s2, of r**8 and r**7, ..., r**2
 * and r.
 *
 * Registers: poly1305.h; r24 blocks left, r25 scratch. v0-v2 d; v3-v5 h; v6-v8 x; v9, v10, v28-v31 scratch;
 * v11-v15 powers; v16 mask of 44 bits; v17, v18, v19, v21 shift counts 44, 20, 24, 2; v20 zero; v22-v24 d of the
 * next eight blocks but their first pair, v25-v27 x of that; vs0 padbit * 2**40; vs1 the mask in doubleword 1 alone.
 * Clobbers r0, r4-r12, CTR, CR0, XER's CA, v0-v19, vs0, vs1. Measured cost: docs/performance/ppc.md.
 */
#if defined(__powerpc64__)
#include "poly1305.h"

#define SAVED LOCALS /* 192: v20-v31 */
#define LOCAL_BYTES 192
#define KIND 6 /* FC_POWERS_POWER9 */

/* Where doublewords 0 and 1 of a vector stand in memory. */
#if FC_LE
#define DW0 8
#define DW1 0
#else
#define DW0 0
#define DW1 8
#endif

/* h = d, in steps 0 to 26, so that other instructions may stand between them: what exceeds 44 bits of each
 * limb is carried to the next, twice. */
.macro fc_carry_step n
    .if \n == 0
    vsro v28, v0, v17
    .elseif \n == 1
    vsro v29, v1, v17
    .elseif \n == 2
    vsro v30, v2, v17
    .elseif \n == 3
    vsr v28, v28, v17              /* d0 >> 44 */
    .elseif \n == 4
    vsr v29, v29, v17
    .elseif \n == 5
    vsr v30, v30, v17
    .elseif \n == 6
    xxland 32 + v1, 32 + v1, 1
    .elseif \n == 7
    xxland 32 + v2, 32 + v2, 1
    .elseif \n == 8
    vsld v31, v30, v21
    .elseif \n == 9
    vaddudm v1, v1, v28
    .elseif \n == 10
    xxland 32 + v0, 32 + v0, 1
    .elseif \n == 11
    vaddudm v31, v31, v30
    .elseif \n == 12
    vaddudm v2, v2, v29
    .elseif \n == 13
    vsld v31, v31, v21             /* 20 (d2 >> 44) */
    .elseif \n == 14
    vsrd v28, v1, v17
    .elseif \n == 15
    vaddudm v0, v0, v31
    .elseif \n == 16
    vsrd v29, v2, v17
    .elseif \n == 17
    xxland 32 + v5, 32 + v2, 1
    .elseif \n == 18
    vsrd v30, v0, v17
    .elseif \n == 19
    vsld v31, v29, v21
    .elseif \n == 20
    xxland 32 + v4, 32 + v1, 1
    .elseif \n == 21
    vaddudm v31, v31, v29
    .elseif \n == 22
    xxland 32 + v3, 32 + v0, 1
    .elseif \n == 23
    vaddudm v5, v5, v28
    .elseif \n == 24
    vsld v31, v31, v21
    .elseif \n == 25
    vaddudm v4, v4, v30
    .elseif \n == 26
    vaddudm v3, v3, v31
    .endif
.endm
.macro fc_carry
    .irp step, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26
    fc_carry_step \step
    .endr
.endm

/* x0-x2: the limbs of blocks \j * 2 and \j * 2 + 1, counted from \at(r4); between them steps s to s + 4 of
 * fc_carry. */
.macro fc_pair_limbs j, at, x0, x1, x2, s=-99
    lxv 32 + v9, \at + 32 * \j(r4)
    lxv 32 + v10, \at + 32 * \j + 16(r4)
#if FC_LE
    xxpermdi 32 + \x0, 32 + v10, 32 + v9, 3
    xxpermdi 32 + \x2, 32 + v10, 32 + v9, 0
#else
    xxbrd 32 + v9, 32 + v9
    xxbrd 32 + v10, 32 + v10
    xxpermdi 32 + \x0, 32 + v10, 32 + v9, 0
    xxpermdi 32 + \x2, 32 + v10, 32 + v9, 3
#endif
    fc_carry_step (\s)
    vsrd \x1, \x0, v17
    vsld v9, \x2, v18
    fc_carry_step (\s+1)
    vsrd \x2, \x2, v19
    vand \x0, \x0, v16
    fc_carry_step (\s+2)
    vor \x1, \x1, v9
    fc_carry_step (\s+3)
    xxlor 32 + \x2, 32 + \x2, 0
    fc_carry_step (\s+4)
    vand \x1, \x1, v16
.endm

/* d = e + x times the powers of pair \j; between them steps s to s + 4 of fc_carry. */
.macro fc_pair_mul j, x0, x1, x2, d0, d1, d2, e0, e1, e2, s=-99
    lxv 32 + v11, P_POWERS + 80 * \j(r3)
    lxv 32 + v12, P_POWERS + 80 * \j + 16(r3)
    lxv 32 + v13, P_POWERS + 80 * \j + 32(r3)
    lxv 32 + v15, P_POWERS + 80 * \j + 64(r3)
    lxv 32 + v14, P_POWERS + 80 * \j + 48(r3)
    fc_carry_step (\s)
    vmsumudm \d0, \x0, v11, \e0
    vmsumudm \d1, \x0, v12, \e1
    fc_carry_step (\s+1)
    vmsumudm \d2, \x0, v13, \e2
    vmsumudm \d0, \x1, v15, \d0
    fc_carry_step (\s+2)
    vmsumudm \d1, \x1, v11, \d1
    vmsumudm \d2, \x1, v12, \d2
    fc_carry_step (\s+3)
    vmsumudm \d0, \x2, v14, \d0
    vmsumudm \d1, \x2, v15, \d1
    fc_carry_step (\s+4)
    vmsumudm \d2, \x2, v11, \d2
.endm

/* v22-v24: the sum over the last three pairs of the eight blocks at r4; v25-v27: the limbs of the first. */
.macro fc_begin
    fc_pair_limbs 1, 0, v6, v7, v8
    fc_pair_mul 1, v6, v7, v8, v22, v23, v24, v20, v20, v20
    fc_pair_limbs 2, 0, v6, v7, v8
    fc_pair_mul 2, v6, v7, v8, v22, v23, v24, v22, v23, v24
    fc_pair_limbs 3, 0, v6, v7, v8
    fc_pair_mul 3, v6, v7, v8, v22, v23, v24, v22, v23, v24
    fc_pair_limbs 0, 0, v25, v26, v27
.endm

/* The first pair and h. */
.macro fc_add_h
    vaddudm v25, v25, v3
    vaddudm v26, v26, v4
    vaddudm v27, v27, v5
.endm

/* The end of eight blocks: h. */
.macro fc_end
    fc_add_h
    fc_pair_mul 0, v25, v26, v27, v0, v1, v2, v22, v23, v24
    fc_carry
.endm

/* The end of eight blocks, and fc_begin for the next eight between it: chains of dependent sums are what
 * this waits for, so the two go side by side, first pair by first pair, then fc_carry by the other two. */
.macro fc_end_and_begin
    fc_pair_limbs 1, 128, v6, v7, v8
    lxv 32 + v11, P_POWERS(r3)
    lxv 32 + v28, P_POWERS + 80(r3)
    lxv 32 + v12, P_POWERS + 16(r3)
    lxv 32 + v29, P_POWERS + 96(r3)
    lxv 32 + v13, P_POWERS + 32(r3)
    lxv 32 + v30, P_POWERS + 112(r3)
    lxv 32 + v15, P_POWERS + 64(r3)
    lxv 32 + v10, P_POWERS + 144(r3)
    lxv 32 + v14, P_POWERS + 48(r3)
    lxv 32 + v31, P_POWERS + 128(r3)
    fc_add_h
    vmsumudm v0, v25, v11, v22
    vmsumudm v22, v6, v28, v20
    vmsumudm v1, v25, v12, v23
    vmsumudm v23, v6, v29, v20
    vmsumudm v2, v25, v13, v24
    vmsumudm v24, v6, v30, v20
    vmsumudm v0, v26, v15, v0
    vmsumudm v22, v7, v10, v22
    vmsumudm v1, v26, v11, v1
    vmsumudm v23, v7, v28, v23
    vmsumudm v2, v26, v12, v2
    vmsumudm v24, v7, v29, v24
    vmsumudm v0, v27, v14, v0
    vmsumudm v22, v8, v31, v22
    vmsumudm v1, v27, v15, v1
    vmsumudm v23, v8, v10, v23
    vmsumudm v2, v27, v11, v2
    vmsumudm v24, v8, v28, v24
    fc_pair_limbs 2, 128, v6, v7, v8
    fc_pair_limbs 3, 128, v25, v26, v27
    fc_pair_mul 2, v6, v7, v8, v22, v23, v24, v22, v23, v24, 0
    fc_carry_step 5
    fc_carry_step 6
    fc_carry_step 7
    fc_carry_step 8
    fc_carry_step 9
    fc_pair_mul 3, v25, v26, v27, v22, v23, v24, v22, v23, v24, 10
    fc_carry_step 15
    fc_carry_step 16
    fc_carry_step 17
    fc_carry_step 18
    fc_carry_step 19
    fc_pair_limbs 0, 128, v25, v26, v27, 20
    fc_carry_step 25
    fc_carry_step 26
.endm

/* Splits x (r9-r11) into limbs \l0-\l2; r0 is lost. */
.macro fc_limbs l0, l1, l2
    srdi \l1, r9, 44
    clrldi \l0, r9, 20
    rldimi \l1, r10, 20, 20
    srdi \l2, r10, 24
    rldimi \l2, r11, 40, 0
.endm

/* The limbs of r9-r11 and their multiples to the doubleword at \at of five vectors at r25. */
.macro fc_power at
    fc_limbs r26, r27, r28
    std r26, \at(r25)
    std r27, \at + 16(r25)
    std r28, \at + 32(r25)
    mulli r27, r27, 20
    mulli r28, r28, 20
    std r27, \at + 48(r25)
    std r28, \at + 64(r25)
.endm

.machine push
.machine power9

fc_func fc_poly1305_blocks_power9
    fc_poly_vectors_begin LOCAL_BYTES, SAVED, KIND
    addi r25, r3, P_POWERS + 240
    li r0, 4
    mtctr r0
1:  fc_poly_mul
    fc_power DW0
    fc_poly_mul
    fc_power DW1
    addi r25, r25, -80
    bdnz 1b
    fc_poly_enter

2:  fc_limbs r26, r27, r28
    mtvsrdd 32 + v3, 0, r26
    mtvsrdd 32 + v4, 0, r27
    mtvsrdd 32 + v5, 0, r28
    sldi r12, r6, 40
    mtvsrdd 0, r12, r12
    xxspltib 32 + v17, 44
    xxspltib 32 + v18, 20
    xxspltib 32 + v19, 24
    xxspltib 32 + v21, 2
    vspltisw v16, -1
    vxor v20, v20, v20
    vsrd v16, v16, v18
    xxpermdi 1, 32 + v20, 32 + v16, 0
    srdi r12, r24, 3
    clrldi r24, r24, 61
    addi r12, r12, -1
    fc_begin
    cmpldi r12, 0
    mtctr r12
    beq 4f
    .p2align 4
3:  fc_end_and_begin
    addi r4, r4, 128
    bdnz 3b
4:  fc_end
    addi r4, r4, 128
    mfvsrld r26, 32 + v3
    mfvsrld r27, 32 + v4
    mfvsrld r28, 32 + v5
    /* what exceeds 42 bits of the highest limb: above 2**130, times 5 */
    srdi r0, r28, 42
    clrldi r28, r28, 22
    sldi r12, r0, 2
    add r0, r0, r12
    add r26, r26, r0
    sldi r9, r27, 44
    srdi r10, r27, 20
    sldi r12, r28, 24
    srdi r11, r28, 40
    addc r9, r9, r26
    adde r10, r10, r12
    addze r11, r11
    .set fc_v, 0
    .rept 20
    vxor fc_v, fc_v, fc_v
    .set fc_v, fc_v + 1
    .endr
    fc_poly_vectors_end LOCAL_BYTES, SAVED
fc_endfunc fc_poly1305_blocks_power9

.machine pop
#endif
#include "../fc_asm.h"
