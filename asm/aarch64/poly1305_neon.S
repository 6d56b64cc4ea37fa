/* Poly1305 for AArch64 with Advanced SIMD (NEON).
 *
 *   void fc_poly1305_blocks_neon(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
 *                                uint32_t padbit);
 *
 * Contract: csrc/backend.h. ISA: Armv8.0-A Advanced SIMD; either byte order.
 *
 * Long input: eight blocks an iteration, five limbs of 26 bits, two lanes: lane x takes blocks 0, 2, 4,
 * 6, lane y blocks 1, 3, 5, 7 of each eight:
 *     acc = acc r**8 + (b0, b1) r**6 + (b2, b3) r**4 + (b4, b5) r**2 + (b6, b7)
 * one carry for 100 products. Both lanes use the same power, so that a power is nine words read by
 * element and all four powers stay in registers. At the end (x r + y) r, in scalar code, gives h. The
 * h that the call began with is added to block 0. Short input and the blocks that do not fill eight go
 * through the scalar step (64-bit limbs).
 * Cost: 156 instructions an iteration; modelled cycles a byte: A55 1.56, A57 0.86, N1 0.84, N2 0.80
 * (docs/performance/aarch64.md).
 *
 * The powers are kept in p->powers (FC_POWERS_NEON) as 32-bit words in host order: for each of r**2,
 * r**4, r**6, r**8 the limbs 0-3 and 5 times the limbs 1-4 (32 bytes), then the four limbs 4.
 *
 * Registers: x0 p, x1 in, x2 blocks left, x3 padbit; the rest of the general registers: poly1305.h.
 *   v0-v4 accumulators (two 64-bit lanes)          v5-v10, v12-v15 input: words, then limbs
 *   v16-v23 limbs 0-3 and 5 limbs 1-4 of r**2, r**4, r**6, r**8   v24 their limbs 4
 *   v25 padbit * 2**24   v26 2**26 - 1 (64-bit lanes)   v27 the same (32-bit lanes)
 *   v29 = acc limbs 0, 1   v30 limbs 2, 3   v31 limb 4 (two 32-bit lanes each)
 * Bounds: powers' limbs < 2**26.4, input's < 2**26, acc's < 2**26 + 2**9: a sum of products < 2**59.
 * Clobbers: x1-x17, v0-v7, v16-v31 (what held the key or h is cleared). Stack: 64 bytes for d8-d15.
 */
#if defined(__aarch64__) || defined(_M_ARM64)
#define BUF x1 /* for poly1305.h */
#define PAD x3
#include "arch.h"
#include "poly1305.h"

#define POWERS_NEON 3 /* FC_POWERS_NEON */
#define LONG_CACHED 16 /* blocks from which vectors pay where the powers are there */
#define LONG 40        /* and where they are not */

/* acc (+)= input * power. op: umull or umlal for limb 0's products, more for the others (umlal);
 * half: nothing or 2, w: 2s or 4s (the lanes of the inputs i0-i4), pr, ps: registers of the power's
 * limbs and 5 * limbs, e: its element of v24. */
