/* Poly1305 for POWER8 (ISA 2.07: vmuleuw, vmulouw).
 *
 * void fc_poly1305_blocks_power8(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
 *                                uint32_t padbit);
 * Contract: csrc/backend.h.
 *
 * h = (h + m0) r**8 + m1 r**7 + ... + m7 r for eight blocks at a time, what is left by scalar code. Five limbs
 * of 26 bits; 2**130 = 5, so s_i = 5 r_i:
 *     d_k = sum over i of x_i r_(k - i), where r_(-j) is s_(5 - j)
 * A limb of four blocks stands in the four words of a vector, in the order 1, 0, 2, 3, so that h, in the low
 * word of doubleword 0, belongs to block 0. The products of even and of odd words are doublewords and all
 * added up; at the end the two doublewords are. Limbs of blocks are below 2**26, of h below 2**26 + 2**12, of
 * powers below 2**27, of s below 2**30, so a sum of 40 products is below 2**62.
 *
 * Powers (FC_POWERS_POWER8): r0-r4, s1-s4, of r**3, r**4, r**2, r in the four words, then of r**7, r**8,
 * r**6, r**5.
 *
 * Registers: poly1305.h; r24 blocks left, r25 the powers, r26-r28 16, 32, 48. v0-v4 d; v5-v9 x; v10-v13 scratch; v14, v15 a
 * power; v16 mask of 26 bits; v17-v23 shift counts 26, 6, 20, 12, 14, 18, 8; v24, v25 byte orders
 * (big-endian: chacha20.h has the same); v26-v30 h; v31 zero; vs0 padbit * 2**24 in each word; vs1 26 ones
 * in doubleword 0 alone; vs2 64 ones there. Clobbers r0, r4-r12, CTR, CR0, XER's CA, v0-v19, vs0-vs2.
 * Measured cost: docs/performance/ppc.md.
 */
#if defined(__powerpc64__)
#include "poly1305.h"
#include "vsx.h"

#define SAVED LOCALS /* 192: v20-v31 */
#define BYTES (LOCALS + 192)
#define LOCAL_BYTES 208
#define KIND 5 /* FC_POWERS_POWER8 */

/* x: the limbs of the four blocks at \at. */
.macro fc_four_limbs at
    fc_vload v11, \at, r26
    fc_vload v12, \at, r27
    fc_vload v10, 0, \at
    fc_vload v13, \at, r28
    vmrghw v5, v11, v12
    vmrglw v6, v11, v12
    vmrghw v7, v10, v13
    vmrglw v8, v10, v13
#if FC_LE
    vmrghw v10, v5, v7
    vmrglw v11, v5, v7
    vmrghw v12, v6, v8
    vmrglw v13, v6, v8
#else
    vperm v10, v5, v7, v24
    vperm v11, v5, v7, v25
    vperm v12, v6, v8, v24
    vperm v13, v6, v8, v25
#endif
    vsrw v6, v10, v17
    vslw v7, v11, v18
    vsrw v8, v11, v19
    vand v5, v10, v16
    vslw v9, v12, v20
    vor v6, v6, v7
    vsrw v7, v12, v21
    vslw v10, v13, v22
    vor v8, v8, v9
    vsrw v9, v13, v23
    vor v10, v7, v10
    vand v6, v6, v16
    vand v7, v8, v16
    vand v8, v10, v16
    xxlor 32 + v9, 32 + v9, 0
.endm

/* d += x * a power, for two limbs. */
.macro fc_mul_2 d0, x0, d1, x1, power
    vmuleuw v10, \x0, \power
    vmulouw v11, \x0, \power
    vmuleuw v12, \x1, \power
    vmulouw v13, \x1, \power
    vaddudm \d0, \d0, v10
    vaddudm \d1, \d1, v12
    vaddudm \d0, \d0, v11
    vaddudm \d1, \d1, v13
.endm
.macro fc_mul_1 d0, x0, power
    vmuleuw v10, \x0, \power
    vmulouw v11, \x0, \power
    vaddudm \d0, \d0, v10
    vaddudm \d0, \d0, v11
.endm
.macro fc_power_load v
    fc_vload \v, 0, r25
    addi r25, r25, 16
