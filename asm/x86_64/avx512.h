/* The steps of ChaCha20 in AVX-512, sixteen blocks wide: shared by the plain and the combined kernel.
 *
 * Lane i of zmm0-15 is block i, register i is word i. zmm16-31 are free in the rounds.
 */
#ifndef FC_X86_64_AVX512_H
#define FC_X86_64_AVX512_H

.macro fc_avx512_constants
    fc_rodata
    .p2align 6
FC_L(lanes16):                  /* counter offsets of sixteen blocks */
    .long 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    .text
.endm

/* x += y; z = rotl(z ^ x, \n) for four quarter rounds; \s0-\s2 are slices of scalar work. */
.macro wide_step x0, x1, x2, x3, y0, y1, y2, y3, z0, z1, z2, z3, n, s0, s1, s2
    vpaddd zmm\x0, zmm\x0, zmm\y0
    vpaddd zmm\x1, zmm\x1, zmm\y1
    vpaddd zmm\x2, zmm\x2, zmm\y2
    vpaddd zmm\x3, zmm\x3, zmm\y3
    \s0
    vpxord zmm\z0, zmm\z0, zmm\x0
    vpxord zmm\z1, zmm\z1, zmm\x1
    vpxord zmm\z2, zmm\z2, zmm\x2
    vpxord zmm\z3, zmm\z3, zmm\x3
    \s1
    vprold zmm\z0, zmm\z0, \n
    vprold zmm\z1, zmm\z1, \n
    vprold zmm\z2, zmm\z2, \n
    vprold zmm\z3, zmm\z3, \n
    \s2
.endm

/* Four quarter rounds on words 0-3, \b0-\b3, \c0-\c3, \d0-\d3 (RFC 8439, section 2.1). \p, \q, \r: names
 * of three Poly1305 blocks (poly1305.h), the first's next block at rsi + \at; or blank. */
.macro wide_quarters b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, at=0, p, q, r
    .ifb \p
    wide_step 0, 1, 2, 3, \b0, \b1, \b2, \b3, \d0, \d1, \d2, \d3, 16
    wide_step \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3, \b0, \b1, \b2, \b3, 12
    wide_step 0, 1, 2, 3, \b0, \b1, \b2, \b3, \d0, \d1, \d2, \d3, 8
    wide_step \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3, \b0, \b1, \b2, \b3, 7
    .else
    wide_step 0, 1, 2, 3, \b0, \b1, \b2, \b3, \d0, \d1, \d2, \d3, 16, \
        "\p\()_0 \at", "\p\()_1 \at", "\p\()_2 \at"
    wide_step \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3, \b0, \b1, \b2, \b3, 12, \
        "\p\()_3 \at", "\q\()_0 \at+16", "\q\()_1 \at+16"
    wide_step 0, 1, 2, 3, \b0, \b1, \b2, \b3, \d0, \d1, \d2, \d3, 8, \
        "\q\()_2 \at+16", "\q\()_3 \at+16", "\r\()_0 \at+32"
    wide_step \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3, \b0, \b1, \b2, \b3, 7, \
        "\r\()_1 \at+32", "\r\()_2 \at+32", "\r\()_3 \at+32"
    .endif
.endm

.macro wide_double_round
    wide_quarters 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    wide_quarters 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14
.endm
/* ... with six Poly1305 blocks, whose next blocks begin at rsi + 16 */
.macro wide_double_round_poly
    wide_quarters 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, odd, even, odd
    wide_quarters 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14, 64, even, odd, even
.endm

/* The initial states of sixteen blocks from \state, with \counter (32-bit register) as the first
 * block's. */
.macro wide_init state, counter
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15
    vpbroadcastd zmm\n, [\state + 4 * \n]
    .endr
    vpbroadcastd zmm12, \counter
    vpaddd zmm12, zmm12, [rip + FC_L(lanes16)]
.endm

/* Words \r0-\r3: a 4 by 4 transposition in each 128-bit lane. Out: \r0, \r1, \r2, \r3 hold the four
 * words of blocks 4 L, 4 L + 1, 4 L + 2 and 4 L + 3 in lane L. zmm16-17 are used. */
.macro wide_transpose_words r0, r1, r2, r3
    vpunpckldq zmm16, zmm\r0, zmm\r1
    vpunpckhdq zmm\r0, zmm\r0, zmm\r1
    vpunpckldq zmm17, zmm\r2, zmm\r3
    vpunpckhdq zmm\r2, zmm\r2, zmm\r3
    vpunpckhqdq zmm\r1, zmm16, zmm17
    vpunpckhqdq zmm\r3, zmm\r0, zmm\r2
    vpunpcklqdq zmm\r2, zmm\r0, zmm\r2
    vpunpcklqdq zmm\r0, zmm16, zmm17
.endm

/* Quarters of blocks, \r0-\r3: a 4 by 4 transposition of 128-bit lanes. Out: \r0-\r3 are the whole
 * blocks of lanes 0 to 3. zmm16-17 are used. */
.macro wide_transpose_lanes r0, r1, r2, r3
    vshufi32x4 zmm16, zmm\r0, zmm\r1, 0x44
    vshufi32x4 zmm\r0, zmm\r0, zmm\r1, 0xee
    vshufi32x4 zmm17, zmm\r2, zmm\r3, 0x44
    vshufi32x4 zmm\r2, zmm\r2, zmm\r3, 0xee
    vshufi32x4 zmm\r1, zmm16, zmm17, 0xdd
    vshufi32x4 zmm\r3, zmm\r0, zmm\r2, 0xdd
    vshufi32x4 zmm\r2, zmm\r0, zmm\r2, 0x88
    vshufi32x4 zmm\r0, zmm16, zmm17, 0x88
.endm

/* After the rounds: adds the initial state and transposes. Block 4 L + j comes out in register
 * 4 L + j's place of this list: 0, 1, 2, 3 (j = 0-3 of L = 0), then 4-7, 8-11, 12-15. */
.macro wide_finish state, counter
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15
    vpaddd zmm\n, zmm\n, dword ptr [\state + 4 * \n]{1to16}
    .endr
    vpbroadcastd zmm16, \counter
    vpaddd zmm16, zmm16, [rip + FC_L(lanes16)]
    vpaddd zmm12, zmm12, zmm16
    wide_transpose_words 0, 1, 2, 3
    wide_transpose_words 4, 5, 6, 7
    wide_transpose_words 8, 9, 10, 11
    wide_transpose_words 12, 13, 14, 15
    wide_transpose_lanes 0, 4, 8, 12    /* blocks 0, 4, 8, 12 */
    wide_transpose_lanes 1, 5, 9, 13
    wide_transpose_lanes 2, 6, 10, 14
    wide_transpose_lanes 3, 7, 11, 15
.endm

/* Zeros in zmm16-31; fc_clear_vectors does the others. */
.macro fc_clear_upper_vectors
    .irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vpxord xmm\n, xmm\n, xmm\n
    .endr
.endm

#endif
