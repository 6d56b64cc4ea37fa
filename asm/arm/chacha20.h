/* 32-bit Arm: the ChaCha20 rounds.
 *
 * Four blocks stand "word by lane": lane j of qi is word i of block j. Sixteen words fill all sixteen
 * registers, so two quarter rounds are done at a time: the two words 8-11 that they do not need wait on
 * the stack (32 bytes at sp) and lend their registers as scratch. A round ends with words 8, 9 or, every
 * second time, 10, 11 in registers, which are those that the next one begins with.
 *
 * One more block stands beside them in r0-r12, lr: words 0-3 in r0-r3, 4-7 in r4-r7, 8 or 10 in r8, 9 or
 * 11 in r9, 12-15 in r10, r11, r12, lr. The rotations ride on the next instruction's operand: between
 * rounds words 4-7 stand rotated right by 7 and words 12-15 by 8 (b = ror(r4, 25), d = ror(r10, 24)).
 */
#ifndef FC_ARM_CHACHA20_H
#define FC_ARM_CHACHA20_H

/* the stack of the kernel, from sp on */
#define SPILL 0      /* 32: two vectors of words 8-11 */
#define SPILL_8 32   /* scalar words 8, 9 */
#define SPILL_10 40  /* scalar words 10, 11 */
#define COUNT 48     /* rounds left */

/* Two quarter rounds (RFC 8439, section 2.1), vectors where vec is 1, scalars where sca is 1.
 * a-d: numbers of q registers, t0, t1 scratch; A, B, D: general registers (C: r8, r9). */
.macro fc_two vec, sca, a0, b0, c0, d0, a1, b1, c1, d1, t0, t1, A0, B0, D0, A1, B1, D1
    @ a += b
    fc_if \vec, vadd.i32 q\a0, q\a0, q\b0
    fc_if \sca, add \A0, \A0, \B0, ror #25
    fc_if \vec, vadd.i32 q\a1, q\a1, q\b1
    fc_if \sca, add \A1, \A1, \B1, ror #25
    @ d = rotl(d ^ a, 16)
    fc_if \vec, veor q\d0, q\d0, q\a0
    fc_if \sca, eor \D0, \A0, \D0, ror #24
    fc_if \vec, veor q\d1, q\d1, q\a1
    fc_if \sca, eor \D1, \A1, \D1, ror #24
    fc_if \vec, vrev32.16 q\d0, q\d0
    fc_if \vec, vrev32.16 q\d1, q\d1
    @ c += d
    fc_if \vec, vadd.i32 q\c0, q\c0, q\d0
    fc_if \sca, add r8, r8, \D0, ror #16
    fc_if \vec, vadd.i32 q\c1, q\c1, q\d1
    fc_if \sca, add r9, r9, \D1, ror #16
    @ b = rotl(b ^ c, 12)
    fc_if \vec, veor q\t0, q\b0, q\c0
    fc_if \sca, eor \B0, r8, \B0, ror #25
    fc_if \vec, veor q\t1, q\b1, q\c1
    fc_if \sca, eor \B1, r9, \B1, ror #25
    fc_if \vec, vshl.i32 q\b0, q\t0, #12
    fc_if \vec, vshl.i32 q\b1, q\t1, #12
    fc_if \vec, vsri.32 q\b0, q\t0, #20
    fc_if \vec, vsri.32 q\b1, q\t1, #20
    @ a += b
    fc_if \vec, vadd.i32 q\a0, q\a0, q\b0
    fc_if \sca, add \A0, \A0, \B0, ror #20
    fc_if \vec, vadd.i32 q\a1, q\a1, q\b1
    fc_if \sca, add \A1, \A1, \B1, ror #20
    @ d = rotl(d ^ a, 8)
    fc_if \vec, veor q\t0, q\d0, q\a0
    fc_if \sca, eor \D0, \A0, \D0, ror #16
    fc_if \vec, veor q\t1, q\d1, q\a1
    fc_if \sca, eor \D1, \A1, \D1, ror #16
    fc_if \vec, vshl.i32 q\d0, q\t0, #8
    fc_if \vec, vshl.i32 q\d1, q\t1, #8
    fc_if \vec, vsri.32 q\d0, q\t0, #24
    fc_if \vec, vsri.32 q\d1, q\t1, #24
    @ c += d
    fc_if \vec, vadd.i32 q\c0, q\c0, q\d0
    fc_if \sca, add r8, r8, \D0, ror #24
    fc_if \vec, vadd.i32 q\c1, q\c1, q\d1
    fc_if \sca, add r9, r9, \D1, ror #24
    @ b = rotl(b ^ c, 7)
    fc_if \vec, veor q\t0, q\b0, q\c0
    fc_if \sca, eor \B0, r8, \B0, ror #20
    fc_if \vec, veor q\t1, q\b1, q\c1
    fc_if \sca, eor \B1, r9, \B1, ror #20
    fc_if \vec, vshl.i32 q\b0, q\t0, #7
    fc_if \vec, vshl.i32 q\b1, q\t1, #7
    fc_if \vec, vsri.32 q\b0, q\t0, #25
    fc_if \vec, vsri.32 q\b1, q\t1, #25
.endm

/* A column round, then a diagonal round; counts COUNT down (flags; without scalars through r8). */
.macro fc_double_round vec, sca
    fc_two \vec, \sca, 0, 4, 8, 12, 1, 5, 9, 13, 10, 11, r0, r4, r10, r1, r5, r11
    fc_if \vec, vld1.32 {d20-d23}, [sp]
    fc_if \sca, str r8, [sp, #SPILL_8]
    fc_if \sca, str r9, [sp, #SPILL_8 + 4]
    fc_if \vec, vst1.32 {d16-d19}, [sp]
    fc_if \sca, ldr r8, [sp, #SPILL_10]
    fc_if \sca, ldr r9, [sp, #SPILL_10 + 4]
    fc_two \vec, \sca, 2, 6, 10, 14, 3, 7, 11, 15, 8, 9, r2, r6, r12, r3, r7, lr
    fc_two \vec, \sca, 0, 5, 10, 15, 1, 6, 11, 12, 8, 9, r0, r5, lr, r1, r6, r10
    fc_if \vec, vld1.32 {d16-d19}, [sp]
    fc_if \sca, str r8, [sp, #SPILL_10]
    ldr r8, [sp, #COUNT]
    fc_if \sca, str r9, [sp, #SPILL_10 + 4]
    fc_if \vec, vst1.32 {d20-d23}, [sp]
    subs r8, r8, #2
    fc_if \sca, ldr r9, [sp, #SPILL_8 + 4]
    str r8, [sp, #COUNT]
    fc_if \sca, ldr r8, [sp, #SPILL_8]
    fc_two \vec, \sca, 2, 7, 8, 13, 3, 4, 9, 14, 10, 11, r2, r7, r11, r3, r4, r12
.endm

#endif
