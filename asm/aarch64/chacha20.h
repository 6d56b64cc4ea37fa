/* AArch64: the ChaCha20 rounds, shared by the stream kernel and the combined AEAD kernel.
 *
 * Three kinds of blocks can stand side by side, each done where its argument (lanes, row, sca) is 1:
 *   lanes  four blocks "word by lane" in v0-v15: lane j of vi is word i of block j;
 *   row    one block by rows in v28-v31: words 0-3, 4-7, 8-11, 12-15;
 *   sca    one block in w0-w15: wi is word i.
 * Their instructions alternate. The vectors of four blocks alone wait for each other (a round is a chain of
 * 14 operations, 2 or 3 cycles each, and has 56 of them for two units); the row fills the gaps, and the
 * integer units work in the shadow of both.
 *
 * v16-v19 are scratch of the lanes, v22 of the row; v20 holds the byte order of a rotation by 8.
 */
#ifndef FC_AARCH64_CHACHA20_H
#define FC_AARCH64_CHACHA20_H

/* x += y, four pairs */
.macro fc_add4 lanes, sca, x0, y0, x1, y1, x2, y2, x3, y3
    fc_add1 \lanes, \sca, \x0, \y0
    fc_add1 \lanes, \sca, \x1, \y1
    fc_add1 \lanes, \sca, \x2, \y2
    fc_add1 \lanes, \sca, \x3, \y3
.endm
.macro fc_add1 lanes, sca, x, y
    fc_if \lanes, add v\x\().4s, v\x\().4s, v\y\().4s
    fc_if \sca, add w\x, w\x, w\y
.endm

/* x ^= y, four pairs */
.macro fc_xor4 lanes, sca, x0, y0, x1, y1, x2, y2, x3, y3
    fc_xor1 \lanes, \sca, \x0, \x0, \y0
    fc_xor1 \lanes, \sca, \x1, \x1, \y1
    fc_xor1 \lanes, \sca, \x2, \x2, \y2
    fc_xor1 \lanes, \sca, \x3, \x3, \y3
.endm
/* x ^ y: lanes put it into v\t, the scalar block into w\x */
.macro fc_xor1 lanes, sca, t, x, y
    fc_if \lanes, eor v\t\().16b, v\x\().16b, v\y\().16b
    fc_if \sca, eor w\x, w\x, w\y
.endm

/* x = rotl(x, 16) */
.macro fc_rot16 lanes, sca, x0, x1, x2, x3
    fc_rot16_1 \lanes, \sca, \x0
    fc_rot16_1 \lanes, \sca, \x1
    fc_rot16_1 \lanes, \sca, \x2
    fc_rot16_1 \lanes, \sca, \x3
.endm
.macro fc_rot16_1 lanes, sca, x
    fc_if \lanes, rev32 v\x\().8h, v\x\().8h
    fc_if \sca, ror w\x, w\x, #16
.endm

/* x = rotl(x ^ y, 8), four pairs: two by tbl, two by shifts, since most cores can do only one of them on
 * each vector unit */
.macro fc_xorrot8 lanes, sca, x0, x1, x2, x3
    fc_xor1 \lanes, \sca, \x0, \x0, 0
    fc_xor1 \lanes, \sca, \x1, \x1, 1
    fc_xor1 \lanes, \sca, 18, \x2, 2
    fc_xor1 \lanes, \sca, 19, \x3, 3
    fc_if \lanes, tbl v\x0\().16b, {v\x0\().16b}, v20.16b
    fc_if \sca, ror w\x0, w\x0, #24
    fc_if \lanes, shl v\x2\().4s, v18.4s, #8
    fc_if \sca, ror w\x1, w\x1, #24
    fc_if \lanes, tbl v\x1\().16b, {v\x1\().16b}, v20.16b
    fc_if \sca, ror w\x2, w\x2, #24
    fc_if \lanes, shl v\x3\().4s, v19.4s, #8
    fc_if \sca, ror w\x3, w\x3, #24
    fc_if \lanes, sri v\x2\().4s, v18.4s, #24
    fc_if \lanes, sri v\x3\().4s, v19.4s, #24
.endm

