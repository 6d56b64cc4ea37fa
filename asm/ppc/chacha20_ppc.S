/* ChaCha20 and HChaCha20, scalar, for every 32-bit and 64-bit Power core.
 *
 * void fc_chacha20_ppc(const uint32_t state[16], uint8_t *block0, const uint8_t *in, uint8_t *out,
 *                      size_t len, unsigned rounds);
 * void fc_hchacha20_ppc(uint32_t out[8], const uint32_t state[16], unsigned rounds);
 * Contract: csrc/backend.h. ISA: the base user instructions of the oldest 32-bit cores.
 *
 * Registers: r3 state, r4 counter, r5 in, r6 out, r7 len, r8 rounds / 4, r16-r31 words 0-15,
 *   r10-r12 4, 8, 12 (lwbrx has no displacement), r0, r9, r14, r15 scratch; CR7 "eq": no block 0 is
 *   (any longer) wanted. Clobbers r0, r4-r12, CTR, CR0, CR7. Stack: one frame; a last part block lies
 *   there and is cleared.
 * The four quarter-rounds of a round are interleaved step by step, so that an instruction's result is
 * used four instructions later: cores with two integer units and two cycles of latency stay busy.
 * Every load and store moves one register (multiple-word ones are microcoded, and trap when
 * little-endian). Measured cost: docs/performance/ppc.md.
 */
#if defined(__powerpc__)
#include "arch.h"

#define LAST LOCALS           /* 64: the keystream of a last part block */
#define BLOCK0 LOCALS + 64    /* block0 */
#define LOCAL_BYTES 80

/* a += b; d = rotl(d ^ a, n) in four quarter-rounds. */
.macro fc_step n, a0, b0, d0, a1, b1, d1, a2, b2, d2, a3, b3, d3
    add \a0, \a0, \b0
    add \a1, \a1, \b1
    add \a2, \a2, \b2
    add \a3, \a3, \b3
    xor \d0, \d0, \a0
    xor \d1, \d1, \a1
    xor \d2, \d2, \a2
    xor \d3, \d3, \a3
    rotlwi \d0, \d0, \n
    rotlwi \d1, \d1, \n
    rotlwi \d2, \d2, \n
    rotlwi \d3, \d3, \n
.endm

/* Four quarter-rounds (RFC 8439, section 2.1). */
.macro fc_round a0, b0, c0, d0, a1, b1, c1, d1, a2, b2, c2, d2, a3, b3, c3, d3
    fc_step 16, \a0, \b0, \d0, \a1, \b1, \d1, \a2, \b2, \d2, \a3, \b3, \d3
    fc_step 12, \c0, \d0, \b0, \c1, \d1, \b1, \c2, \d2, \b2, \c3, \d3, \b3
    fc_step 8, \a0, \b0, \d0, \a1, \b1, \d1, \a2, \b2, \d2, \a3, \b3, \d3
    fc_step 7, \c0, \d0, \b0, \c1, \d1, \b1, \c2, \d2, \b2, \c3, \d3, \b3
.endm

/* All rounds on r16-r31; r8: rounds / 4 (8, 12 and 20 are all multiples). */
.macro fc_permute
    mtctr r8
    .p2align 4
80:
    .rept 2
    fc_round r16, r20, r24, r28, r17, r21, r25, r29, r18, r22, r26, r30, r19, r23, r27, r31
    fc_round r16, r21, r26, r31, r17, r22, r27, r28, r18, r23, r24, r29, r19, r20, r25, r30
    .endr
    bdnz 80b
.endm

/* Loads words \from to \to of the state at \base. */
.macro fc_load_words base, from, to
    .set fc_reg, 16 + \from
    .rept \to - \from + 1
    lwz fc_reg, (fc_reg - 16) * 4(\base)
    .set fc_reg, fc_reg + 1
    .endr
.endm

/* Word + state word, four words from \i on. */
.macro fc_add_state i
    lwz r0, 4 * \i(r3)
    lwz r9, 4 * \i + 4(r3)
    lwz r14, 4 * \i + 8(r3)
    lwz r15, 4 * \i + 12(r3)
    add 16 + \i, 16 + \i, r0
    add 17 + \i, 17 + \i, r9
    add 18 + \i, 18 + \i, r14
    add 19 + \i, 19 + \i, r15
