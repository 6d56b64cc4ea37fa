/* ChaCha20 and HChaCha20 for Armv7-A with Advanced SIMD (NEON).
 *
 *   void fc_chacha20_neon(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
 *                         uint8_t *out, size_t len, unsigned rounds);
 *   void fc_hchacha20_neon(uint32_t out[8], const uint32_t state[16], unsigned rounds);
 *
 * Contract: csrc/backend.h. ISA: Armv7-A with Advanced SIMD (HChaCha20: none); either byte order.
 *
 * Shape: five blocks at a time, the first in general registers, four in vectors beside it. The last 1 to
 * 319 bytes, block 0 counted, go through one trip on the stack, as small as they allow: one block in
 * general registers, two by rows, four by lanes. The scalar block leaves its words on the stack and is
 * finished by vector code, which also makes it independent of the byte order.
 * Cost: 456 instructions for 64 bytes; modelled cycles a byte: A9 5.22, A57 3.43 (docs/performance/arm.md).
 *
 * Registers in the rounds: chacha20.h; every general register but sp holds a word, so all else is on the
 * stack (664 bytes: 564 laid out below, which are cleared, and 100 for saved registers).
 * Clobbers: r0-r3, r12, q0-q3, q8-q15 (key and keystream are cleared).
 */
#if defined(__arm__)
#include "arch.h"
#include "chacha20.h"

#define ROUNDS 52
#define LEFT 56     /* bytes left, block 0 counted */
#define BLOCK0 60   /* or 0 */
#define IN 64
#define OUT 68
#define TAIL_OUT 72 /* where the trip on the stack goes, */
#define TAIL_LEN 76 /* its bytes, */
#define TAIL_AT 80  /* and where they are; 0: no such trip yet */
#define STATE 96    /* 64: the state, word 12 counting */
#define WORDS 160   /* 64: the scalar block after the rounds */
#define LANES 224   /* 16: 0, 1, 2, 3 */
#define TAIL 240    /* 320 */
#define FRAME 564   /* with the saved registers a multiple of 8 */

/* Copies r0 bytes (fewer than 320) from r1 to r2, which both move on. Uses r3, q0. */
.macro copy
    subs r0, r0, #16
    blo 22f
21: vld1.8 {d0-d1}, [r1]!
    subs r0, r0, #16
    vst1.8 {d0-d1}, [r2]!
    bhs 21b
22: adds r0, r0, #16
    beq 24f
23: ldrb r3, [r1], #1
    subs r0, r0, #1
    strb r3, [r2], #1
    bne 23b
24:
.endm

/* The scalar block: r0-r12, lr = the state on the stack, as the rounds expect it; less: subtracted from
 * the counter. */
