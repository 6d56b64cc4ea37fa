/* The steps of ChaCha20 in AVX2, eight blocks wide: shared by the plain and the combined kernel. */
#ifndef FC_X86_64_AVX2_H
#define FC_X86_64_AVX2_H

/* Constants; each file that uses them says fc_avx2_constants once. */
.macro fc_avx2_constants
    fc_rodata
    .p2align 5
FC_L(rot16):                    /* rotl 16 of each 32-bit word, as a byte shuffle */
    .rept 2
    .byte 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13
    .endr
FC_L(rot8):
    .rept 2
    .byte 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14
    .endr
FC_L(lanes):                    /* counter offsets of eight blocks */
    .long 0, 1, 2, 3, 4, 5, 6, 7
    .text
.endm

/* ---- ChaCha20, eight blocks wide ------------------------------------------------------------------
 * Lane i of every register is block i, register i is word i, but for ymm11, which is the temporary,
 * and x9 and x11, one of which is in ymm9 and the other in memory at \spill (x9) or \spill + 32 (x11).
 * Two quarter rounds stand side by side; the pairs overlap by out-of-order execution.
 */

/* a += b; d = rotl(d ^ a, n) by byte shuffle, for two quarter rounds */
.macro wide_add_shuffle a0, b0, d0, a1, b1, d1, mask
    vpaddd \a0, \a0, \b0
    vpaddd \a1, \a1, \b1
    vpxor \d0, \d0, \a0
    vpxor \d1, \d1, \a1
    vpshufb \d0, \d0, [rip + \mask]
    vpshufb \d1, \d1, [rip + \mask]
.endm

/* c += d; b = rotl(b ^ c, n) by shifts, for two quarter rounds */
.macro wide_add_shift c0, d0, b0, c1, d1, b1, n
    vpaddd \c0, \c0, \d0
    vpaddd \c1, \c1, \d1
    vpxor \b0, \b0, \c0
    vpxor \b1, \b1, \c1
    vpslld ymm11, \b0, \n
    vpsrld \b0, \b0, 32 - \n
    vpor \b0, \b0, ymm11
    vpslld ymm11, \b1, \n
    vpsrld \b1, \b1, 32 - \n
    vpor \b1, \b1, ymm11
.endm

/* Two quarter rounds (RFC 8439, section 2.1). \poly\()_0 to \poly\()_3, expanded with \at, are macros
 * of scalar work that goes between the steps. */
.macro wide_quarters a0, b0, c0, d0, a1, b1, c1, d1, poly=none, at=0
    \poly\()_0 \at
    wide_add_shuffle \a0, \b0, \d0, \a1, \b1, \d1, FC_L(rot16)
    \poly\()_1 \at
    wide_add_shift \c0, \d0, \b0, \c1, \d1, \b1, 12
    \poly\()_2 \at
    wide_add_shuffle \a0, \b0, \d0, \a1, \b1, \d1, FC_L(rot8)
    \poly\()_3 \at
    wide_add_shift \c0, \d0, \b0, \c1, \d1, \b1, 7
.endm
.macro none_0 at
.endm
.macro none_1 at
.endm
.macro none_2 at
.endm
.macro none_3 at
.endm

/* x9 and x11 take turns in ymm9. */
.macro wide_swap from, to
    vmovdqa [\from], ymm9
    vmovdqa ymm9, [\to]
.endm

/* One column round and one diagonal round. Enters and leaves with x9 in ymm9. \p0-\p3 with \at0-\at3:
 * scalar work for the four pairs of quarter rounds. */
.macro wide_double_round spill, p0=none, at0=0, p1=none, at1=0, p2=none, at2=0, p3=none, at3=0
    wide_quarters ymm0, ymm4, ymm8, ymm12, ymm1, ymm5, ymm9, ymm13, \p0, \at0
    wide_swap \spill, \spill + 32
    wide_quarters ymm2, ymm6, ymm10, ymm14, ymm3, ymm7, ymm9, ymm15, \p1, \at1
    wide_quarters ymm0, ymm5, ymm10, ymm15, ymm1, ymm6, ymm9, ymm12, \p2, \at2
    wide_swap \spill + 32, \spill
    wide_quarters ymm2, ymm7, ymm8, ymm13, ymm3, ymm4, ymm9, ymm14, \p3, \at3
.endm

/* The initial states of eight blocks from \state, with \counter (32-bit register) as the first
 * block's. */