.macro products op, more, w, i0, i1, i2, i3, i4, pr, ps, e
    \op v0.2d, v\i0\().\w, v\pr\().s[0]
    \op v1.2d, v\i0\().\w, v\pr\().s[1]
    \op v2.2d, v\i0\().\w, v\pr\().s[2]
    \op v3.2d, v\i0\().\w, v\pr\().s[3]
    \op v4.2d, v\i0\().\w, v24.s[\e]
    \more v0.2d, v\i1\().\w, v\ps\().s[3]
    \more v1.2d, v\i1\().\w, v\pr\().s[0]
    \more v2.2d, v\i1\().\w, v\pr\().s[1]
    \more v3.2d, v\i1\().\w, v\pr\().s[2]
    \more v4.2d, v\i1\().\w, v\pr\().s[3]
    \more v0.2d, v\i2\().\w, v\ps\().s[2]
    \more v1.2d, v\i2\().\w, v\ps\().s[3]
    \more v2.2d, v\i2\().\w, v\pr\().s[0]
    \more v3.2d, v\i2\().\w, v\pr\().s[1]
    \more v4.2d, v\i2\().\w, v\pr\().s[2]
    \more v0.2d, v\i3\().\w, v\ps\().s[1]
    \more v1.2d, v\i3\().\w, v\ps\().s[2]
    \more v2.2d, v\i3\().\w, v\ps\().s[3]
    \more v3.2d, v\i3\().\w, v\pr\().s[0]
    \more v4.2d, v\i3\().\w, v\pr\().s[1]
    \more v0.2d, v\i4\().\w, v\ps\().s[0]
    \more v1.2d, v\i4\().\w, v\ps\().s[1]
    \more v2.2d, v\i4\().\w, v\ps\().s[2]
    \more v3.2d, v\i4\().\w, v\ps\().s[3]
    \more v4.2d, v\i4\().\w, v\pr\().s[0]
.endm

/* acc += the previous acc, packed in v29-v31, * r**8 */
.macro previous
    umlal v0.2d, v29.2s, v22.s[0]
    umlal v1.2d, v29.2s, v22.s[1]
    umlal v2.2d, v29.2s, v22.s[2]
    umlal v3.2d, v29.2s, v22.s[3]
    umlal v4.2d, v29.2s, v24.s[3]
    umlal2 v0.2d, v29.4s, v23.s[3]
    umlal2 v1.2d, v29.4s, v22.s[0]
    umlal2 v2.2d, v29.4s, v22.s[1]
    umlal2 v3.2d, v29.4s, v22.s[2]
    umlal2 v4.2d, v29.4s, v22.s[3]
    umlal v0.2d, v30.2s, v23.s[2]
    umlal v1.2d, v30.2s, v23.s[3]
    umlal v2.2d, v30.2s, v22.s[0]
    umlal v3.2d, v30.2s, v22.s[1]
    umlal v4.2d, v30.2s, v22.s[2]
    umlal2 v0.2d, v30.4s, v23.s[1]
    umlal2 v1.2d, v30.4s, v23.s[2]
    umlal2 v2.2d, v30.4s, v23.s[3]
    umlal2 v3.2d, v30.4s, v22.s[0]
    umlal2 v4.2d, v30.4s, v22.s[1]
    umlal v0.2d, v31.2s, v23.s[0]
    umlal v1.2d, v31.2s, v23.s[1]
    umlal v2.2d, v31.2s, v23.s[2]
    umlal v3.2d, v31.2s, v23.s[3]
    umlal v4.2d, v31.2s, v22.s[0]
.endm

/* Four blocks at \at: w0-w3 = their words 0-3 by lane, then limbs: 0-2 in w0-w2, 3 in l3, 4 in w3. */
.macro load_limbs at, w0, w1, w2, w3, l3
    ld4 {v\w0\().4s, v\w1\().4s, v\w2\().4s, v\w3\().4s}, [\at]
#if defined(__AARCH64EB__)
    rev32 v\w0\().16b, v\w0\().16b
    rev32 v\w1\().16b, v\w1\().16b
    rev32 v\w2\().16b, v\w2\().16b
    rev32 v\w3\().16b, v\w3\().16b
#endif
    // bits 78-103
    shl v\l3\().4s, v\w3\().4s, #18
    sri v\l3\().4s, v\w2\().4s, #14
    // bits 104-127 and the padding bit
    ushr v\w3\().4s, v\w3\().4s, #8
    // bits 52-77
    shl v\w2\().4s, v\w2\().4s, #12
    sri v\w2\().4s, v\w1\().4s, #20
    // bits 26-51
    shl v\w1\().4s, v\w1\().4s, #6
    sri v\w1\().4s, v\w0\().4s, #26
    orr v\w3\().16b, v\w3\().16b, v25.16b
    and v\l3\().16b, v\l3\().16b, v27.16b
    and v\w2\().16b, v\w2\().16b, v27.16b
    and v\w0\().16b, v\w0\().16b, v27.16b
    and v\w1\().16b, v\w1\().16b, v27.16b
