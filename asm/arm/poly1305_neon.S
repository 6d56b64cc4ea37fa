/* Poly1305 for Armv7-A with Advanced SIMD (NEON).
 *
 *   void fc_poly1305_blocks_neon(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
 *                                uint32_t padbit);
 *
 * Contract: csrc/backend.h. ISA: Armv7-A with Advanced SIMD; either byte order.
 *
 * Long input: four blocks an iteration, five limbs of 26 bits, two lanes: lane x takes blocks 0 and 2,
 * lane y blocks 1 and 3 of each four:
 *     acc = (b0, b1) r**2 + acc r**4 + (b2, b3)
 * one carry for 50 products; at the end h = x r**2 + y r. The h that the call began with is added to block
 * 0. What does not fill four blocks, short input and calls with padbit 0 (one block, the end of a message)
 * go block by block through general registers, 32 bits a limb: 57 instructions a block, where the
 * compiler's code for the portable kernel has 97. That also makes the powers of r (h = r, then blocks of
 * zeros).
 * Cost: 100 instructions an iteration; modelled cycles a byte: A9 2.16, A57 0.98 (docs/performance/arm.md).
 *
 * The powers are kept in p->powers (FC_POWERS_NEON) as 32-bit words in host order: r**2 at 0 and r**4 at 48:
 * limbs 0-3, 5 times limbs 1-4, limb 4; at 96 the pairs (r**2, r) of each of these nine words.
 *
 * Registers: r0 p, r1 in, r2 blocks left, r3, r4 powers, r5-r12 scratch (scalars: scalar_products; r4-r8 h)
 *   d0-d4 a power (at the end d12-d19, d4)  d5-d9 acc, limbs 0-4, two 32-bit lanes each
 *   q5 2**26 - 1 (64-bit lanes)        q6-q10 input: words 0-3, then limbs 0, 1, 2, 4, 3
 *   q11-q15 acc while it is computed, limbs 0-4, two 64-bit lanes each
 * Bounds: powers' limbs < 2**26.4, input's < 2**26, acc's < 2**26 + 2**8: a sum of products < 2**57.
 * Clobbers: r1-r3, r12, q0-q3, q8-q15 (what held the key or h is cleared). Stack: 100 bytes of saved
 * registers, and 64 while the powers are made (24 of them h, cleared); scalars 72 (16 of them r, cleared).
 */
#if defined(__arm__)
#include "arch.h"

#define POWERS_NEON 3 /* FC_POWERS_NEON */
#define LONG_CACHED 4 /* blocks from which vectors pay where the powers are there */
#define LONG 20       /* and where they are not */
#define POLY_R 24
#define POLY_KIND 56
#define POLY_POWERS 64

/* Where the low and the high word of a 64-bit number stand. */
#if defined(__ARMEB__)
#define LO 4
#define HI 0
#else
#define LO 0
#define HI 4
#endif

/* the scalars' stack, from sp on */
#define R 0 /* 16 */
#define NEXT 16
#define END 20
#define PAD 24
#define P 28

