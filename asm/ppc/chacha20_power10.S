/* ChaCha20 for POWER10.
 *
 * void fc_chacha20_power10(const uint32_t state[16], uint8_t *block0, const uint8_t *in, uint8_t *out,
 *                          size_t len, unsigned rounds);
 * Contract: csrc/backend.h. Registers, stack: chacha20.h. Clobbers r0, r3-r12, CTR, CR0, CR6, v0-v19,
 * vs0-vs13.
 *
 * POWER10 issues four vector instructions a cycle, so four blocks at a time leave half of that idle. Here are
 * eight: word i of blocks 0-3 is in v(i), of blocks 4-7 in v(16 + i). That leaves no register for the count of
 * a rotation, so in each quarter-round step one word that is not needed waits in vs4 or vs5, and
 * the count takes its place; the exclusive or that needs the word next brings it back.
 * What is left below 512 bytes goes four blocks at a time, as in chacha20_power9.S.
 *
 * vs0-vs3 the counts 16, 12, 8, 7; vs4 a word d, vs5 a word b; vs6-vs8 words of the output stage; vs9-vs11 words
 * 1, 2, 13 after the first column round; vs12, vs13 v24, v25.
 * Measured cost: docs/performance/ppc.md.
 */
#if defined(__powerpc64__)
#define UNALIGNED 1
#define REVERSED FC_LE
#define EIGHT 1
#include "chacha20.h"
#include "vsx_3_0.h"

.machine push
.machine power9 /* none of POWER10's own instructions helps */

/* Words of blocks 0-3 by their number, those of 4-7 by 16 more: x += y, in four quarter-rounds. */
.macro fc_eight_add x0, y0, x1, y1, x2, y2, x3, y3
    vadduwm \x0, \x0, \y0
    vadduwm \x1, \x1, \y1
    vadduwm \x2, \x2, \y2
    vadduwm \x3, \x3, \y3
    vadduwm 16 + \x0, 16 + \x0, 16 + \y0
    vadduwm 16 + \x1, 16 + \x1, 16 + \y1
    vadduwm 16 + \x2, 16 + \x2, 16 + \y2
    vadduwm 16 + \x3, 16 + \x3, 16 + \y3
.endm
/* x ^= y; word \from of blocks 4-7 comes from vs\wait. */
.macro fc_eight_xor from, wait, x0, y0, x1, y1, x2, y2, x3, y3
    vxor \x0, \x0, \y0
    vxor \x1, \x1, \y1
    vxor \x2, \x2, \y2
    vxor \x3, \x3, \y3
    fc_xor_from \from, \wait, \x0, \y0
    fc_xor_from \from, \wait, \x1, \y1
    fc_xor_from \from, \wait, \x2, \y2
    fc_xor_from \from, \wait, \x3, \y3
.endm
.macro fc_xor_from from, wait, x, y
    .if \x == \from
    xxlxor 48 + \x, \wait, 48 + \y
    .else
    vxor 16 + \x, 16 + \x, 16 + \y
    .endif
.endm
.macro fc_eight_rotate n, x0, x1, x2, x3
    vrlw \x0, \x0, \n
    vrlw \x1, \x1, \n
    vrlw \x2, \x2, \n
    vrlw \x3, \x3, \n
    vrlw 16 + \x0, 16 + \x0, \n
    vrlw 16 + \x1, 16 + \x1, \n
    vrlw 16 + \x2, 16 + \x2, \n
    vrlw 16 + \x3, 16 + \x3, \n
.endm
/* Word \x of blocks 4-7 goes to vs\wait, and the count in vs\count takes its place. */
.macro fc_eight_count x, wait, count
    xxlor \wait, 48 + \x, 48 + \x
    xxlor 48 + \x, \count, \count
.endm