.endm

/* Four little-endian words to or from bytes \at to \at + 15 of \base; big-endian moves \base itself, so
 * that the same three registers serve as displacements. */
.macro fc_get4 base, at, a, b, c, d
#if FC_LE
    lwz \a, \at(\base)
    lwz \b, \at + 4(\base)
    lwz \c, \at + 8(\base)
    lwz \d, \at + 12(\base)
#else
    lwbrx \a, 0, \base
    lwbrx \b, \base, r10
    lwbrx \c, \base, r11
    lwbrx \d, \base, r12
    addi \base, \base, 16
#endif
.endm
.macro fc_put4 base, at, a, b, c, d
#if FC_LE
    stw \a, \at(\base)
    stw \b, \at + 4(\base)
    stw \c, \at + 8(\base)
    stw \d, \at + 12(\base)
#else
    stwbrx \a, 0, \base
    stwbrx \b, \base, r10
    stwbrx \c, \base, r11
    stwbrx \d, \base, r12
    addi \base, \base, 16
#endif
.endm

/* XORs 16 bytes from \at on with words \i to \i + 3. */
.macro fc_xor4 i
    fc_get4 r5, 4 * \i, r0, r9, r14, r15
    xor r0, r0, 16 + \i
    xor r9, r9, 17 + \i
    xor r14, r14, 18 + \i
    xor r15, r15, 19 + \i
    fc_put4 r6, 4 * \i, r0, r9, r14, r15
.endm

/* The 64 keystream bytes to \base, which big-endian moves. */
.macro fc_put_block base
    fc_put4 \base, 0, r16, r17, r18, r19
    fc_put4 \base, 16, r20, r21, r22, r23
    fc_put4 \base, 32, r24, r25, r26, r27
    fc_put4 \base, 48, r28, r29, r30, r31
.endm

fc_func fc_chacha20_ppc
    cmpli_w cr7, r4, 0
    cmpli_w r7, 0
    bne cr7, 1f
    beqlr
1:  fc_enter LOCAL_BYTES, 14
    st_w r4, BLOCK0(r1)
    lwz r4, 48(r3)
    srwi r8, r8, 2
    li r10, 4
    li r11, 8
    li r12, 12

2:  /* one block */
    fc_load_words r3, 0, 11
    mr r28, r4
    fc_load_words r3, 13, 15
    fc_permute
    fc_add_state 0
    fc_add_state 4
    fc_add_state 8
    lwz r0, 52(r3)
    lwz r9, 56(r3)
    lwz r14, 60(r3)
    add r28, r28, r4
    add r29, r29, r0
    add r30, r30, r9
    add r31, r31, r14
    addi r4, r4, 1
    bne cr7, 4f
    cmpli_w r7, 64
    blt 5f
    fc_xor4 0
    fc_xor4 4
    fc_xor4 8
    fc_xor4 12
#if FC_LE
    addi r5, r5, 64
    addi r6, r6, 64
#endif
    addi r7, r7, -64
    bne 2b
    b 6f

4:  /* block 0 goes out as it is; then the data, if any */
    ld_w r9, BLOCK0(r1)
    fc_put_block r9
    cmpw cr7, r9, r9
    cmpli_w r7, 0
    bne 2b
    b 6f

5:  /* a last part block: its keystream through the stack */
    addi r9, r1, LAST
    fc_put_block r9
    addi r9, r1, LAST
    fc_xor_bytes r9, r5, r6, r7, r14, r15
    fc_clear LAST, 64

6:  li r0, 0                   /* the last words */
    li r9, 0
    fc_leave LOCAL_BYTES, 14
fc_endfunc fc_chacha20_ppc

fc_func fc_hchacha20_ppc
    fc_enter 0, 14
    srwi r8, r5, 2
    fc_load_words r4, 0, 15
    fc_permute
    stw r16, 0(r3)
    stw r17, 4(r3)
    stw r18, 8(r3)
    stw r19, 12(r3)
    stw r28, 16(r3)
    stw r29, 20(r3)
    stw r30, 24(r3)
    stw r31, 28(r3)
    fc_leave 0, 14
fc_endfunc fc_hchacha20_ppc
#endif
#include "../fc_asm.h"
