/* ChaCha20 and HChaCha20 for AArch64 with Advanced SIMD (NEON).
 *
 *   void fc_chacha20_neon(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
 *                         uint8_t *out, size_t len, unsigned rounds);
 *   void fc_hchacha20_neon(uint32_t out[8], const uint32_t state[16], unsigned rounds);
 *
 * Contract: csrc/backend.h. ISA: Armv8.0-A Advanced SIMD; either byte order.
 *
 * Shape: six blocks at a time: one in general registers, one by rows, four by lanes (chacha20.h). The last
 * 1 to 383 bytes, block 0 counted, go through one trip on the stack, as small as they allow: one block in
 * general registers, two by rows, four by lanes, five by lanes and rows.
 * Cost: 435 instructions for 64 bytes; modelled cycles a byte: A55 5.02, A57 2.65, N1 2.35, N2 2.08
 * (docs/performance/aarch64.md).
 *
 * Registers, live throughout:
 *   x19 state   x20 block0 or 0   x21 in   x22 out   x23 bytes left, block 0 counted
 *   w24 rounds  w25 rounds left   w26 block counter
 *   x27 where the trip on the stack goes, x28 its bytes, x29 where they are (0: no such trip yet)
 *   v20 rotl 8  v21 lane numbers  v24-v27 rows of the state
 * Rounds: w0-w15, v0-v15, v28-v31 words, v16-v19, v22 scratch. x16, x17 scratch.
 * Clobbers: x0-x17, v0-v7, v16-v31 (key and keystream are cleared); x18, x30 untouched.
 * Stack: 544 bytes: 384 for the trip on the stack, which are cleared, 160 for saved registers.
 */
#if defined(__aarch64__) || defined(_M_ARM64)
#include "arch.h"
#include "chacha20.h"

#define STATE x19
#define BLOCK0 x20
#define IN x21
#define OUT x22
#define LEFT x23
#define ROUNDS w24
#define COUNT w25
#define COUNTER w26
#define TAIL_OUT x27
#define TAIL_LEN x28
#define TAIL_AT x29

/* XORs the keystream of fc_sfinal into 64 bytes; the pointers move on. */
.macro xor_scalar
    ldp x1, x3, [IN], #16
    ldp x5, x7, [IN], #16
    ldp x9, x11, [IN], #16
    ldp x13, x15, [IN], #16
    fc_rev64 x0, x2, x4, x6, x8, x10, x12, x14
    eor x1, x1, x0
    eor x3, x3, x2
    eor x5, x5, x4
    eor x7, x7, x6
    eor x9, x9, x8
    eor x11, x11, x10
    eor x13, x13, x12
    eor x15, x15, x14
    stp x1, x3, [OUT], #16
    stp x5, x7, [OUT], #16
    stp x9, x11, [OUT], #16
    stp x13, x15, [OUT], #16
.endm

/* XORs the four blocks of fc_vfinal. */
.macro xor_vectors
    fc_vxor 0, 4, 8, 12, IN, OUT
    fc_vxor 1, 5, 9, 13, IN, OUT
    fc_vxor 2, 6, 10, 14, IN, OUT
    fc_vxor 3, 7, 11, 15, IN, OUT
.endm

/* Copies x0 bytes (fewer than 384) from \src to \dst, which both move on. Uses x1, x2. */
.macro copy dst, src
    subs x0, x0, #16
    b.lo 22f
21: ldp x1, x2, [\src], #16
    stp x1, x2, [\dst], #16
    subs x0, x0, #16
    b.hs 21b
22: tbz x0, #3, 23f
    ldr x1, [\src], #8
    str x1, [\dst], #8
23: tbz x0, #2, 24f
    ldr w1, [\src], #4
    str w1, [\dst], #4
24: tbz x0, #1, 25f
    ldrh w1, [\src], #2
    strh w1, [\dst], #2
25: tbz x0, #0, 26f
    ldrb w1, [\src], #1
    strb w1, [\dst], #1
26:
.endm

