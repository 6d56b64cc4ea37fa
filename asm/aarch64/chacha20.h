/* AArch64: the ChaCha20 rounds, shared by the stream kernel and the combined AEAD kernel.
 *
 * Four kinds of work can stand side by side, each done where its argument is 1:
 *   lanes  four blocks "word by lane" in v0-v15: lane j of vi is word i of block j;
 *   row    one block by rows in v28-v31: words 0-3, 4-7, 8-11, 12-15;
 *   sca    one block in w0-w15: wi is word i;
 *   poly   one Poly1305 block (poly1305.h), its instructions in the same order.
 * The order of their instructions serves cores in order and out of order. A wide core executes what is
 * ready, so the lanes' quarter rounds drift apart on purpose: in step, all four want the one unit that
 * shifts at the same time (N2: a tenth of a round). A core in order waits for operands and, in its model, for
 * earlier results to be written, so that operations of one latency stand together (A55: exclusive or 1
 * cycle, additions and shl 2, rev32, tbl, sri, ext and multiplications 4) and integer instructions fill the
 * second issue slot. It was found by search with llvm-mca 22's A55 and N2 in mind. Modelled cycles of a
 * double round, six blocks / five with poly: A55 162 / 160, A57 96 / 95, N1 81 / 74, N2 74 / 74. Lost: four
 * quarter rounds in step (222 / 206, 94 / 94, 82 / 82, 82 / 82); 2 and 3 five steps behind 0 and 1
 * (222 / 236, 96 / 97, 81 / 76, 73 / 73).
 *
 * v16-v19 are scratch of the lanes, v22 of the row; v20 holds the byte order of a rotation by 8.
 */
#ifndef FC_AARCH64_CHACHA20_H
#define FC_AARCH64_CHACHA20_H

/* Four quarter rounds (RFC 8439, section 2.1) with a = 0, 1, 2, 3. At the end the row's words 0-3, 8-11,
 * 12-15 turn by ea, ec, ed bytes, so that its columns become diagonals or the other way round (words 4-7,
 * which are ready last and needed first, stay). */