/* x = rotl(x ^ y, n), four pairs */
.macro fc_xorrot4 lanes, sca, n, x0, y0, x1, y1, x2, y2, x3, y3
    fc_xor1 \lanes, \sca, 16, \x0, \y0
    fc_xor1 \lanes, \sca, 17, \x1, \y1
    fc_xor1 \lanes, \sca, 18, \x2, \y2
    fc_xor1 \lanes, \sca, 19, \x3, \y3
    fc_shl1 \lanes, \sca, \n, 16, \x0
    fc_shl1 \lanes, \sca, \n, 17, \x1
    fc_shl1 \lanes, \sca, \n, 18, \x2
    fc_shl1 \lanes, \sca, \n, 19, \x3
    fc_if \lanes, sri v\x0\().4s, v16.4s, #(32 - \n)
    fc_if \lanes, sri v\x1\().4s, v17.4s, #(32 - \n)
    fc_if \lanes, sri v\x2\().4s, v18.4s, #(32 - \n)
    fc_if \lanes, sri v\x3\().4s, v19.4s, #(32 - \n)
.endm
.macro fc_shl1 lanes, sca, n, t, x
    fc_if \lanes, shl v\x\().4s, v\t\().4s, #\n
    fc_if \sca, ror w\x, w\x, #(32 - \n)
.endm

/* Four quarter rounds (RFC 8439, section 2.1) with a = 0, 1, 2, 3; then the row's words 4-7, 8-11, 12-15
 * turn by eb, ec, ed bytes, so that its columns become diagonals or the other way round. */
.macro fc_round lanes, row, sca, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, eb, ec, ed
    // a += b; d = rotl(d ^ a, 16)
    fc_if \row, add v28.4s, v28.4s, v29.4s
    fc_add4 \lanes, \sca, 0, \b0, 1, \b1, 2, \b2, 3, \b3
    fc_if \row, eor v31.16b, v31.16b, v28.16b
    fc_xor4 \lanes, \sca, \d0, 0, \d1, 1, \d2, 2, \d3, 3
    fc_if \row, rev32 v31.8h, v31.8h
    fc_rot16 \lanes, \sca, \d0, \d1, \d2, \d3
    // c += d; b = rotl(b ^ c, 12)
    fc_if \row, add v30.4s, v30.4s, v31.4s
    fc_add4 \lanes, \sca, \c0, \d0, \c1, \d1, \c2, \d2, \c3, \d3
    fc_if \row, eor v22.16b, v29.16b, v30.16b
    fc_if \row, shl v29.4s, v22.4s, #12
    fc_xorrot4 \lanes, \sca, 12, \b0, \c0, \b1, \c1, \b2, \c2, \b3, \c3
    fc_if \row, sri v29.4s, v22.4s, #20
    // a += b; d = rotl(d ^ a, 8)
    fc_add4 \lanes, \sca, 0, \b0, 1, \b1, 2, \b2, 3, \b3
    fc_if \row, add v28.4s, v28.4s, v29.4s
    fc_if \row, eor v31.16b, v31.16b, v28.16b
    fc_xorrot8 \lanes, \sca, \d0, \d1, \d2, \d3
    fc_if \row, tbl v31.16b, {v31.16b}, v20.16b
    // c += d; b = rotl(b ^ c, 7)
    fc_add4 \lanes, \sca, \c0, \d0, \c1, \d1, \c2, \d2, \c3, \d3
    fc_if \row, add v30.4s, v30.4s, v31.4s
    fc_if \row, ext v31.16b, v31.16b, v31.16b, #\ed
    fc_if \row, eor v22.16b, v29.16b, v30.16b
    fc_if \row, ext v30.16b, v30.16b, v30.16b, #\ec
    fc_if \row, shl v29.4s, v22.4s, #7
    fc_xorrot4 \lanes, \sca, 7, \b0, \c0, \b1, \c1, \b2, \c2, \b3, \c3
    fc_if \row, sri v29.4s, v22.4s, #25
    fc_if \row, ext v29.16b, v29.16b, v29.16b, #\eb
.endm

/* A column round, then a diagonal round */
.macro fc_double_round lanes, row, sca
    fc_round \lanes, \row, \sca, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 4, 8, 12
    fc_round \lanes, \row, \sca, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14, 12, 8, 4
.endm

/* Constants for the vectors: v20 = byte order of rotl(x, 8), v21 = {0, 1, 2, 3}, v23 = {1, 0, 0, 0}, v24-v27 = the rows of
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
    lsr x16, x16, #32
    fmov s23, w16
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

/* v28-v31 = the block before the lanes' first, by rows; and after the rounds its keystream. */
.macro fc_rinit
    mov v28.16b, v24.16b
    mov v29.16b, v25.16b
    mov v30.16b, v26.16b
    sub v31.4s, v27.4s, v23.4s
.endm
.macro fc_rfinal
    add v28.4s, v28.4s, v24.4s
    add v29.4s, v29.4s, v25.4s
    add v30.4s, v30.4s, v26.4s
    add v31.4s, v31.4s, v27.4s
    sub v31.4s, v31.4s, v23.4s
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