/* Four quarter-rounds. Word \from of blocks 4-7 is in vs4 at the beginning, word d3 at the end. */
.macro fc_eight_round from, a0, b0, c0, d0, a1, b1, c1, d1, a2, b2, c2, d2, a3, b3, c3, d3
    fc_eight_add \a0, \b0, \a1, \b1, \a2, \b2, \a3, \b3
    fc_eight_count \b3, 5, 0
    fc_eight_xor \from, 4, \d0, \a0, \d1, \a1, \d2, \a2, \d3, \a3
    fc_eight_rotate 16 + \b3, \d0, \d1, \d2, \d3
    fc_eight_add \c0, \d0, \c1, \d1, \c2, \d2, \c3, \d3
    fc_eight_half \b3, 5, 4, 1, \b0, \c0, \b1, \c1, \b2, \c2, \b3, \c3, \d3
    fc_eight_add \a0, \b0, \a1, \b1, \a2, \b2, \a3, \b3
    fc_eight_half \d3, 4, 5, 2, \d0, \a0, \d1, \a1, \d2, \a2, \d3, \a3, \b3
    fc_eight_add \c0, \d0, \c1, \d1, \c2, \d2, \c3, \d3
    fc_eight_half \b3, 5, 4, 3, \b0, \c0, \b1, \c1, \b2, \c2, \b3, \c3, \d3
.endm
/* x = rotl(x ^ y, the count in vs\count): word \from comes from vs\back, word \x4 goes to vs\wait. */
.macro fc_eight_half from, back, wait, count, x0, y0, x1, y1, x2, y2, x3, y3, x4
    xxlor \wait, 48 + \x4, 48 + \x4
    fc_eight_xor \from, \back, \x0, \y0, \x1, \y1, \x2, \y2, \x3, \y3
    xxlor 48 + \x4, \count, \count
    fc_eight_rotate 16 + \x4, \x0, \x1, \x2, \x3
.endm

.macro fc_eight_begin
    xxlor 0, 32 + v16, 32 + v16
    xxlor 1, 32 + v17, 32 + v17
    xxlor 2, 32 + v18, 32 + v18
    xxlor 3, 32 + v19, 32 + v19
    fc_splat v20, v8, 1
    fc_splat v21, v8, 2
    fc_splat v22, v5, 1
    xxlor 9, 32 + v20, 32 + v20
    xxlor 10, 32 + v21, 32 + v21
    xxlor 11, 32 + v22, 32 + v22
    xxlor 12, 32 + v24, 32 + v24
    xxlor 13, 32 + v25, 32 + v25
.endm
/* What four blocks at a time expect. */
.macro fc_eight_end
    xxlor 32 + v16, 0, 0
    xxlor 32 + v17, 1, 1
    xxlor 32 + v18, 2, 2
    xxlor 32 + v19, 3, 3
    xxlor 32 + v24, 12, 12
    xxlor 32 + v25, 13, 13
    fc_vload v3, STATE_AT, r28
.endm

/* A word of START to blocks 0-3 and 4-7. */
.macro fc_eight_word i
    fc_vload \i, START_AT, 16 + \i
    fc_vload 16 + \i, START_AT, 16 + \i
.endm

/* Word + state word: four words from \i on, state words through v28-v31. */
.macro fc_eight_sum i
    fc_vload4 STATE_AT, \i / 4, v28, v29, v30, v31
    vadduwm \i, \i, v28
    vadduwm \i + 1, \i + 1, v29
    vadduwm \i + 2, \i + 2, v30
    vadduwm \i + 3, \i + 3, v31
    .if \i < 12
    vadduwm \i + 16, \i + 16, v28
    vadduwm \i + 17, \i + 17, v29
    vadduwm \i + 18, \i + 18, v30
    vadduwm \i + 19, \i + 19, v31
    .endif
.endm

/* Row \i of four blocks (chacha20.h) by way of t0-t3. */
.macro fc_eight_row i, a, b, c, d, t0, t1, t2, t3
    fc_merge_h \t0, \a, \c
    fc_merge_h \t1, \b, \d
    fc_merge_l \t2, \a, \c
    fc_merge_l \t3, \b, \d
    fc_merge_h \a, \t0, \t1
    fc_merge_l \b, \t0, \t1
    fc_merge_h \c, \t2, \t3
    fc_merge_l \d, \t2, \t3
#if !FC_LE
    xxbrw 32 + \a, 32 + \a
    xxbrw 32 + \b, 32 + \b
    xxbrw 32 + \c, 32 + \c
    xxbrw 32 + \d, 32 + \d
#endif
    fc_vrow_load IN_AT, \i, \t0, \t1, \t2, \t3
    fc_vrow_xor 0, \i, \a, \b, \c, \d, \t0, \t1, \t2, \t3