.endm

/* d += x times the powers at r25, which moves on; \fresh 1: d = x times them. */
.macro fc_four_mul fresh
    fc_power_load v14
    .if \fresh
    vmuleuw v0, v5, v14
    vmuleuw v1, v6, v14
    vmuleuw v2, v7, v14
    vmuleuw v3, v8, v14
    vmuleuw v4, v9, v14
    vmulouw v10, v5, v14
    vmulouw v11, v6, v14
    vmulouw v12, v7, v14
    vmulouw v13, v8, v14
    fc_power_load v15
    vaddudm v0, v0, v10
    vmulouw v10, v9, v14
    vaddudm v1, v1, v11
    vaddudm v2, v2, v12
    vaddudm v3, v3, v13
    vaddudm v4, v4, v10
    .else
    fc_power_load v15
    fc_mul_2 v0, v5, v1, v6, v14
    fc_mul_2 v2, v7, v3, v8, v14
    fc_mul_1 v4, v9, v14
    .endif
    fc_power_load v14
    fc_mul_2 v1, v5, v2, v6, v15   /* r1 */
    fc_mul_2 v3, v7, v4, v8, v15
    fc_power_load v15
    fc_mul_2 v2, v5, v3, v6, v14   /* r2 */
    fc_mul_1 v4, v7, v14
    fc_power_load v14
    fc_mul_2 v3, v5, v4, v6, v15   /* r3 */
    fc_power_load v15
    fc_mul_1 v4, v5, v14           /* r4 */
    fc_power_load v14
    fc_mul_1 v0, v9, v15           /* s1 */
    fc_power_load v15
    fc_mul_2 v0, v8, v1, v9, v14   /* s2 */
    fc_power_load v14
    fc_mul_2 v0, v7, v1, v8, v15   /* s3 */
    fc_mul_1 v2, v9, v15
    fc_mul_2 v0, v6, v1, v7, v14   /* s4 */
    fc_mul_2 v2, v8, v3, v9, v14
.endm

/* h = d: both doublewords added up, then limbs of 26 bits again; doubleword 1 becomes 0. */
.macro fc_carry
    vsldoi v5, v0, v0, 8
    vsldoi v6, v1, v1, 8
    vsldoi v7, v2, v2, 8
    vsldoi v8, v3, v3, 8
    vsldoi v9, v4, v4, 8
    vaddudm v0, v0, v5
    vaddudm v3, v3, v8
    vaddudm v1, v1, v6
    vaddudm v4, v4, v9
    vaddudm v2, v2, v7
    vsrd v10, v0, v17              /* d0 -> d1, d3 -> d4 */
    vsrd v11, v3, v17
    xxland 32 + v0, 32 + v0, 1
    xxland 32 + v3, 32 + v3, 1
    vaddudm v1, v1, v10
    vaddudm v4, v4, v11
    vsrd v10, v1, v17              /* d1 -> d2, 5 d4 -> d0 */
    vsrd v11, v4, v17
    xxland 32 + v1, 32 + v1, 1
    xxland 32 + v4, 32 + v4, 1
    vaddudm v2, v2, v10
    vaddudm v12, v11, v11
    vaddudm v0, v0, v11
    vaddudm v12, v12, v12
    vsrd v10, v2, v17              /* d2 -> d3, d0 -> d1 */
    vaddudm v0, v0, v12
    xxland 32 + v28, 32 + v2, 1
    vaddudm v3, v3, v10
    vsrd v11, v0, v17
    xxland 32 + v26, 32 + v0, 1
    vsrd v10, v3, v17              /* d3 -> d4 */
    vaddudm v1, v1, v11
    xxland 32 + v29, 32 + v3, 1
    vaddudm v4, v4, v10
    xxland 32 + v27, 32 + v1, 2
    xxland 32 + v30, 32 + v4, 2
.endm

/* Splits r9-r11 into limbs. */
.macro fc_limbs l0, l1, l2, l3, l4
    clrldi \l0, r9, 38
    rldicl \l1, r9, 38, 38
    srdi \l2, r9, 52
    rldimi \l2, r10, 12, 38
    rldicl \l3, r10, 50, 38
    srdi \l4, r10, 40
    rldimi \l4, r11, 24, 0
