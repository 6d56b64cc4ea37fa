/* 32-bit Arm: the ChaCha20 rounds.
 *
 * Four blocks stand "word by lane": lane j of qi is word i of block j. Sixteen words fill all sixteen
 * registers; where a rotation needs scratch, two words that the step does not touch wait on the stack (32
 * bytes at sp).
 *
 * One more block stands beside them in r0-r12, lr: words 0-3 in r0-r3, 4-7 in r4-r7, 8 or 10 in r8, 9 or
 * 11 in r9 (the others on the stack), 12-15 in r10, r11, r12, lr. The rotations ride on the next
 * instruction's operand: between rounds words 4-7 stand rotated right by 7 and words 12-15 by 8
 * (b = ror(r4, 25), d = ror(r10, 24)).
 */
#ifndef FC_ARM_CHACHA20_H
#define FC_ARM_CHACHA20_H

/* the stack of the kernel, from sp on */
#define SPILL 0      /* 32: two vectors */
#define SPILL_8 32   /* scalar words 8, 9 */
#define SPILL_10 40  /* scalar words 10, 11 */
#define COUNT 48     /* rounds left */

/* Four quarter rounds (RFC 8439, section 2.1), vectors where vec is 1, scalars where sca is 1. b0-d3:
 * numbers of q registers (a: q0-q3); B0-D3: general registers (a: r0-r3, c: r8, r9); words 8, 9 or 10, 11
 * go to from and the others come from to half-way. count 1: counts COUNT down (flags) through r8. The
 * scalars do two quarter rounds and then the other two. */