.endm

/* Eight blocks from in to out, which move on. */
.macro fc_eight_blocks
    /* the first column round */
    fc_vload v0, 0, START_AT
    fc_vload v4, START_AT, r20
    fc_vload v8, START_AT, r24
    fc_vload v12, STATE_AT, r28
    vspltisw v1, 4
    xxlor 32 + v2, 0, 0
    xxlor 32 + v3, 1, 1
    xxlor 32 + v5, 2, 2
    xxlor 32 + v6, 3, 3
    vadduwm v28, v12, v1
    vxor v12, v12, v0
    vxor v28, v28, v0
    vrlw v12, v12, v2
    vrlw v28, v28, v2
    vadduwm v24, v8, v28
    vadduwm v8, v8, v12
    vxor v20, v4, v24
    vxor v4, v4, v8
    vrlw v20, v20, v3
    vrlw v4, v4, v3
    vadduwm v16, v0, v20
    vadduwm v0, v0, v4
    vxor v28, v28, v16
    vxor v12, v12, v0
    vrlw v28, v28, v5
    vrlw v12, v12, v5
    vadduwm v24, v24, v28
    vadduwm v8, v8, v12
    vxor v20, v20, v24
    vxor v4, v4, v8
    vrlw v20, v20, v6
    vrlw v4, v4, v6
    .irp word, 3, 5, 6, 7, 9, 10, 11, 14
    fc_eight_word \word
    .endr
    fc_vload v15, START_AT, r31
    xxlor 32 + v1, 9, 9
    xxlor 32 + v17, 9, 9
    xxlor 32 + v2, 10, 10
    xxlor 32 + v18, 10, 10
    xxlor 32 + v13, 11, 11
    xxlor 32 + v29, 11, 11
    xxlor 4, 32 + v15, 32 + v15
    mtctr r8
    fc_eight_round 15, 0, 5, 10, 15, 1, 6, 11, 12, 2, 7, 8, 13, 3, 4, 9, 14
    .p2align 4
22: fc_eight_round 14, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15
    fc_eight_round 15, 0, 5, 10, 15, 1, 6, 11, 12, 2, 7, 8, 13, 3, 4, 9, 14
    bdnz 22b
    /* words 12, 13, 15 of blocks 4-7 wait, 14 does already */
    xxlor 6, 32 + v28, 32 + v28
    xxlor 7, 32 + v29, 32 + v29
    xxlor 8, 32 + v31, 32 + v31
    fc_eight_sum 0
    fc_eight_sum 4
    fc_eight_sum 8
    fc_eight_sum 12
    fc_eight_row 0, v0, v1, v2, v3, v28, v29, v30, v31
    fc_eight_row 1, v4, v5, v6, v7, v28, v29, v30, v31
    fc_eight_row 2, v8, v9, v10, v11, v28, v29, v30, v31
    fc_eight_row 3, v12, v13, v14, v15, v28, v29, v30, v31
    addi IN_AT, IN_AT, 256
    addi OUT_AT, OUT_AT, 256
    vspltisw v4, 4
    fc_vload4 STATE_AT, 3, v0, v1, v2, v3
    xxlor 32 + v28, 6, 6
    xxlor 32 + v29, 7, 7
    xxlor 32 + v30, 4, 4
    xxlor 32 + v31, 8, 8
    vadduwm v0, v0, v4
    vadduwm v29, v29, v1
    vadduwm v28, v28, v0
    vadduwm v30, v30, v2
    vadduwm v31, v31, v3
    vadduwm v0, v0, v4
    fc_vstore v0, STATE_AT, r28 /* the counters of the next eight */
    fc_eight_row 0, v16, v17, v18, v19, v0, v1, v2, v3
    fc_eight_row 1, v20, v21, v22, v23, v4, v5, v6, v7
    fc_eight_row 2, v24, v25, v26, v27, v8, v9, v10, v11
    fc_eight_row 3, v28, v29, v30, v31, v12, v13, v14, v15
    addi IN_AT, IN_AT, 256
    addi OUT_AT, OUT_AT, 256
.endm

fc_func fc_chacha20_power10
    fc_chacha20_vectors
fc_endfunc fc_chacha20_power10

.machine pop
#endif
#include "../fc_asm.h"