/* Zeros 32 bytes of scratch at each of these (v0 is 0). */
.macro zero_at at:vararg
    .irp i, \at
    stp q0, q0, [sp, #\i]
    .endr
.endm

fc_func fc_chacha20_neon
    add x6, x4, #64
    cmp x1, #0
    csel x6, x4, x6, eq
    cbnz x6, 1f
    ret
1:  fc_enter 384
    mov STATE, x0
    mov BLOCK0, x1
    mov IN, x2
    mov OUT, x3
    mov LEFT, x6
    mov ROUNDS, w5
    mov TAIL_AT, #0
    ldr COUNTER, [STATE, #48]
    cmp LEFT, #64
    b.ls 6f
    fc_vconst STATE
    cmp LEFT, #384
    b.lo 6f

    // ---- six blocks: the first in general registers, the second by rows, four by lanes
2:  fc_sinit STATE, COUNTER
    add w16, COUNTER, #1
    ins v27.s[0], w16
    fc_rinit
    fc_vinit
    mov COUNT, ROUNDS
3:  fc_double_round 1, 1, 1, 0
    subs COUNT, COUNT, #2
    b.ne 3b
    fc_sfinal STATE, COUNTER
    cbnz BLOCK0, 4f
    xor_scalar
    b 5f
4:  fc_rev64 x0, x2, x4, x6, x8, x10, x12, x14
    stp x0, x2, [BLOCK0]
    stp x4, x6, [BLOCK0, #16]
    stp x8, x10, [BLOCK0, #32]
    stp x12, x14, [BLOCK0, #48]
    mov BLOCK0, #0
5:  fc_rfinal
    fc_vxor 28, 29, 30, 31, IN, OUT
    fc_vfinal
    xor_vectors
    add COUNTER, COUNTER, #6
    sub LEFT, LEFT, #384
    cmp LEFT, #384
    b.hs 2b
    cbnz TAIL_AT, 12f
    cbz LEFT, 14f

    // ---- the last 1 to 383 bytes. What does not fill its trip exactly makes it on the stack: zeros
    // for block 0, then the input (whatever stands behind it) go through the same code in place, and
    // what belongs to the message is copied out.
6:  cbnz BLOCK0, 7f
    cmp LEFT, #64
    b.eq 10f
    cmp LEFT, #128
    b.eq 18f
    cmp LEFT, #256
    b.eq 8f
    cmp LEFT, #320
    b.eq 20f
7:  cmp LEFT, #128
    b.ne 22f
    cbnz BLOCK0, 18f
22: mov TAIL_OUT, OUT
    mov TAIL_LEN, LEFT
    mov TAIL_AT, sp
    cbz BLOCK0, 15f
    movi v0.2d, #0
    zero_at 0, 32
    sub TAIL_LEN, TAIL_LEN, #64
    cmp LEFT, #320
    b.hi 15f // the trip of six puts block 0 where it belongs by itself
    add TAIL_AT, sp, #64
15: mov x16, TAIL_AT
    mov x0, TAIL_LEN
    copy x16, IN
    mov IN, sp
    mov OUT, sp
    cmp LEFT, #64
    b.ls 10f
    cmp LEFT, #128
    b.ls 18f
    cmp LEFT, #256
    b.ls 8f
    cmp LEFT, #320
    b.ls 20f
    mov LEFT, #384
    b 2b

    // ---- up to two blocks: both by rows
18: ins v27.s[0], COUNTER
    add w16, COUNTER, #1
    fc_rinit
    mov v0.16b, v24.16b
    mov v1.16b, v25.16b
    mov v2.16b, v26.16b
    mov v3.16b, v27.16b
    ins v3.s[0], w16
    mov COUNT, ROUNDS
19: fc_rows_double_round
    subs COUNT, COUNT, #2
    b.ne 19b
    fc_rfinal
    ins v27.s[0], w16
    add v0.4s, v0.4s, v24.4s
    add v1.4s, v1.4s, v25.4s
    add v2.4s, v2.4s, v26.4s
    add v3.4s, v3.4s, v27.4s
    cbnz TAIL_AT, 23f
    cbz BLOCK0, 23f
    st1 {v28.16b-v31.16b}, [BLOCK0] // block 0 and one more: no stack
    fc_vxor 0, 1, 2, 3, IN, OUT
    b 14f
23: fc_vxor 28, 29, 30, 31, IN, OUT
    fc_vxor 0, 1, 2, 3, IN, OUT
    cbnz TAIL_AT, 12f
    b 14f

    // ---- up to five blocks: the first by rows, four by lanes
20: ins v27.s[0], COUNTER
    fc_rinit
    fc_vinit
    mov COUNT, ROUNDS
21: fc_double_round 1, 1, 0, 0
    subs COUNT, COUNT, #2
    b.ne 21b
    fc_rfinal
    fc_vxor 28, 29, 30, 31, IN, OUT
    fc_vfinal
    xor_vectors
    cbnz TAIL_AT, 12f
    b 14f

    // ---- up to four blocks: by lanes
8:  sub w16, COUNTER, #1
    ins v27.s[0], w16
    fc_vinit
    mov COUNT, ROUNDS
9:  fc_double_round 1, 0, 0, 0
    subs COUNT, COUNT, #2
    b.ne 9b
    fc_vfinal
    xor_vectors
    cbnz TAIL_AT, 12f
    b 14f

    // ---- one block: general registers alone
10: fc_sinit STATE, COUNTER
    mov COUNT, ROUNDS
11: fc_scalar_double_round
    subs COUNT, COUNT, #2
    b.ne 11b
    fc_sfinal STATE, COUNTER
    xor_scalar
    cbz TAIL_AT, 14f

    // ---- the end of a trip on the stack
12: cbz BLOCK0, 13f
    ldp x1, x2, [sp]
    ldp x3, x4, [sp, #16]
    ldp x5, x6, [sp, #32]
    ldp x7, x8, [sp, #48]
    stp x1, x2, [BLOCK0]
    stp x3, x4, [BLOCK0, #16]
    stp x5, x6, [BLOCK0, #32]
    stp x7, x8, [BLOCK0, #48]
13: mov x0, TAIL_LEN
    copy TAIL_OUT, TAIL_AT

    // ---- the end; LEFT is 0 after trips of six, else what this call did
14: movi v0.2d, #0
    sub x0, LEFT, #1
    cbz TAIL_AT, 25f // nothing went through the stack
    zero_at 0, 32
    cmp x0, #64
    b.lo 25f
    zero_at 64, 96
    cmp x0, #128
    b.lo 25f
    zero_at 128, 160, 192, 224, 256, 288, 320, 352
25: cmp x0, #64
    b.lo 17f
    fc_vclear v1, v2, v3, v4, v16, v17, v18, v19, v22, v24, v25, v26, v27, v28, v29, v30, v31
    cmp x0, #128
    b.lo 17f
    fc_vclear v5, v6, v7
17: fc_clear x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17
    fc_leave 384
    ret
fc_endfunc fc_chacha20_neon

fc_func fc_hchacha20_neon
    str x19, [sp, #-16]!
#if !FC_COFF
    .cfi_def_cfa_offset 16
    .cfi_offset x19, -16
#endif
    mov x16, x0
    mov x17, x1
    mov w19, w2
    fc_sinit x17, wzr
    ldr w12, [x17, #48]
1:  fc_scalar_double_round
    subs w19, w19, #2
    b.ne 1b
    stp w0, w1, [x16]
    stp w2, w3, [x16, #8]
    stp w12, w13, [x16, #16]
    stp w14, w15, [x16, #24]
    fc_clear x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15
    ldr x19, [sp], #16
#if !FC_COFF
    .cfi_def_cfa_offset 0
#endif
    ret
fc_endfunc fc_hchacha20_neon
#endif

#include "../fc_asm.h" /* the stack note, where this file is empty too */