.endm

/* r9-r11 to word \lane of the nine vectors at r25. */
.macro fc_power lane
    fc_limbs r26, r27, r28, r12, r0
    stw r26, 4 * \lane(r25)
    stw r27, 4 * \lane + 16(r25)
    stw r28, 4 * \lane + 32(r25)
    stw r12, 4 * \lane + 48(r25)
    stw r0, 4 * \lane + 64(r25)
    mulli r27, r27, 5
    mulli r28, r28, 5
    mulli r12, r12, 5
    sldi r26, r0, 2
    add r0, r0, r26
    stw r27, 4 * \lane + 80(r25)
    stw r28, 4 * \lane + 96(r25)
    stw r12, 4 * \lane + 112(r25)
    stw r0, 4 * \lane + 128(r25)
.endm

.machine push
.machine power8

fc_func fc_poly1305_blocks_power8
    fc_poly_vectors_begin LOCAL_BYTES, SAVED, KIND
    addi r25, r3, P_POWERS
    li r0, 2
    mtctr r0
1:  fc_poly_mul
    fc_power 3
    fc_poly_mul
    fc_power 2
    fc_poly_mul
    fc_power 0
    fc_poly_mul
    fc_power 1
    addi r25, r25, 144
    bdnz 1b
    fc_poly_enter

2:  vspltisw v31, -1
    vspltisw v18, 6
    vsrw v16, v31, v18
    vspltisw v17, 13
    vadduwm v17, v17, v17
    vspltisw v19, -12              /* the low five bits count */
    vspltisw v20, 12
    vspltisw v21, 14
    vspltisw v22, -14
    vspltisw v23, 8
    vxor v10, v10, v10
    xxpermdi 2, 32 + v31, 32 + v10, 0
    li r0, -1
    clrldi r0, r0, 38
    mtvsrd 1, r0
    xxland 1, 1, 2
    sldi r0, r6, 24
    mtvsrd 0, r0
    xxspltw 0, 0, 1
    fc_limbs r26, r27, r28, r12, r0
    mtvsrd 32 + v26, r26
    mtvsrd 32 + v27, r27
    mtvsrd 32 + v28, r28
    mtvsrd 32 + v29, r12
    mtvsrd 32 + v30, r0
    xxland 32 + v26, 32 + v26, 2
    xxland 32 + v27, 32 + v27, 2
    xxland 32 + v28, 32 + v28, 2
    xxland 32 + v29, 32 + v29, 2
    xxland 32 + v30, 32 + v30, 2
#if !FC_LE
    addi r25, r1, BYTES
    fc_byte_orders v24, v25, r25, r12, r26
#endif
    srdi r0, r24, 3
    clrldi r24, r24, 61
    li r26, 16
    li r27, 32
    li r28, 48
    mtctr r0
    .p2align 4
3:  addi r12, r4, 64
    addi r25, r3, P_POWERS
    fc_four_limbs r12
    fc_four_mul 1
    fc_four_limbs r4
    vaddudm v5, v5, v26
    vaddudm v6, v6, v27
    vaddudm v7, v7, v28
    vaddudm v8, v8, v29
    vaddudm v9, v9, v30
    addi r4, r4, 128
    fc_four_mul 0
    fc_carry
    bdnz 3b

    mfvsrd r26, 32 + v26
    mfvsrd r27, 32 + v27
    mfvsrd r28, 32 + v28
    mfvsrd r12, 32 + v29
    mfvsrd r11, 32 + v30
    sldi r27, r27, 26
    sldi r0, r28, 52
    add r26, r26, r27
    srdi r28, r28, 12
    sldi r12, r12, 14
    addc r9, r26, r0
    add r28, r28, r12
    sldi r0, r11, 40
    srdi r11, r11, 24
    adde r10, r28, r0
    addze r11, r11
    .set fc_v, 0
    .rept 16
    vxor fc_v, fc_v, fc_v
    .set fc_v, fc_v + 1
    .endr
    fc_poly_vectors_end LOCAL_BYTES, SAVED
fc_endfunc fc_poly1305_blocks_power8

.machine pop
#endif
#include "../fc_asm.h"