.macro scalar_init less
    ldr r8, [sp, #STATE + 40]
    ldr r9, [sp, #STATE + 44]
    add lr, sp, #STATE
    str r8, [sp, #SPILL_10]
    str r9, [sp, #SPILL_10 + 4]
    ldm lr, {r0-r9}
    add lr, lr, #48
    ldm lr, {r10-r12, lr}
    sub r10, r10, #\less
    scalar_rotate 7, 8
.endm

/* WORDS = the scalar block after the rounds, so that adding the state on the stack ends it. */
.macro scalar_store less
    scalar_rotate 25, 24
    sub r10, r10, #\less
    str r0, [sp, #WORDS]
    add r0, sp, #WORDS + 4
    stm r0!, {r1-r9}
    ldr r1, [sp, #SPILL_10]
    ldr r2, [sp, #SPILL_10 + 4]
    stm r0, {r1, r2, r10-r12, lr}
.endm

.macro scalar_rotate b, d
    ror r4, r4, #\b
    ror r5, r5, #\b
    ror r6, r6, #\b
    ror r7, r7, #\b
    ror r10, r10, #\d
    ror r11, r11, #\d
    ror r12, r12, #\d
    ror lr, lr, #\d
.endm

/* q0-q3 = the scalar block's keystream; q8-q11 scratch, r0 too. */
.macro scalar_final
    add r0, sp, #WORDS
    vld1.32 {d0-d3}, [r0]!
    vld1.32 {d4-d7}, [r0]
    add r0, sp, #STATE
    vld1.32 {d16-d19}, [r0]!
    vld1.32 {d20-d23}, [r0]
    vadd.i32 q0, q0, q8
    vadd.i32 q1, q1, q9
    vadd.i32 q2, q2, q10
    vadd.i32 q3, q3, q11
.endm

/* XORs qa-qd (da-dd1 their d registers) into 64 bytes from r1 to r2, which move on; q8-q11 scratch. */
.macro block_xor a, b, c, d, da, db1, dc, dd1
    vld1.8 {d16-d19}, [r1]!
    vld1.8 {d20-d23}, [r1]!
    veor q\a, q\a, q8
    veor q\b, q\b, q9
    veor q\c, q\c, q10
    vst1.8 {d\da-d\db1}, [r2]!
    veor q\d, q\d, q11
    vst1.8 {d\dc-d\dd1}, [r2]!
.endm

/* The vectors: the state by lane. Uses r0, r1. */
.macro vector_init
    add r0, sp, #STATE
    add r1, sp, #LANES
    vld1.32 {d0[], d1[]}, [r0]!
    vld1.32 {d2[], d3[]}, [r0]!
    vld1.32 {d4[], d5[]}, [r0]!
    vld1.32 {d6[], d7[]}, [r0]!
    vld1.32 {d8[], d9[]}, [r0]!
    vld1.32 {d10[], d11[]}, [r0]!
    vld1.32 {d12[], d13[]}, [r0]!
    vld1.32 {d14[], d15[]}, [r0]!
    vld1.32 {d16[], d17[]}, [r0]!
    vld1.32 {d18[], d19[]}, [r0]!
    vld1.32 {d20[], d21[]}, [r0]!
    vld1.32 {d22[], d23[]}, [r0]!
    vld1.32 {d30-d31}, [r1]
    vld1.32 {d24[], d25[]}, [r0]!
    vld1.32 {d26[], d27[]}, [r0]!
    vadd.i32 q12, q12, q15
    vld1.32 {d28[], d29[]}, [r0]!
    vld1.32 {d30[], d31[]}, [r0]!
.endm

/* Four words by lane (q registers a-d = d registers a0, a1, ...) become one row of blocks 0-3; the row of
 * the state, from r4 on, is added through q\t (t0, t1 its halves). */
.macro row a, b, c, d, a1, b1, c0, d0, t, t0, t1
    vtrn.32 q\a, q\b
    vtrn.32 q\c, q\d
    vld1.32 {d\t0-d\t1}, [r4]!
    vswp d\a1, d\c0
    vswp d\b1, d\d0
    vadd.i32 q\a, q\a, q\t
    vadd.i32 q\b, q\b, q\t
    vadd.i32 q\c, q\c, q\t
    vadd.i32 q\d, q\d, q\t
.endm

/* XORs row a-d of four blocks through q0-q3; r1 in, r2 out, r3 = 64, both move on by one row. */
.macro row_xor a, b, c, d
    vld1.8 {d0-d1}, [r1], r3
    vld1.8 {d2-d3}, [r1], r3
    vld1.8 {d4-d5}, [r1], r3
    vld1.8 {d6-d7}, [r1], r3
    veor q0, q0, q\a
    sub r1, r1, #240
    veor q1, q1, q\b
    vst1.8 {d0-d1}, [r2], r3
    veor q2, q2, q\c
    vst1.8 {d2-d3}, [r2], r3
    veor q3, q3, q\d
    vst1.8 {d4-d5}, [r2], r3
    vst1.8 {d6-d7}, [r2], r3
    sub r2, r2, #240
.endm

/* Ends the four blocks and XORs 256 bytes from r1 to r2, which move on. Uses r0, r3, r4. */
.macro vector_final
    add r0, sp, #LANES
    add r4, sp, #STATE
    mov r3, #64
    vst1.32 {d20-d23}, [sp]
    vld1.32 {d20-d21}, [r0]
    vadd.i32 q12, q12, q10
    row 0, 1, 2, 3, 1, 3, 4, 6, 10, 20, 21
    vld1.8 {d20-d21}, [r1], r3
    vld1.8 {d22-d23}, [r1], r3
    veor q0, q0, q10
    veor q1, q1, q11
    vld1.8 {d20-d21}, [r1], r3
    vst1.8 {d0-d1}, [r2], r3
    vld1.8 {d22-d23}, [r1], r3
    veor q2, q2, q10
    vst1.8 {d2-d3}, [r2], r3
    veor q3, q3, q11
    vld1.32 {d20-d23}, [sp]
    vst1.8 {d4-d5}, [r2], r3
    sub r1, r1, #240
    vst1.8 {d6-d7}, [r2], r3
    sub r2, r2, #240
    row 4, 5, 6, 7, 9, 11, 12, 14, 0, 0, 1
    row_xor 4, 5, 6, 7
    row 8, 9, 10, 11, 17, 19, 20, 22, 0, 0, 1
    row_xor 8, 9, 10, 11
    row 12, 13, 14, 15, 25, 27, 28, 30, 0, 0, 1
    row_xor 12, 13, 14, 15
    add r1, r1, #192
    add r2, r2, #192
.endm

fc_func fc_chacha20_neon
    ldr r12, [sp]
    cmp r1, #0
    addne r12, r12, #64
    cmp r12, #0
    bxeq lr
    fc_enter
    ldr r4, [sp, #104]
    sub sp, sp, #FRAME
    .cfi_adjust_cfa_offset FRAME
    vld1.32 {d0-d3}, [r0]!
    vld1.32 {d4-d7}, [r0]
    add r5, sp, #STATE
    mov r6, #0
    mov r7, #1
    mov r8, #2
    mov r9, #3
    str r4, [sp, #ROUNDS]
    str r12, [sp, #LEFT]
    str r1, [sp, #BLOCK0]
    str r2, [sp, #IN]
    str r3, [sp, #OUT]
    str r6, [sp, #TAIL_AT]
    vst1.32 {d0-d3}, [r5]!
    vst1.32 {d4-d7}, [r5]
    add r5, sp, #LANES
    stm r5, {r6-r9}
    cmp r12, #320
    blo 5f

    @ ---- five blocks: the first in general registers, four in vectors
2:  ldr r0, [sp, #STATE + 48]
    ldr r1, [sp, #ROUNDS]
    add r0, r0, #1
    str r1, [sp, #COUNT]
    str r0, [sp, #STATE + 48]
    vector_init
    scalar_init 1
3:  fc_double_round 1, 1
    bne 3b
    scalar_store 1
    ldr r5, [sp, #BLOCK0]
    ldr r1, [sp, #IN]
    ldr r2, [sp, #OUT]
    mov r6, r1
    mov r7, r2
    cmp r5, #0
    addeq r1, r1, #64
    addeq r2, r2, #64
    vector_final
    str r1, [sp, #IN]
    str r2, [sp, #OUT]
    scalar_final
    cmp r5, #0
    bne 4f
    mov r1, r6
    mov r2, r7
    block_xor 0, 1, 2, 3, 0, 3, 4, 7
    b 15f
4:  vst1.8 {d0-d3}, [r5]!
    mov r0, #0
    str r0, [sp, #BLOCK0]
    vst1.8 {d4-d7}, [r5]
15: ldr r0, [sp, #STATE + 48]
    ldr r12, [sp, #LEFT]
    add r0, r0, #4
    sub r12, r12, #320
    str r0, [sp, #STATE + 48]
    str r12, [sp, #LEFT]
    cmp r12, #320
    bhs 2b
    ldr r0, [sp, #TAIL_AT]
    cmp r0, #0
    bne 12f
    cmp r12, #0
    beq 14f

    @ ---- the last 1 to 319 bytes (r12). What does not fill its trip exactly makes it on the stack: zeros
    @ for block 0, then the input, go through the same code in place and are copied out.
5:  ldr r5, [sp, #BLOCK0]
    cmp r12, #128
    beq 17f
    cmp r5, #0
    bne 6f
    cmp r12, #64
    beq 10f
    cmp r12, #256
    beq 8f
6:  vmov.i32 q0, #0
    vmov.i32 q1, #0
    add r4, sp, #TAIL
    mov r2, r4
    .rept 4
    vst1.32 {d0-d3}, [r2]!
    .endr
    cmp r12, #128
    bls 20f
    .rept 6
    vst1.32 {d0-d3}, [r2]!
    .endr
20: ldr r3, [sp, #OUT]
    mov r0, r12
    mov r2, r4
    cmp r5, #0
    beq 7f
    sub r0, r0, #64
    cmp r12, #256 @ the trip of five puts block 0 where it belongs by itself
    addls r2, r2, #64
7:  str r3, [sp, #TAIL_OUT]
    str r0, [sp, #TAIL_LEN]
    str r2, [sp, #TAIL_AT]
    ldr r1, [sp, #IN]
    copy
    str r4, [sp, #IN]
    str r4, [sp, #OUT]
    cmp r12, #64
    bls 10f
    cmp r12, #128
    bls 17f
    cmp r12, #256
    bls 8f
    mov r12, #320
    str r12, [sp, #LEFT]
    b 2b

    @ ---- up to two blocks: by rows
17: add r0, sp, #STATE
    ldr r1, [sp, #STATE + 48]
    vld1.32 {d24-d27}, [r0]!
    vld1.32 {d28-d31}, [r0]
    ldr r2, [sp, #ROUNDS]
    add r1, r1, #1
    vmov q0, q12
    vmov q4, q12
    vmov q1, q13
    vmov q5, q13
    vmov q2, q14
    vmov q6, q14
    vmov q3, q15
    vmov q7, q15
    vmov.32 d14[0], r1
18: fc_rows_double_round
    subs r2, r2, #2
    bne 18b
    vadd.i32 q0, q0, q12
    vadd.i32 q1, q1, q13
    vadd.i32 q2, q2, q14
    vadd.i32 q3, q3, q15
    vmov.32 d30[0], r1
    vadd.i32 q4, q4, q12
    vadd.i32 q5, q5, q13
    vadd.i32 q6, q6, q14
    vadd.i32 q7, q7, q15
    ldr r0, [sp, #TAIL_AT]
    ldr r1, [sp, #IN]
    ldr r2, [sp, #OUT]
    cmp r0, #0
    bne 21f
    cmp r5, #0
    beq 21f
    vst1.8 {d0-d3}, [r5]! @ block 0 and one more: no stack
    vst1.8 {d4-d7}, [r5]
    b 22f
21: block_xor 0, 1, 2, 3, 0, 3, 4, 7
22: block_xor 4, 5, 6, 7, 8, 11, 12, 15
    b 16f

    @ ---- up to four blocks: by lanes
8:  ldr r1, [sp, #ROUNDS]
    str r1, [sp, #COUNT]
    vector_init
9:  fc_double_round 1, 0
    bne 9b
    ldr r1, [sp, #IN]
    ldr r2, [sp, #OUT]
    vector_final
    b 16f

    @ ---- one block: general registers alone
10: ldr r1, [sp, #ROUNDS]
    str r1, [sp, #COUNT]
    scalar_init 0
11: fc_double_round 0, 1
    bne 11b
    scalar_store 0
    scalar_final
    ldr r1, [sp, #IN]
    ldr r2, [sp, #OUT]
    block_xor 0, 1, 2, 3, 0, 3, 4, 7
16: ldr r0, [sp, #TAIL_AT]
    cmp r0, #0
    beq 14f

    @ ---- the end of a trip on the stack (TAIL_AT in r0)
12: ldr r5, [sp, #BLOCK0]
    mov r1, r0
    cmp r5, #0
    beq 13f
    add r2, sp, #TAIL
    vld1.8 {d0-d3}, [r2]!
    vld1.8 {d4-d7}, [r2]
    vst1.8 {d0-d3}, [r5]!
    vst1.8 {d4-d7}, [r5]
13: ldr r0, [sp, #TAIL_LEN]
    ldr r2, [sp, #TAIL_OUT]
    copy

    @ ---- the end; LEFT is 0 after trips of five, else what this call did. The trip's part of the stack
    @ holds something only where there was one.
14: ldr r1, [sp, #LEFT]
    ldr r2, [sp, #TAIL_AT]
    fc_qclear q0, q1, q2, q3, q8, q9, q10, q11, q12, q13, q14, q15
    sub r1, r1, #1
    mov r0, sp
    .rept TAIL / 32
    vst1.32 {d0-d3}, [r0]!
    .endr
    vst1.32 {d0-d1}, [r0]!
    cmp r2, #0
    beq 19f
    .rept 4
    vst1.32 {d0-d3}, [r0]!
    .endr
    cmp r1, #128
    blo 19f
    .rept 6
    vst1.32 {d0-d3}, [r0]!
    .endr
19: mov r1, #0
    mov r2, #0
    mov r3, #0
    mov r12, #0
    add sp, sp, #FRAME
    .cfi_adjust_cfa_offset -FRAME
    fc_leave
fc_endfunc fc_chacha20_neon

fc_func fc_hchacha20_neon
    push {r0, r4-r11, lr}
    .cfi_def_cfa_offset 40
    .cfi_offset r4, -36
    .cfi_offset r5, -32
    .cfi_offset r6, -28
    .cfi_offset r7, -24
    .cfi_offset r8, -20
    .cfi_offset r9, -16
    .cfi_offset r10, -12
    .cfi_offset r11, -8
    .cfi_offset lr, -4
    sub sp, sp, #56
    .cfi_adjust_cfa_offset 56
    mov lr, r1
    str r2, [sp, #COUNT]
    ldr r8, [lr, #40]
    ldr r9, [lr, #44]
    str r8, [sp, #SPILL_10]
    str r9, [sp, #SPILL_10 + 4]
    ldm lr, {r0-r9}
    add lr, lr, #48
    ldm lr, {r10-r12, lr}
    scalar_rotate 7, 8
1:  fc_double_round 0, 1
    bne 1b
    scalar_rotate 25, 24
    ldr r4, [sp, #56]
    stm r4, {r0-r3, r10-r12, lr}
    mov r0, #0
    mov r1, #0
    mov r2, #0
    mov r3, #0
    mov r12, #0
    str r0, [sp, #SPILL_8]
    str r0, [sp, #SPILL_8 + 4]
    str r0, [sp, #SPILL_10]
    str r0, [sp, #SPILL_10 + 4]
    add sp, sp, #60
    .cfi_adjust_cfa_offset -60
    pop {r4-r11, lr}
    bx lr
fc_endfunc fc_hchacha20_neon
#endif

#include "../fc_asm.h" /* the stack note, where this file is empty too */