.macro fc_round vec, sca, count, from, to, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, B0, B1, B2, B3, D0, D1, D2, D3
    @ a += b
    fc_if \vec, vadd.i32 q2, q2, q\b2
    fc_if \sca, add r0, r0, \B0, ror #25
    fc_if \vec, vadd.i32 q3, q3, q\b3
    fc_if \vec, vadd.i32 q0, q0, q\b0
    fc_if \sca, add r1, r1, \B1, ror #25
    fc_if \vec, vadd.i32 q1, q1, q\b1
    @ d = rotl(d ^ a, 16)
    fc_if \vec, veor q\d2, q\d2, q2
    fc_if \sca, eor \D0, r0, \D0, ror #24
    fc_if \vec, veor q\d3, q\d3, q3
    fc_if \sca, eor \D1, r1, \D1, ror #24
    fc_if \vec, veor q\d0, q\d0, q0
    fc_if \vec, veor q\d1, q\d1, q1
    fc_if \sca, add r8, r8, \D0, ror #16
    fc_if \vec, vrev32.16 q\d2, q\d2
    fc_if \vec, vrev32.16 q\d3, q\d3
    fc_if \sca, add r9, r9, \D1, ror #16
    fc_if \vec, vrev32.16 q\d0, q\d0
    fc_if \vec, vrev32.16 q\d1, q\d1
    fc_if \sca, eor \B0, r8, \B0, ror #25
    @ c += d, words 0 and 1 make room
    fc_if \vec, vst1.32 {d0-d3}, [sp]
    fc_if \sca, eor \B1, r9, \B1, ror #25
    fc_if \vec, vadd.i32 q\c2, q\c2, q\d2
    fc_if \vec, vadd.i32 q\c3, q\c3, q\d3
    fc_if \sca, add r0, r0, \B0, ror #20
    fc_if \vec, vadd.i32 q\c0, q\c0, q\d0
    fc_if \vec, vadd.i32 q\c1, q\c1, q\d1
    fc_if \sca, add r1, r1, \B1, ror #20
    @ b = rotl(b ^ c, 12)
    fc_if \vec, veor q0, q\b2, q\c2
    fc_if \sca, eor \D0, r0, \D0, ror #16
    fc_if \vec, veor q1, q\b3, q\c3
    fc_if \vec, vshl.i32 q\b2, q0, #12
    fc_if \sca, eor \D1, r1, \D1, ror #16
    fc_if \vec, vshl.i32 q\b3, q1, #12
    fc_if \vec, vsri.32 q\b2, q0, #20
    fc_if \sca, add r8, r8, \D0, ror #24
    fc_if \vec, vsri.32 q\b3, q1, #20
    fc_if \sca, add r9, r9, \D1, ror #24
    fc_if \vec, veor q0, q\b0, q\c0
    fc_if \vec, veor q1, q\b1, q\c1
    fc_if \sca, eor \B0, r8, \B0, ror #20
    fc_if \vec, vshl.i32 q\b0, q0, #12
    fc_if \vec, vshl.i32 q\b1, q1, #12
    fc_if \sca, eor \B1, r9, \B1, ror #20
    fc_if \vec, vsri.32 q\b0, q0, #20
    fc_if \sca, str r8, [sp, #\from]
    fc_if \vec, vsri.32 q\b1, q1, #20
    fc_if \vec, vld1.32 {d0-d3}, [sp]
    fc_if \sca, str r9, [sp, #\from + 4]
    @ a += b
    fc_if \vec, vadd.i32 q2, q2, q\b2
    fc_if \vec, vadd.i32 q3, q3, q\b3
    fc_if \count, ldr r8, [sp, #COUNT]
    fc_if \vec, vadd.i32 q0, q0, q\b0
    fc_if \sca, ldr r9, [sp, #\to + 4]
    fc_if \vec, vadd.i32 q1, q1, q\b1
    @ d = rotl(d ^ a, 8), words 8 and 9 make room
    fc_if \vec, vst1.32 {d16-d19}, [sp]
    fc_if \count, subs r8, r8, #2
    fc_if \vec, veor q8, q\d2, q2
    fc_if \vec, veor q9, q\d3, q3
    fc_if \count, str r8, [sp, #COUNT]
    fc_if \vec, vshl.i32 q\d2, q8, #8
    fc_if \vec, vshl.i32 q\d3, q9, #8
    fc_if \sca, ldr r8, [sp, #\to]
    fc_if \vec, vsri.32 q\d2, q8, #24
    fc_if \sca, add r2, r2, \B2, ror #25
    fc_if \vec, vsri.32 q\d3, q9, #24
    fc_if \vec, veor q8, q\d0, q0
    fc_if \sca, add r3, r3, \B3, ror #25
    fc_if \vec, veor q9, q\d1, q1
    fc_if \vec, vshl.i32 q\d0, q8, #8
    fc_if \sca, eor \D2, r2, \D2, ror #24
    fc_if \vec, vshl.i32 q\d1, q9, #8
    fc_if \sca, eor \D3, r3, \D3, ror #24
    fc_if \vec, vsri.32 q\d0, q8, #24
    fc_if \vec, vsri.32 q\d1, q9, #24
    fc_if \sca, add r8, r8, \D2, ror #16
    fc_if \vec, vld1.32 {d16-d19}, [sp]
    @ c += d, words 0 and 1 make room
    fc_if \vec, vst1.32 {d0-d3}, [sp]
    fc_if \sca, add r9, r9, \D3, ror #16
    fc_if \vec, vadd.i32 q\c2, q\c2, q\d2
    fc_if \sca, eor \B2, r8, \B2, ror #25
    fc_if \vec, vadd.i32 q\c3, q\c3, q\d3
    fc_if \vec, vadd.i32 q\c0, q\c0, q\d0
    fc_if \sca, eor \B3, r9, \B3, ror #25
    fc_if \vec, vadd.i32 q\c1, q\c1, q\d1
    @ b = rotl(b ^ c, 7)
    fc_if \vec, veor q0, q\b2, q\c2
    fc_if \sca, add r2, r2, \B2, ror #20
    fc_if \vec, veor q1, q\b3, q\c3
    fc_if \vec, vshl.i32 q\b2, q0, #7
    fc_if \sca, add r3, r3, \B3, ror #20
    fc_if \vec, vshl.i32 q\b3, q1, #7
    fc_if \sca, eor \D2, r2, \D2, ror #16
    fc_if \vec, vsri.32 q\b2, q0, #25
    fc_if \vec, vsri.32 q\b3, q1, #25
    fc_if \sca, eor \D3, r3, \D3, ror #16
    fc_if \vec, veor q0, q\b0, q\c0
    fc_if \vec, veor q1, q\b1, q\c1
    fc_if \sca, add r8, r8, \D2, ror #24
    fc_if \vec, vshl.i32 q\b0, q0, #7
    fc_if \sca, add r9, r9, \D3, ror #24
    fc_if \vec, vshl.i32 q\b1, q1, #7
    fc_if \vec, vsri.32 q\b0, q0, #25
    fc_if \sca, eor \B2, r8, \B2, ror #20
    fc_if \vec, vsri.32 q\b1, q1, #25
    fc_if \vec, vld1.32 {d0-d3}, [sp]
    fc_if \sca, eor \B3, r9, \B3, ror #20
.endm

/* A column round, then a diagonal round; counts COUNT down (flags; through r8). */
.macro fc_double_round vec, sca
    fc_round \vec, \sca, 0, SPILL_8, SPILL_10, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, r4, r5, r6, r7, r10, r11, r12, lr
    fc_round \vec, \sca, 1, SPILL_10, SPILL_8, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14, r5, r6, r7, r4, lr, r10, r11, r12
.endm

/* Two blocks by rows, q0-q3 and q4-q7 (words 0-3, 4-7, 8-11, 12-15); q8, q9 scratch. At the end of a round
 * rows 0, 2, 3 turn by ea, ec, 2 words, so that columns become diagonals or the other way round (row 1,
 * which is ready last and needed first, stays). */
.macro fc_rows_double_round
    fc_rows_round 3, 1
    fc_rows_round 1, 3
.endm
.macro fc_rows_round ea, ec
    @ a += b, d = rotl(d ^ a, 16)
    vadd.i32 q0, q0, q1
    vadd.i32 q4, q4, q5
    veor q3, q3, q0
    veor q7, q7, q4
    vrev32.16 q3, q3
    vrev32.16 q7, q7
    @ c += d, b = rotl(b ^ c, 12)
    vadd.i32 q2, q2, q3
    vadd.i32 q6, q6, q7
    veor q8, q1, q2
    veor q9, q5, q6
    vshl.i32 q1, q8, #12
    vshl.i32 q5, q9, #12
    vsri.32 q1, q8, #20
    vsri.32 q5, q9, #20
    @ a += b, d = rotl(d ^ a, 8)
    vadd.i32 q0, q0, q1
    vadd.i32 q4, q4, q5
    veor q8, q3, q0
    veor q9, q7, q4
    vshl.i32 q3, q8, #8
    vshl.i32 q7, q9, #8
    vsri.32 q3, q8, #24
    vsri.32 q7, q9, #24
    @ c += d, b = rotl(b ^ c, 7); the rows turn
    vadd.i32 q2, q2, q3
    vadd.i32 q6, q6, q7
    vext.32 q0, q0, q0, #\ea
    veor q8, q1, q2
    veor q9, q5, q6
    vext.32 q4, q4, q4, #\ea
    vshl.i32 q1, q8, #7
    vshl.i32 q5, q9, #7
    vext.32 q3, q3, q3, #2
    vsri.32 q1, q8, #25
    vsri.32 q5, q9, #25
    vext.32 q7, q7, q7, #2
    vext.32 q2, q2, q2, #\ec
    vext.32 q6, q6, q6, #\ec
.endm

#endif
