/* AArch64: the ChaCha20 rounds, shared by the stream kernel and the combined AEAD kernel.
 *
 * Four blocks stand "word by lane" in v0-v15: lane j of vi is word i of block j. One more block may
 * stand in w0-w15: wi is word i. Each step below does the four quarter rounds of a column or diagonal
 * round side by side, for the vectors where vec is 1 and for the general registers where sca is 1,
 * alternating between them.
 *
 * v16-v19 are scratch, v20 holds the byte order of a rotation by 8.
 */
#ifndef FC_AARCH64_CHACHA20_H
#define FC_AARCH64_CHACHA20_H

/* x += y, four pairs */
.macro fc_add4 vec, sca, x0, y0, x1, y1, x2, y2, x3, y3
    fc_add1 \vec, \sca, \x0, \y0
    fc_add1 \vec, \sca, \x1, \y1
    fc_add1 \vec, \sca, \x2, \y2
    fc_add1 \vec, \sca, \x3, \y3
.endm
.macro fc_add1 vec, sca, x, y
.if \vec
    add v\x\().4s, v\x\().4s, v\y\().4s
.endif
.if \sca
    add w\x, w\x, w\y
.endif
.endm

/* x ^= y, four pairs */
.macro fc_xor4 vec, sca, x0, y0, x1, y1, x2, y2, x3, y3
    fc_xor1 \vec, \sca, \x0, \x0, \y0
    fc_xor1 \vec, \sca, \x1, \x1, \y1
    fc_xor1 \vec, \sca, \x2, \x2, \y2
    fc_xor1 \vec, \sca, \x3, \x3, \y3
.endm
/* t = x ^ y: vectors put it into v\t, general registers into w\x */
.macro fc_xor1 vec, sca, t, x, y
.if \vec
    eor v\t\().16b, v\x\().16b, v\y\().16b
.endif
.if \sca
    eor w\x, w\x, w\y
.endif
.endm

/* x = rotl(x, 16) */
.macro fc_rot16 vec, sca, x0, x1, x2, x3
    fc_rot16_1 \vec, \sca, \x0
    fc_rot16_1 \vec, \sca, \x1
    fc_rot16_1 \vec, \sca, \x2
    fc_rot16_1 \vec, \sca, \x3
.endm
.macro fc_rot16_1 vec, sca, x
.if \vec
    rev32 v\x\().8h, v\x\().8h
.endif
.if \sca
    ror w\x, w\x, #16
.endif
.endm

/* x = rotl(x, 8) */
.macro fc_rot8 vec, sca, x0, x1, x2, x3
    fc_rot8_1 \vec, \sca, \x0
    fc_rot8_1 \vec, \sca, \x1
    fc_rot8_1 \vec, \sca, \x2
    fc_rot8_1 \vec, \sca, \x3
.endm
.macro fc_rot8_1 vec, sca, x
.if \vec
    tbl v\x\().16b, {v\x\().16b}, v20.16b
.endif
.if \sca
    ror w\x, w\x, #24
.endif
.endm

/* x = rotl(x ^ y, n), four pairs */
.macro fc_xorrot4 vec, sca, n, x0, y0, x1, y1, x2, y2, x3, y3
    fc_xor1 \vec, \sca, 16, \x0, \y0
    fc_xor1 \vec, \sca, 17, \x1, \y1
    fc_xor1 \vec, \sca, 18, \x2, \y2
    fc_xor1 \vec, \sca, 19, \x3, \y3
    fc_shl1 \vec, \sca, \n, 16, \x0
    fc_shl1 \vec, \sca, \n, 17, \x1
    fc_shl1 \vec, \sca, \n, 18, \x2
    fc_shl1 \vec, \sca, \n, 19, \x3
.if \vec
    sri v\x0\().4s, v16.4s, #(32 - \n)
    sri v\x1\().4s, v17.4s, #(32 - \n)
    sri v\x2\().4s, v18.4s, #(32 - \n)
    sri v\x3\().4s, v19.4s, #(32 - \n)
.endif
.endm
.macro fc_shl1 vec, sca, n, t, x
.if \vec
    shl v\x\().4s, v\t\().4s, #\n
.endif
.if \sca
    ror w\x, w\x, #(32 - \n)
.endif
.endm

/* Four quarter rounds (RFC 8439, section 2.1) with a = 0, 1, 2, 3 */
.macro fc_round vec, sca, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3
    // a += b; d = rotl(d ^ a, 16)
    fc_add4 \vec, \sca, 0, \b0, 1, \b1, 2, \b2, 3, \b3
    fc_xor4 \vec, \sca, \d0, 0, \d1, 1, \d2, 2, \d3, 3
    fc_rot16 \vec, \sca, \d0, \d1, \d2, \d3
    // c += d; b = rotl(b ^ c, 12)
    fc_add4 \vec, \sca, \c0, \d0, \c1, \d1, \c2, \d2, \c3, \d3
    fc_xorrot4 \vec, \sca, 12, \b0, \c0, \b1, \c1, \b2, \c2, \b3, \c3
    // a += b; d = rotl(d ^ a, 8)
    fc_add4 \vec, \sca, 0, \b0, 1, \b1, 2, \b2, 3, \b3
    fc_xor4 \vec, \sca, \d0, 0, \d1, 1, \d2, 2, \d3, 3
    fc_rot8 \vec, \sca, \d0, \d1, \d2, \d3
    // c += d; b = rotl(b ^ c, 7)
    fc_add4 \vec, \sca, \c0, \d0, \c1, \d1, \c2, \d2, \c3, \d3
    fc_xorrot4 \vec, \sca, 7, \b0, \c0, \b1, \c1, \b2, \c2, \b3, \c3