.macro fc_round lanes, row, sca, poly, at, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, ea, ec, ed
    fc_if \poly, fc_poly_load [BUF, #\at]
    fc_if \sca, add w1, w1, w\b1
    fc_if \row, add v28.4s, v28.4s, v29.4s
    fc_if \sca, eor w\d1, w\d1, w1
    fc_if \lanes, add v1.4s, v1.4s, v\b1\().4s // 1: a += b
    fc_if \sca, add w2, w2, w\b2
    fc_if \poly, fc_poly_step 1
    fc_if \sca, eor w\d2, w\d2, w2
    fc_if \sca, add w3, w3, w\b3
    fc_if \lanes, add v3.4s, v3.4s, v\b3\().4s // 3: a += b
    fc_if \lanes, eor v\d1\().16b, v\d1\().16b, v1.16b // 1: d ^= a
    fc_if \sca, add w0, w0, w\b0
    fc_if \lanes, add v0.4s, v0.4s, v\b0\().4s // 0: a += b
    fc_if \sca, ror w\d2, w\d2, #16
    fc_if \poly, fc_poly_step 2
    fc_if \sca, ror w\d1, w\d1, #16
    fc_if \sca, eor w\d0, w\d0, w0
    fc_if \lanes, add v2.4s, v2.4s, v\b2\().4s // 2: a += b
    fc_if \lanes, eor v\d3\().16b, v\d3\().16b, v3.16b // 3: d ^= a
    fc_if \row, eor v31.16b, v31.16b, v28.16b
    fc_if \poly, fc_poly_step 3
    fc_if \lanes, eor v\d0\().16b, v\d0\().16b, v0.16b // 0: d ^= a
    fc_if \lanes, eor v\d2\().16b, v\d2\().16b, v2.16b // 2: d ^= a
    fc_if \sca, ror w\d0, w\d0, #16
    fc_if \poly, fc_poly_step 4
    fc_if \row, rev32 v31.8h, v31.8h
    fc_if \lanes, rev32 v\d1\().8h, v\d1\().8h // 1: d = rotl(d, 16)
    fc_if \lanes, rev32 v\d0\().8h, v\d0\().8h // 0: d = rotl(d, 16)
    fc_if \poly, fc_poly_step 5
    fc_if \sca, add w\c1, w\c1, w\d1
    fc_if \row, add v30.4s, v30.4s, v31.4s
    fc_if \sca, eor w\d3, w\d3, w3
    fc_if \lanes, add v\c1\().4s, v\c1\().4s, v\d1\().4s // 1: c += d
    fc_if \row, eor v22.16b, v29.16b, v30.16b
    fc_if \sca, add w\c0, w\c0, w\d0
    fc_if \poly, fc_poly_step 6
    fc_if \lanes, rev32 v\d3\().8h, v\d3\().8h // 3: d = rotl(d, 16)
    fc_if \sca, eor w\b0, w\b0, w\c0
    fc_if \sca, ror w\d3, w\d3, #16
    fc_if \lanes, add v\c0\().4s, v\c0\().4s, v\d0\().4s // 0: c += d
    fc_if \row, shl v29.4s, v22.4s, #12
    fc_if \lanes, eor v17.16b, v\b1\().16b, v\c1\().16b // 1: b ^= c
    fc_if \poly, fc_poly_step 7
    fc_if \sca, add w\c2, w\c2, w\d2
    fc_if \row, sri v29.4s, v22.4s, #20
    fc_if \sca, add w\c3, w\c3, w\d3
    fc_if \poly, fc_poly_step 8
    fc_if \sca, eor w\b2, w\b2, w\c2
    fc_if \lanes, add v\c3\().4s, v\c3\().4s, v\d3\().4s // 3: c += d
    fc_if \lanes, shl v\b1\().4s, v17.4s, #12 // 1: b = rotl(b, 12)
    fc_if \lanes, eor v16.16b, v\b0\().16b, v\c0\().16b // 0: b ^= c
    fc_if \poly, fc_poly_step 9
    fc_if \sca, eor w\b3, w\b3, w\c3
    fc_if \row, add v28.4s, v28.4s, v29.4s
    fc_if \sca, eor w\b1, w\b1, w\c1
    fc_if \lanes, shl v\b0\().4s, v16.4s, #12 // 0: b = rotl(b, 12)
    fc_if \sca, ror w\b2, w\b2, #20
    fc_if \lanes, rev32 v\d2\().8h, v\d2\().8h // 2: d = rotl(d, 16)
    fc_if \poly, fc_poly_step 10
    fc_if \lanes, sri v\b1\().4s, v17.4s, #20
    fc_if \poly, fc_poly_step 11
    fc_if \lanes, sri v\b0\().4s, v16.4s, #20
    fc_if \sca, ror w\b3, w\b3, #20
    fc_if \poly, fc_poly_step 12
    fc_if \poly, fc_poly_step 13
    fc_if \sca, ror w\b0, w\b0, #20
    fc_if \lanes, add v\c2\().4s, v\c2\().4s, v\d2\().4s // 2: c += d
    fc_if \row, eor v31.16b, v31.16b, v28.16b
    fc_if \sca, add w2, w2, w\b2
    fc_if \lanes, add v1.4s, v1.4s, v\b1\().4s // 1: a += b
    fc_if \lanes, eor v19.16b, v\b3\().16b, v\c3\().16b // 3: b ^= c
    fc_if \sca, eor w\d2, w\d2, w2
    fc_if \lanes, add v0.4s, v0.4s, v\b0\().4s // 0: a += b
    fc_if \lanes, eor v18.16b, v\b2\().16b, v\c2\().16b // 2: b ^= c
    fc_if \sca, add w0, w0, w\b0
    fc_if \lanes, shl v\b2\().4s, v18.4s, #12 // 2: b = rotl(b, 12)
    fc_if \lanes, eor v\d1\().16b, v\d1\().16b, v1.16b // 1: d ^= a
    fc_if \lanes, shl v\b3\().4s, v19.4s, #12 // 3: b = rotl(b, 12)
    fc_if \lanes, eor v\d0\().16b, v\d0\().16b, v0.16b // 0: d ^= a
    fc_if \poly, fc_poly_step 14
    fc_if \sca, ror w\b1, w\b1, #20
    fc_if \row, tbl v31.16b, {v31.16b}, v20.16b
    fc_if \row, ext v28.16b, v28.16b, v28.16b, #\ea
    fc_if \poly, fc_poly_step 15
    fc_if \lanes, sri v\b3\().4s, v19.4s, #20
    fc_if \poly, fc_poly_step 16
    fc_if \lanes, tbl v\d0\().16b, {v\d0\().16b}, v20.16b // 0: d = rotl(d, 8)
    fc_if \poly, fc_poly_step 17
    fc_if \lanes, tbl v\d1\().16b, {v\d1\().16b}, v20.16b // 1: d = rotl(d, 8)
    fc_if \poly, fc_poly_step 18
    fc_if \lanes, sri v\b2\().4s, v18.4s, #20
    fc_if \sca, add w3, w3, w\b3
    fc_if \sca, eor w\d0, w\d0, w0
    fc_if \poly, fc_poly_step 19
    fc_if \lanes, add v\c0\().4s, v\c0\().4s, v\d0\().4s // 0: c += d
    fc_if \sca, eor w\d3, w\d3, w3
    fc_if \lanes, add v3.4s, v3.4s, v\b3\().4s // 3: a += b
    fc_if \lanes, eor v16.16b, v\b0\().16b, v\c0\().16b // 0: b ^= c
    fc_if \sca, add w1, w1, w\b1
    fc_if \poly, fc_poly_step 20
    fc_if \row, add v30.4s, v30.4s, v31.4s
    fc_if \lanes, add v2.4s, v2.4s, v\b2\().4s // 2: a += b
    fc_if \lanes, eor v\d3\().16b, v\d3\().16b, v3.16b // 3: d ^= a
    fc_if \sca, ror w\d3, w\d3, #24
    fc_if \sca, ror w\d2, w\d2, #24
    fc_if \sca, ror w\d0, w\d0, #24
    fc_if \lanes, add v\c1\().4s, v\c1\().4s, v\d1\().4s // 1: c += d
    fc_if \lanes, shl v\b0\().4s, v16.4s, #7 // 0: b = rotl(b, 7)
    fc_if \lanes, eor v\d2\().16b, v\d2\().16b, v2.16b // 2: d ^= a
    fc_if \lanes, eor v17.16b, v\b1\().16b, v\c1\().16b // 1: b ^= c
    fc_if \sca, add w\c3, w\c3, w\d3
    fc_if \poly, fc_poly_step 21
    fc_if \sca, eor w\b3, w\b3, w\c3
    fc_if \sca, eor w\d1, w\d1, w1
    fc_if \lanes, tbl v\d2\().16b, {v\d2\().16b}, v20.16b // 2: d = rotl(d, 8)
    fc_if \row, ext v31.16b, v31.16b, v31.16b, #\ed
    fc_if \lanes, tbl v\d3\().16b, {v\d3\().16b}, v20.16b // 3: d = rotl(d, 8)
    fc_if \lanes, sri v\b0\().4s, v16.4s, #25
    fc_if \poly, fc_poly_step 22
    fc_if \sca, ror w\b3, w\b3, #25
    fc_if \sca, ror w\d1, w\d1, #24
    fc_if \poly, fc_poly_step 23
    fc_if \lanes, add v\c2\().4s, v\c2\().4s, v\d2\().4s // 2: c += d
    fc_if \lanes, shl v\b1\().4s, v17.4s, #7 // 1: b = rotl(b, 7)
    fc_if \row, eor v22.16b, v29.16b, v30.16b
    fc_if \sca, add w\c2, w\c2, w\d2
    fc_if \sca, add w\c1, w\c1, w\d1
    fc_if \sca, add w\c0, w\c0, w\d0
    fc_if \row, ext v30.16b, v30.16b, v30.16b, #\ec
    fc_if \sca, eor w\b1, w\b1, w\c1
    fc_if \poly, fc_poly_step 24
    fc_if \sca, eor w\b0, w\b0, w\c0
    fc_if \lanes, add v\c3\().4s, v\c3\().4s, v\d3\().4s // 3: c += d
    fc_if \lanes, eor v18.16b, v\b2\().16b, v\c2\().16b // 2: b ^= c
    fc_if \lanes, eor v19.16b, v\b3\().16b, v\c3\().16b // 3: b ^= c
    fc_if \sca, eor w\b2, w\b2, w\c2
    fc_if \poly, fc_poly_step 25
    fc_if \lanes, shl v\b2\().4s, v18.4s, #7 // 2: b = rotl(b, 7)
    fc_if \sca, ror w\b0, w\b0, #25
    fc_if \poly, fc_poly_step 26
    fc_if \row, shl v29.4s, v22.4s, #7
    fc_if \lanes, shl v\b3\().4s, v19.4s, #7 // 3: b = rotl(b, 7)
    fc_if \poly, fc_poly_step 27
    fc_if \lanes, sri v\b1\().4s, v17.4s, #25
    fc_if \sca, ror w\b2, w\b2, #25
    fc_if \sca, ror w\b1, w\b1, #25
    fc_if \row, sri v29.4s, v22.4s, #25
    fc_if \lanes, sri v\b2\().4s, v18.4s, #25
    fc_if \lanes, sri v\b3\().4s, v19.4s, #25
.endm

/* A column round, then a diagonal round */
.macro fc_double_round lanes, row, sca, poly
    fc_round \lanes, \row, \sca, \poly, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 12, 4, 8
    fc_round \lanes, \row, \sca, \poly, 16, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14, 4, 12, 8
    fc_if \poly, add BUF, BUF, #32
.endm

/* One block in w0-w15, alone: the four quarter rounds in step. */
.macro fc_scalar_double_round
    fc_scalar_round 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    fc_scalar_round 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14
.endm
.macro fc_scalar_round b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3
    fc_scalar_step 0, 1, 2, 3, \b0, \b1, \b2, \b3, \d0, \d1, \d2, \d3, 16
    fc_scalar_step \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3, \b0, \b1, \b2, \b3, 12
    fc_scalar_step 0, 1, 2, 3, \b0, \b1, \b2, \b3, \d0, \d1, \d2, \d3, 8
    fc_scalar_step \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3, \b0, \b1, \b2, \b3, 7
.endm
/* x += y; z = rotl(z ^ x, n) in each quarter round */
.macro fc_scalar_step x0, x1, x2, x3, y0, y1, y2, y3, z0, z1, z2, z3, n
    add w\x0, w\x0, w\y0
    add w\x1, w\x1, w\y1
    add w\x2, w\x2, w\y2
    add w\x3, w\x3, w\y3
    eor w\z0, w\z0, w\x0
    eor w\z1, w\z1, w\x1
    eor w\z2, w\z2, w\x2
    eor w\z3, w\z3, w\x3
    ror w\z0, w\z0, #32 - \n
    ror w\z1, w\z1, #32 - \n
    ror w\z2, w\z2, #32 - \n
    ror w\z3, w\z3, #32 - \n
.endm

/* Two blocks by rows, v28-v31 and v0-v3, alone; ea, ec, ed as for fc_round. v22, v4 scratch. */
.macro fc_rows_double_round
    fc_rows_round 12, 4, 8
    fc_rows_round 4, 12, 8
.endm
.macro fc_rows_round ea, ec, ed
    // a += b, d = rotl(d ^ a, 16)
    add v28.4s, v28.4s, v29.4s
    add v0.4s, v0.4s, v1.4s
    eor v31.16b, v31.16b, v28.16b
    eor v3.16b, v3.16b, v0.16b
    rev32 v31.8h, v31.8h
    rev32 v3.8h, v3.8h
    // c += d, b = rotl(b ^ c, 12)
    add v30.4s, v30.4s, v31.4s
    add v2.4s, v2.4s, v3.4s
    eor v22.16b, v29.16b, v30.16b
    eor v4.16b, v1.16b, v2.16b
    shl v29.4s, v22.4s, #12
    shl v1.4s, v4.4s, #12
    sri v29.4s, v22.4s, #20
    sri v1.4s, v4.4s, #20
    // a += b, d = rotl(d ^ a, 8)
    add v28.4s, v28.4s, v29.4s
    add v0.4s, v0.4s, v1.4s
    eor v31.16b, v31.16b, v28.16b
    eor v3.16b, v3.16b, v0.16b
    tbl v31.16b, {v31.16b}, v20.16b
    tbl v3.16b, {v3.16b}, v20.16b
    // c += d, b = rotl(b ^ c, 7); the rows turn
    ext v28.16b, v28.16b, v28.16b, #\ea
    ext v0.16b, v0.16b, v0.16b, #\ea
    add v30.4s, v30.4s, v31.4s
    add v2.4s, v2.4s, v3.4s
    eor v22.16b, v29.16b, v30.16b
    eor v4.16b, v1.16b, v2.16b
    shl v29.4s, v22.4s, #7
    shl v1.4s, v4.4s, #7
    sri v29.4s, v22.4s, #25
    sri v1.4s, v4.4s, #25
    ext v31.16b, v31.16b, v31.16b, #\ed
    ext v3.16b, v3.16b, v3.16b, #\ed
    ext v30.16b, v30.16b, v30.16b, #\ec
    ext v2.16b, v2.16b, v2.16b, #\ec
.endm

/* Constants for the vectors: v20 = byte order of rotl(x, 8), v21 = {1, 2, 3, 4}, v24-v27 = the rows of the
 * state at \state. Made in registers: no load from the code, no relocation. Uses x16, x17. */
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
    movk x16, #2, lsl #32
    movz x17, #3
    movk x17, #4, lsl #32
    fmov d21, x16
    ins v21.d[1], x17
    ld1 {v24.4s-v27.4s}, [\state]
.endm

/* v0-v15 = the state in each lane, word 12 plus the lane's number (from 1 on) */
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

/* v28-v31 = the block of v24-v27, by rows (the one before the lanes' first); and after the rounds its
 * keystream. */
.macro fc_rinit
    mov v28.16b, v24.16b
    mov v29.16b, v25.16b
    mov v30.16b, v26.16b
    mov v31.16b, v27.16b
.endm
.macro fc_rfinal
    add v28.4s, v28.4s, v24.4s
    add v29.4s, v29.4s, v25.4s
    add v30.4s, v30.4s, v26.4s
    add v31.4s, v31.4s, v27.4s
.endm

/* After the rounds: block j becomes v(j), v(4+j), v(8+j), v(12+j), the initial state added. */
.macro fc_vfinal
    fc_transpose 0, 1, 2, 3
    add v12.4s, v12.4s, v21.4s
    fc_addrow 24, 0, 1, 2, 3
    fc_transpose 4, 5, 6, 7
    fc_addrow 25, 4, 5, 6, 7
    fc_transpose 8, 9, 10, 11
    fc_addrow 26, 8, 9, 10, 11
    fc_transpose 12, 13, 14, 15
    fc_addrow 27, 12, 13, 14, 15
.endm
.macro fc_addrow row, a, b, c, d
    add v\a\().4s, v\a\().4s, v\row\().4s
    add v\b\().4s, v\b\().4s, v\row\().4s
    add v\c\().4s, v\c\().4s, v\row\().4s
    add v\d\().4s, v\d\().4s, v\row\().4s
.endm

/* XORs the block in va, vb, vc, vd into 64 bytes from \in to \out; both pointers move on. What stands at
 * \in is loaded once; keep_in, keep_out 1: the bytes before or after go to \copy too, which moves on. */
.macro fc_vxor a, b, c, d, in, out, keep_in=0, keep_out=0, copy=sp
    ld1 {v16.16b-v19.16b}, [\in], #64
    fc_if \keep_in, st1 {v16.16b-v19.16b}, [\copy], #64
    eor v16.16b, v16.16b, v\a\().16b
    eor v17.16b, v17.16b, v\b\().16b
    eor v18.16b, v18.16b, v\c\().16b
    eor v19.16b, v19.16b, v\d\().16b
    st1 {v16.16b-v19.16b}, [\out], #64
    fc_if \keep_out, st1 {v16.16b-v19.16b}, [\copy], #64
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