/* r7-r11 = the limbs of the number at \at, 2**130 + 2**128 at most. Uses r12. */
.macro limbs_of at
    ldr r7, [\at, #LO]
    ldr r12, [\at, #HI]
    lsr r8, r7, #26
    bic r7, r7, #0xfc000000
    orr r8, r8, r12, lsl #6
    bic r8, r8, #0xfc000000
    lsr r9, r12, #20
    ldr r12, [\at, #8 + LO]
    orr r9, r9, r12, lsl #12
    bic r9, r9, #0xfc000000
    lsr r10, r12, #14
    ldr r12, [\at, #8 + HI]
    orr r10, r10, r12, lsl #18
    bic r10, r10, #0xfc000000
    lsr r11, r12, #8
    ldr r12, [\at, #16 + LO]
    orr r11, r11, r12, lsl #24
.endm

/* Stores limbs 0-3, 5 times limbs 1-4, limb 4 (r7-r11) from \at on, \step bytes apart. Uses r12. */
.macro store_limbs at, step
    str r7, [\at]
    str r8, [\at, #\step]
    str r9, [\at, #2 * \step]
    str r10, [\at, #3 * \step]
    add r12, r8, r8, lsl #2
    str r12, [\at, #4 * \step]
    add r12, r9, r9, lsl #2
    str r12, [\at, #5 * \step]
    add r12, r10, r10, lsl #2
    str r12, [\at, #6 * \step]
    add r12, r11, r11, lsl #2
    str r12, [\at, #7 * \step]
    str r11, [\at, #8 * \step]
.endm

/* acc (+)= (i0-i4: d registers) * (p0-p4 limbs, s1-s4 5 times limbs: d registers or elements); op: vmull or
 * vmlal for the first five */
.macro products op, i0, i1, i2, i3, i4, p0, p1, p2, p3, p4, s1, s2, s3, s4
    \op\().u32 q11, \i0, \p0
    \op\().u32 q12, \i0, \p1
    \op\().u32 q13, \i0, \p2
    \op\().u32 q14, \i0, \p3
    \op\().u32 q15, \i0, \p4
    vmlal.u32 q11, \i1, \s4
    vmlal.u32 q12, \i1, \p0
    vmlal.u32 q13, \i1, \p1
    vmlal.u32 q14, \i1, \p2
    vmlal.u32 q15, \i1, \p3
    vmlal.u32 q11, \i2, \s3
    vmlal.u32 q12, \i2, \s4
    vmlal.u32 q13, \i2, \p0
    vmlal.u32 q14, \i2, \p1
    vmlal.u32 q15, \i2, \p2
    vmlal.u32 q11, \i3, \s2
    vmlal.u32 q12, \i3, \s3
    vmlal.u32 q13, \i3, \s4
    vmlal.u32 q14, \i3, \p0
    vmlal.u32 q15, \i3, \p1
    vmlal.u32 q11, \i4, \s1
    vmlal.u32 q12, \i4, \s2
    vmlal.u32 q13, \i4, \s3
    vmlal.u32 q14, \i4, \s4
    vmlal.u32 q15, \i4, \p0
.endm

#define POWER d0[0], d0[1], d1[0], d1[1], d4[0], d2[0], d2[1], d3[0], d3[1]

/* Two things that interleave, each where its argument is 1:
 * carry  d5-d9 = acc, carried: 3 to 4 beside 0 to 1; 4 to 0 (times 5) beside 1 to 2; 0 to 1 beside 2 to 3;
 *        3 to 4. Uses q0.
 * load   four blocks: limbs 0, 1, 2, 4, 3 in q6-q10, blocks 0 and 1 in the low halves. */
.macro carry_load carry, load
    fc_if \load, vld4.32 {d12, d14, d16, d18}, [r1]!
    fc_if \load, vld4.32 {d13, d15, d17, d19}, [r1]!
#if defined(__ARMEB__)
    fc_if \load, vrev32.8 q6, q6
    fc_if \load, vrev32.8 q7, q7
    fc_if \load, vrev32.8 q8, q8
    fc_if \load, vrev32.8 q9, q9
#endif
    fc_if \carry, vsra.u64 q15, q14, #26
    fc_if \carry, vsra.u64 q12, q11, #26
    fc_if \carry, vand q14, q14, q5
    fc_if \load, vshl.i32 q10, q9, #18
    fc_if \carry, vand q11, q11, q5
    fc_if \carry, vbic q0, q15, q5 @ 2**26 c
    fc_if \load, vsri.32 q10, q8, #14
    fc_if \carry, vsra.u64 q13, q12, #26
    fc_if \load, vshr.u32 q9, q9, #8
    fc_if \carry, vsra.u64 q11, q15, #26
    fc_if \carry, vand q12, q12, q5
    fc_if \load, vshl.i32 q8, q8, #12
    fc_if \carry, vand q15, q15, q5
    fc_if \load, vsri.32 q8, q7, #20
    fc_if \carry, vsra.u64 q11, q0, #24 @ 4 c
    fc_if \load, vbic.i32 q10, #0xfc000000
    fc_if \carry, vsra.u64 q14, q13, #26
    fc_if \load, vshl.i32 q7, q7, #6
    fc_if \carry, vand q13, q13, q5
    fc_if \load, vsri.32 q7, q6, #26
    fc_if \carry, vsra.u64 q12, q11, #26
    fc_if \carry, vand q11, q11, q5
    fc_if \load, vbic.i32 q8, #0xfc000000
    fc_if \carry, vsra.u64 q15, q14, #26
    fc_if \load, vorr.i32 q9, #0x01000000 @ the padding bit
    fc_if \carry, vand q14, q14, q5
    fc_if \load, vbic.i32 q7, #0xfc000000
    fc_if \carry, vmovn.i64 d7, q13
    fc_if \load, vbic.i32 q6, #0xfc000000
    fc_if \carry, vmovn.i64 d5, q11
    fc_if \carry, vmovn.i64 d6, q12
    fc_if \carry, vmovn.i64 d8, q14
    fc_if \carry, vmovn.i64 d9, q15
.endm

/* acc = h0 r0 + ..., the product's columns of 2**32 in pairs of registers: (r1, r0), (r3, r2), (r10, r9),
 * (r12, r11); s1-s3 = 5/4 r1-r3, since 2**128 r = 5/4 r modulo 2**130 - 5 (r1-r3 are multiples of 4). h4 stays
 * below 8, a column below 2**63. */
.macro scalar_products
    ldr lr, [sp, #R]
    umull r0, r1, r4, lr
    umull r2, r3, r5, lr
    umull r9, r10, r6, lr
    umull r11, r12, r7, lr
    ldr lr, [sp, #R + 4]
    umlal r2, r3, r4, lr
    umlal r9, r10, r5, lr
    umlal r11, r12, r6, lr
    add lr, lr, lr, lsr #2
    umlal r0, r1, r7, lr
    umlal r2, r3, r8, lr
    ldr lr, [sp, #R + 8]
    umlal r9, r10, r4, lr
    umlal r11, r12, r5, lr
    add lr, lr, lr, lsr #2
    umlal r0, r1, r6, lr
    umlal r2, r3, r7, lr
    umlal r9, r10, r8, lr
    ldr lr, [sp, #R + 12]
    umlal r11, r12, r4, lr
    add lr, lr, lr, lsr #2
    umlal r0, r1, r5, lr
    umlal r2, r3, r6, lr
    umlal r9, r10, r7, lr
    umlal r11, r12, r8, lr
    ldr lr, [sp, #R]
    mul r8, r8, lr
.endm

fc_func fc_poly1305_blocks_neon
    cmp r3, #1
    cmpeq r2, #LONG_CACHED
    blo .Lscalar @ (not 1) or fewer
    cmp r2, #LONG
    bhs .Lvector
    ldr r12, [r0, #POLY_KIND + LO]
    cmp r12, #POWERS_NEON
    beq .Lvector

    @ ---- scalars: h in r4-r8, 32 bits each
.Lscalar:
    cmp r2, #0
    bxeq lr
    push {r4-r11, lr}
    .cfi_remember_state
    fc_cfi_pushed
    sub sp, sp, #36
    .cfi_adjust_cfa_offset 36
    add r2, r1, r2, lsl #4
    str r0, [sp, #P]
    str r1, [sp, #NEXT]
    str r2, [sp, #END]
    str r3, [sp, #PAD]
    ldr r4, [r0, #POLY_R + LO]
    ldr r5, [r0, #POLY_R + HI]
    ldr r6, [r0, #POLY_R + 8 + LO]
    ldr r7, [r0, #POLY_R + 8 + HI]
    stm sp, {r4-r7}
    ldr r4, [r0, #LO]
    ldr r5, [r0, #HI]
    ldr r6, [r0, #8 + LO]
    ldr r7, [r0, #8 + HI]
    ldr r8, [r0, #16 + LO]
3:  ldr lr, [sp, #NEXT]
    ldr r12, [sp, #PAD]
    @ h += block + padbit * 2**128
    ldr r0, [lr]
    ldr r1, [lr, #4]
    ldr r2, [lr, #8]
    ldr r3, [lr, #12]
#if defined(__ARMEB__)
    rev r0, r0
    rev r1, r1
    rev r2, r2
    rev r3, r3
#endif
    add lr, lr, #16
    adds r4, r4, r0
    str lr, [sp, #NEXT]
    adcs r5, r5, r1
    adcs r6, r6, r2
    adcs r7, r7, r3
    adc r8, r8, r12
    @ h *= r
    scalar_products
    @ the columns' upper halves go to the next columns
    adds r5, r2, r1
    adcs r6, r9, r3
    adcs r7, r11, r10
    adc r8, r8, r12
    @ what stands above 2**130, times 5: c + c / 4 with c a multiple of 4
    bic r1, r8, #3
    ldr lr, [sp, #NEXT]
    add r1, r1, r1, lsr #2
    ldr r2, [sp, #END]
    and r8, r8, #3
    adds r4, r0, r1
    adcs r5, r5, #0
    adcs r6, r6, #0
    adcs r7, r7, #0
    adc r8, r8, #0
    cmp lr, r2
    bne 3b
    ldr r0, [sp, #P]
    mov r1, #0
    mov r2, #0
    mov r3, #0
    mov r12, #0
    str r4, [r0, #LO]
    str r5, [r0, #HI]
    str r6, [r0, #8 + LO]
    str r7, [r0, #8 + HI]
    str r8, [r0, #16 + LO]
    str r12, [r0, #16 + HI]
    str r1, [sp, #R]
    str r1, [sp, #R + 4]
    str r1, [sp, #R + 8]
    str r1, [sp, #R + 12]
    add sp, sp, #36
    .cfi_adjust_cfa_offset -36
    pop {r4-r11, lr}
    .cfi_restore_state
    bx lr

.Lvector:
    fc_enter
    ldr r12, [r0, #POLY_KIND + LO]
    cmp r12, #POWERS_NEON
    beq 1f

    @ ---- the powers of r
    mov r4, r0
    mov r5, r1
    mov r6, r2
    sub sp, sp, #64
    .cfi_adjust_cfa_offset 64
    mov r7, #POWERS_NEON
    mov r8, #0
    str r7, [r4, #POLY_KIND + LO]
    str r8, [r4, #POLY_KIND + HI]
    vmov.i32 q0, #0
    vmov.i32 q1, #0
    ldm r4, {r7-r12}
    add r3, sp, #32
    vst1.32 {d0-d3}, [sp]
    stm r3, {r7-r12}
    @ h = r
    add r3, r4, #POLY_R
    ldm r3, {r7-r10}
    mov r11, #0
    mov r12, #0
    stm r4, {r7-r12}
    limbs_of r4
    add r3, r4, #POLY_POWERS + 96 + 4
    store_limbs r3, 8
    @ h = r**2
    mov r0, r4
    mov r1, sp
    mov r2, #1
    mov r3, #0
    bl .Lscalar
    limbs_of r4
    add r3, r4, #POLY_POWERS + 96
    store_limbs r3, 8
    add r3, r4, #POLY_POWERS
    store_limbs r3, 4
    @ h = r**4
    mov r0, r4
    mov r1, sp
    mov r2, #2
    mov r3, #0
    bl .Lscalar
    limbs_of r4
    add r3, r4, #POLY_POWERS + 48
    store_limbs r3, 4
    add r3, sp, #32
    ldm r3, {r7-r12}
    vmov.i32 q0, #0
    stm r4, {r7-r12}
    vst1.32 {d0-d1}, [r3]!
    vst1.32 {d0}, [r3]
    add sp, sp, #64
    .cfi_adjust_cfa_offset -64
    mov r0, r4
    mov r1, r5
    mov r2, r6

1:  add r4, r0, #POLY_POWERS
    vmov.i64 q5, #0x00000000ffffffff
    vshr.u64 q5, q5, #6
    limbs_of r0
    carry_load 0, 1
    mov r12, #0
    vmov d5, r7, r12
    vmov d6, r8, r12
    vmov d7, r9, r12
    vmov d8, r10, r12
    vmov d9, r11, r12
    vadd.i32 d12, d12, d5
    vadd.i32 d14, d14, d6
    vadd.i32 d16, d16, d7
    vadd.i32 d20, d20, d8
    vadd.i32 d18, d18, d9
    vmov.i32 d5, #0
    vmov.i32 q3, #0
    vmov.i32 q4, #0

    @ ---- four blocks
2:  mov r5, r4
    vld1.32 {d0-d3}, [r5]!
    vld1.32 {d4}, [r5]
    add r5, r4, #48
    subs r2, r2, #4
    products vmull, d12, d14, d16, d20, d18, POWER
    vld1.32 {d0-d3}, [r5]!
    vld1.32 {d4}, [r5]
    products vmlal, d5, d6, d7, d8, d9, POWER
    vaddw.u32 q11, q11, d13
    vaddw.u32 q12, q12, d15
    vaddw.u32 q13, q13, d17
    vaddw.u32 q14, q14, d21
    vaddw.u32 q15, q15, d19
    @ the next four blocks (after the last iteration these once more, for nothing)
    cmp r2, #4
    sublo r1, r1, #64
    carry_load 1, 1
    bhs 2b

    @ ---- h = x r**2 + y r: lane by lane, then the sum of the lanes, carried
    add r5, r4, #96
    vld1.32 {d12-d15}, [r5]!
    vld1.32 {d16-d19}, [r5]!
    vld1.32 {d4}, [r5]
    products vmull, d5, d6, d7, d8, d9, d12, d13, d14, d15, d4, d16, d17, d18, d19
    vadd.i64 d22, d22, d23
    vadd.i64 d24, d24, d25
    vadd.i64 d26, d26, d27
    vadd.i64 d28, d28, d29
    vadd.i64 d30, d30, d31
    carry_load 1, 0
    vmov.32 r7, d5[0]
    vmov.32 r8, d6[0]
    vmov.32 r9, d7[0]
    vmov.32 r10, d8[0]
    vmov.32 r11, d9[0]
    adds r7, r7, r8, lsl #26
    lsr r8, r8, #6
    adcs r8, r8, r9, lsl #20
    lsr r9, r9, #12
    adcs r9, r9, r10, lsl #14
    lsr r10, r10, #18
    adcs r10, r10, r11, lsl #8
    lsr r11, r11, #24
    adc r11, r11, #0
    mov r12, #0
    str r7, [r0, #LO]
    str r8, [r0, #HI]
    str r9, [r0, #8 + LO]
    str r10, [r0, #8 + HI]
    str r11, [r0, #16 + LO]
    str r12, [r0, #16 + HI]
    fc_qclear q0, q1, q2, q3, q8, q9, q10, q11, q12, q13, q14, q15
    vpop {d8-d15}
    pop {r4-r11, lr}
    .cfi_def_cfa_offset 0
    mov r3, #1
    b .Lscalar @ the rest: at most three blocks
fc_endfunc fc_poly1305_blocks_neon
#endif

#include "../fc_asm.h" /* the stack note, where this file is empty too */