.endm

/* A column round, then a diagonal round */
.macro fc_double_round vec, sca
    fc_round \vec, \sca, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    fc_round \vec, \sca, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14
.endm

/* Constants for the vectors: v20 = byte order of rotl(x, 8), v21 = {0, 1, 2, 3}, v24-v27 = the rows of
 * the state at \state. Made in registers: no load from the code, no relocation. Uses x16, x17. */
.macro fc_vconst state
    movz x16, #0x0003
    movk x16, #0x0201, lsl #16
    movk x16, #0x0407, lsl #32
    movk x16, #0x0605, lsl #48
    orr x17, xzr, #0x0808080808080808
    add x17, x16, x17
    fmov d20, x16
    ins v20.d[1], x17
    movz x16, #1
    lsl x16, x16, #32
    movz x17, #2
    movk x17, #3, lsl #32
    fmov d21, x16
    ins v21.d[1], x17
    ld1 {v24.4s-v27.4s}, [\state]
.endm

/* v0-v15 = the state in each lane, word 12 plus the lane's number */
.macro fc_vinit
    dup v0.4s, v24.s[0]
    dup v4.4s, v25.s[0]
    dup v12.4s, v27.s[0]
    dup v8.4s, v26.s[0]
    dup v1.4s, v24.s[1]
    dup v5.4s, v25.s[1]
    add v12.4s, v12.4s, v21.4s
    dup v13.4s, v27.s[1]
    dup v9.4s, v26.s[1]
    dup v2.4s, v24.s[2]
    dup v6.4s, v25.s[2]
    dup v14.4s, v27.s[2]
    dup v10.4s, v26.s[2]
    dup v3.4s, v24.s[3]
    dup v7.4s, v25.s[3]
    dup v15.4s, v27.s[3]
    dup v11.4s, v26.s[3]
.endm

/* Four words by lane, va-vd, become row a of blocks 0-3, in order. */
.macro fc_transpose a, b, c, d
    trn1 v16.4s, v\a\().4s, v\b\().4s
    trn2 v17.4s, v\a\().4s, v\b\().4s
    trn1 v18.4s, v\c\().4s, v\d\().4s
    trn2 v19.4s, v\c\().4s, v\d\().4s
    trn1 v\a\().2d, v16.2d, v18.2d
    trn1 v\b\().2d, v17.2d, v19.2d
    trn2 v\c\().2d, v16.2d, v18.2d
    trn2 v\d\().2d, v17.2d, v19.2d
.endm

/* After the rounds: block j becomes v(j), v(4+j), v(8+j), v(12+j), the initial state added. */
.macro fc_vfinal
    add v12.4s, v12.4s, v21.4s
    fc_transpose 0, 1, 2, 3
    fc_transpose 4, 5, 6, 7
    fc_transpose 8, 9, 10, 11
    fc_transpose 12, 13, 14, 15
    fc_addrow 24, 0, 1, 2, 3
    fc_addrow 25, 4, 5, 6, 7
    fc_addrow 26, 8, 9, 10, 11
    fc_addrow 27, 12, 13, 14, 15
.endm
.macro fc_addrow row, a, b, c, d
    add v\a\().4s, v\a\().4s, v\row\().4s
    add v\b\().4s, v\b\().4s, v\row\().4s
    add v\c\().4s, v\c\().4s, v\row\().4s
    add v\d\().4s, v\d\().4s, v\row\().4s
.endm

/* XORs the block in va, vb, vc, vd into 64 bytes from \in to \out; both pointers move on. */
.macro fc_vxor a, b, c, d, in, out
    ld1 {v16.16b-v19.16b}, [\in], #64
    eor v16.16b, v16.16b, v\a\().16b
    eor v17.16b, v17.16b, v\b\().16b
    eor v18.16b, v18.16b, v\c\().16b
    eor v19.16b, v19.16b, v\d\().16b
    st1 {v16.16b-v19.16b}, [\out], #64
.endm

/* w0-w15 = the state, word 12 from \counter */
.macro fc_sinit state, counter
    ldp w0, w1, [\state]
    ldp w2, w3, [\state, #8]
    ldp w4, w5, [\state, #16]
    ldp w6, w7, [\state, #24]
    ldp w8, w9, [\state, #32]
    ldp w10, w11, [\state, #40]
    ldp w14, w15, [\state, #56]
    ldr w13, [\state, #52]
    mov w12, \counter
.endm

/* After the rounds: x0, x2, ..., x14 = the keystream as little-endian 64-bit words (host order).
 * Uses x16, x17. */
.macro fc_sfinal state, counter
    fc_sfinal1 0, 1, \state, 0
    fc_sfinal1 2, 3, \state, 8
    fc_sfinal1 4, 5, \state, 16
    fc_sfinal1 6, 7, \state, 24
    fc_sfinal1 8, 9, \state, 32
    fc_sfinal1 10, 11, \state, 40
    ldr w17, [\state, #52]
    add w12, w12, \counter
    add w13, w13, w17
    orr x12, x12, x13, lsl #32
    fc_sfinal1 14, 15, \state, 56
.endm
.macro fc_sfinal1 x, y, state, offset
    ldp w16, w17, [\state, #\offset]
    add w\x, w\x, w16
    add w\y, w\y, w17
    orr x\x, x\x, x\y, lsl #32
.endm

#endif