.macro wide_init state, counter, spill
    vpbroadcastd ymm11, [\state + 44]
    vmovdqa [\spill + 32], ymm11
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15
    vpbroadcastd ymm\n, [\state + 4 * \n]
    .endr
    vmovd xmm12, \counter
    vpbroadcastd ymm12, xmm12
    vpaddd ymm12, ymm12, [rip + FC_L(lanes)]
.endm

/* \r += word \n of the initial state; \t is a temporary */
.macro wide_add_word r, n, state, t
    vpbroadcastd \t, [\state + 4 * \n]
    vpaddd \r, \r, \t
.endm

/* The 8 by 8 transposition of words \r0-\r7 (numbers of registers) of eight blocks, with its output:
 * `\emit t, block, \at, free` is expanded for each block, t holding its 32 bytes; it may destroy t and
 * free. All ten registers are used up. */
.macro wide_transpose r0, r1, r2, r3, r4, r5, r6, r7, t0, t1, emit, at
    vpunpckhdq ymm\t0, ymm\r0, ymm\r1
    vpunpckldq ymm\r0, ymm\r0, ymm\r1
    vpunpckhdq ymm\t1, ymm\r2, ymm\r3
    vpunpckldq ymm\r2, ymm\r2, ymm\r3
    /* now words 0-3 of block i and, in the high half, of block i + 4 */
    vpunpcklqdq ymm\r1, ymm\t0, ymm\t1      /* i = 2 */
    vpunpckhqdq ymm\r3, ymm\t0, ymm\t1      /* i = 3 */
    vpunpckhqdq ymm\t0, ymm\r0, ymm\r2      /* i = 1 */
    vpunpcklqdq ymm\r0, ymm\r0, ymm\r2      /* i = 0 */
    vpunpckhdq ymm\t1, ymm\r4, ymm\r5
    vpunpckldq ymm\r4, ymm\r4, ymm\r5
    vpunpckhdq ymm\r2, ymm\r6, ymm\r7
    vpunpckldq ymm\r6, ymm\r6, ymm\r7
    /* and words 4-7 */
    vpunpcklqdq ymm\r5, ymm\t1, ymm\r2      /* i = 2 */
    vpunpckhqdq ymm\r7, ymm\t1, ymm\r2      /* i = 3 */
    vpunpckhqdq ymm\t1, ymm\r4, ymm\r6      /* i = 1 */
    vpunpcklqdq ymm\r4, ymm\r4, ymm\r6      /* i = 0 */

    vinserti128 ymm\r2, ymm\r0, xmm\r4, 1
    \emit ymm\r2, 0, \at, ymm\r6
    vinserti128 ymm\r6, ymm\t0, xmm\t1, 1
    \emit ymm\r6, 1, \at, ymm\r2
    vinserti128 ymm\r2, ymm\r1, xmm\r5, 1
    \emit ymm\r2, 2, \at, ymm\r6
    vinserti128 ymm\r6, ymm\r3, xmm\r7, 1
    \emit ymm\r6, 3, \at, ymm\r2
    vperm2i128 ymm\r0, ymm\r0, ymm\r4, 0x31
    \emit ymm\r0, 4, \at, ymm\r2
    vperm2i128 ymm\t0, ymm\t0, ymm\t1, 0x31
    \emit ymm\t0, 5, \at, ymm\r2
    vperm2i128 ymm\r1, ymm\r1, ymm\r5, 0x31
    \emit ymm\r1, 6, \at, ymm\r2
    vperm2i128 ymm\r3, ymm\r3, ymm\r7, 0x31
    \emit ymm\r3, 7, \at, ymm\r2
.endm

/* After the rounds: adds the initial state, transposes, and emits the eight blocks, first halves
 * (\emit ..., 0) before second halves (\emit ..., 32). */
.macro wide_finish state, counter, spill, emit
    vmovdqa [\spill], ymm10
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    vpbroadcastd ymm10, [\state + 4 * \n]
    vpaddd ymm\n, ymm\n, ymm10
    .endr
    wide_transpose 0, 1, 2, 3, 4, 5, 6, 7, 10, 11, \emit, 0
    vmovdqa ymm10, [\spill]
    vmovdqa ymm11, [\spill + 32]
    .irp n, 8, 9, 10, 11, 13, 14, 15
    vpbroadcastd ymm0, [\state + 4 * \n]
    vpaddd ymm\n, ymm\n, ymm0
    .endr
    vmovd xmm0, \counter
    vpbroadcastd ymm0, xmm0
    vpaddd ymm0, ymm0, [rip + FC_L(lanes)]
    vpaddd ymm12, ymm12, ymm0
    wide_transpose 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, \emit, 32
.endm

#endif