.endm

/* w10-w14 = the limbs of h */
.macro limbs_of_h
    and w10, w4, #0x3ffffff
    ubfx x11, H0, #26, #26
    extr x12, H1, H0, #52
    and w12, w12, #0x3ffffff
    ubfx x13, H1, #14, #26
    extr x14, H2, H1, #40
.endm

/* (x12, x11, x10) = lane l (0, 1) of the limbs in v29-v31; l2: l + 2 */
.macro join_limbs l, l2
    umov w10, v29.s[\l]
    umov w11, v29.s[\l2]
    umov w12, v30.s[\l]
    umov w13, v30.s[\l2]
    umov w14, v31.s[\l]
    add x10, x10, x11, lsl #26
    lsl x15, x12, #52
    lsr x12, x12, #12
    add x12, x12, x13, lsl #14
    lsl x13, x14, #40
    lsr x14, x14, #24
    adds x10, x10, x15
    adcs x11, x12, x13
    adc x12, x14, xzr
.endm

fc_func fc_poly1305_blocks_neon
    mov w3, w3 // the upper half of a 32-bit argument may be anything
    cbz x2, 9f
    fc_poly_enter x0
    cmp x2, #LONG_CACHED
    b.lo 6f
    cmp x2, #LONG
    b.hs 1f
    ldr x16, [x0, #POLY_KIND]
    cmp x16, #POWERS_NEON
    b.ne 6f

    // ---- vectors
1:  stp d8, d9, [sp, #-64]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
#if !FC_COFF
    .cfi_def_cfa_offset 64
    .cfi_offset d8, -64
    .cfi_offset d9, -56
    .cfi_offset d10, -48
    .cfi_offset d11, -40
    .cfi_offset d12, -32
    .cfi_offset d13, -24
    .cfi_offset d14, -16
    .cfi_offset d15, -8
#endif
    lsl w16, w3, #24
    dup v25.4s, w16
    mvni v27.4s, #0xfc, lsl #24
    ushr v26.2d, v27.2d, #32
    ldr x16, [x0, #POLY_KIND]
    cmp x16, #POWERS_NEON
    b.eq 4f

    // the powers of r: one multiplication by r after the other, since r alone is clamped
    mov x16, #POWERS_NEON
    str x16, [x0, #POLY_KIND]
    fmov d5, H0
    fmov d6, H1
    fmov d7, H2
    mov H0, R0
    mov H1, R1
    mov H2, xzr
    add x16, x0, #POLY_POWERS
    add x17, x0, #POLY_POWERS + 128
2:  fc_poly_mul
    limbs_of_h
    stp w10, w11, [x16], #8
    stp w12, w13, [x16], #8
    str w14, [x17], #4
    add w11, w11, w11, lsl #2
    add w12, w12, w12, lsl #2
    add w13, w13, w13, lsl #2
    add w14, w14, w14, lsl #2
    stp w11, w12, [x16], #8
    stp w13, w14, [x16], #8
    add x10, x0, #POLY_POWERS + 128
    cmp x16, x10
    b.eq 3f
    fc_poly_mul
    b 2b
3:  fmov H0, d5
    fmov H1, d6
    fmov H2, d7

4:  add x16, x0, #POLY_POWERS
    ld1 {v16.4s-v19.4s}, [x16], #64
    ld1 {v20.4s-v23.4s}, [x16], #64
    ld1 {v24.4s}, [x16]
    // blocks 0-3, h added to block 0
    load_limbs x1, 5, 6, 7, 8, 9
    limbs_of_h
    fmov s29, w10
    fmov s30, w11
    fmov s31, w12
    fmov s10, w13
    fmov s11, w14
    add v5.4s, v5.4s, v29.4s
    add v6.4s, v6.4s, v30.4s
    add v7.4s, v7.4s, v31.4s
    add v9.4s, v9.4s, v10.4s
    add v8.4s, v8.4s, v11.4s
    movi v29.2d, #0
    movi v30.2d, #0
    movi v31.2d, #0

    // ---- eight blocks
5:  add x16, x1, #64
    add x17, x1, #128
    subs x2, x2, #8
    load_limbs x16, 12, 13, 14, 15, 10
    // acc = (b0, b1) r**6
    products umull, umlal, 2s, 5, 6, 7, 9, 8, 20, 21, 2
    // acc += (b2, b3) r**4
    products umlal2, umlal2, 4s, 5, 6, 7, 9, 8, 18, 19, 1
    // the next four blocks (in the last iteration these once more, for nothing)
    cmp x2, #8
    csel x1, x17, x1, hs
    load_limbs x1, 5, 6, 7, 8, 9
    // acc += (b4, b5) r**2
    products umlal, umlal, 2s, 12, 13, 14, 10, 15, 16, 17, 0
    // acc += previous acc * r**8
    previous
    // acc += (b6, b7)
    uaddw2 v0.2d, v0.2d, v12.4s
    uaddw2 v1.2d, v1.2d, v13.4s
    uaddw2 v2.2d, v2.2d, v14.4s
    uaddw2 v3.2d, v3.2d, v10.4s
    uaddw2 v4.2d, v4.2d, v15.4s
    // carry: 3 to 4 beside 0 to 1; 4 to 0 (times 5) beside 1 to 2; 0 to 1 beside 2 to 3; 3 to 4
    usra v4.2d, v3.2d, #26
    usra v1.2d, v0.2d, #26
    and v3.16b, v3.16b, v26.16b
    and v0.16b, v0.16b, v26.16b
    bic v12.16b, v4.16b, v26.16b // 2**26 c
    usra v2.2d, v1.2d, #26
    usra v0.2d, v4.2d, #26
    and v1.16b, v1.16b, v26.16b
    and v4.16b, v4.16b, v26.16b
    usra v0.2d, v12.2d, #24 // 4 c
    usra v3.2d, v2.2d, #26
    and v2.16b, v2.16b, v26.16b
    usra v1.2d, v0.2d, #26
    and v0.16b, v0.16b, v26.16b
    usra v4.2d, v3.2d, #26
    and v3.16b, v3.16b, v26.16b
    uzp1 v29.4s, v0.4s, v1.4s
    uzp1 v30.4s, v2.4s, v3.4s
    uzp1 v31.4s, v4.4s, v4.4s
    b.hs 5b

    // ---- h = (x r + y) r
    add x1, x17, #0 // behind the last eight blocks
    join_limbs 0, 2
    mov H0, x10
    mov H1, x11
    mov H2, x12
    fc_poly_mul
    join_limbs 1, 3
    adds H0, H0, x10
    adcs H1, H1, x11
    adc H2, H2, x12
    fc_poly_mul
    fc_vclear v0, v1, v2, v3, v4, v5, v6, v7, v16, v17, v18, v19, v20, v21, v22, v23, v24
    fc_vclear v25, v29, v30, v31
    ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp d8, d9, [sp], #64
#if !FC_COFF
    .cfi_def_cfa_offset 0
#endif
    cbz x2, 7f

    // ---- one block at a time
6:  fc_poly_open
8:  sub x2, x2, #1
    fc_poly_block
    cbnz x2, 8b
    fc_poly_close
7:  fc_poly_leave x0
    fc_clear x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15
9:  ret
fc_endfunc fc_poly1305_blocks_neon
#endif

#include "../fc_asm.h" /* the stack note, where this file is empty too */
