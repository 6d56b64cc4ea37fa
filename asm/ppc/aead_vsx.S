/* ChaCha20-Poly1305 for VSX (Power ISA 2.06: POWER7 and later), both in one pass.
 *
 * void fc_aead_vsx(const uint32_t state[16], struct fc_poly1305 *p, const uint8_t *in, uint8_t *out,
 *                  size_t len, int decrypt);
 * Contract: csrc/backend.h.
 *
 * Shape: four ChaCha20 blocks at a time in vectors, as fc_chacha20_vsx does, and between their rounds the
 * scalar Poly1305 of the 256 bytes of ciphertext that the trip before left in a buffer on the stack: a
 * block a round, in sixteen rounds of twenty. Each byte of the message is loaded once; what is authenticated is
 * the copy of what was decrypted, or of what was written. The last 64 to 192 bytes make a trip of their
 * own on the stack.
 *
 * Registers: v0-v29 chacha20.h. r17-r31 offsets (chacha20.h); r4 ciphertext to authenticate, moving; r3 the
 * same + 8 (big-endian); r5 r0, r6 1, r7 r1, r8 s1, r9-r11 h (poly1305.h). r12, r14, r15, r16, r0 are
 * Poly1305's scratch in the rounds; outside them r12 is in, r14 out, r15 START, r16 STATE, r3 the bytes left.
 * CR6 "lt": the trip on the stack; CR7 "eq": encrypt. Clobbers r0, r3-r12, CTR, CR0, CR6, CR7, XER's CA,
 * v0-v19. Measured cost: docs/performance/ppc.md.
 */
#if defined(__powerpc64__)
#define UNALIGNED 1
#define REVERSED 0
#define START_AT r15
#define STATE_AT r16
#define IN_AT r12
#define OUT_AT r14
#define PT1 r12
#define PT2 r14
#define PT3 r15
#define PT4 r16
#include "chacha20.h"
#include "poly1305.h"
#include "vsx.h"

#define TAIL (LOCALS + LOCAL_BYTES) /* 256: the last trip */
#define A_P (TAIL + 256)
#define A_IN (TAIL + 264)
#define A_OUT (TAIL + 272)
#define A_LEFT (TAIL + 280)
#define A_LAST (TAIL + 288)         /* bytes of the last trip */
#define A_LOCAL_BYTES (LOCAL_BYTES + 304)

/* A Poly1305 block of the buffer: steps 0-29 that at r4, 100-129 the one after it. */
.macro fc_scalar_step n
#if FC_LE
    .if \n == 0
    ld PT2, 0(r4)
    .elseif \n == 1
    ld PT3, 8(r4)
    .elseif \n == 100
    ld PT2, 16(r4)
    .elseif \n == 101
    ld PT3, 24(r4)
#else
    .if \n == 0
    ldbrx PT2, 0, r4
    .elseif \n == 1
    ldbrx PT3, 0, r3
    .elseif \n == 100
    ldbrx PT2, r17, r4
    .elseif \n == 101
    ldbrx PT3, r17, r3
#endif
    .elseif \n == 2 || \n == 102
    addc r9, r9, PT2
    .elseif \n == 3 || \n == 103
    adde r10, r10, PT3
    .elseif \n == 4 || \n == 104
    adde r11, r11, r6
    .elseif \n >= 100
    fc_poly_step (\n-105)
    .else
    fc_poly_step (\n-5)
    .endif
.endm

/* r4 and r3 move on by \n bytes of the buffer. */
.macro fc_buffer_next n
    addi r4, r4, \n
#if !FC_LE
    addi r3, r3, \n
#endif
.endm
.macro fc_buffer_first
    addi r4, r1, BUFFER
#if !FC_LE
    addi r3, r1, BUFFER + 8
#endif
.endm

/* \n bytes, a multiple of 16, from \from to \to, which move on; v26, CTR and r0 are lost. */
.macro fc_copy from, to, n
    srdi r0, \n, 4
    mtctr r0
98: fc_vload v26, 0, \from
    addi \from, \from, 16
    fc_vstore v26, 0, \to
    addi \to, \to, 16
    bdnz 98b
.endm

.machine push
.machine power7

fc_func fc_aead_vsx
    fc_enter A_LOCAL_BYTES, 14
    fc_save_vectors SAVED, LAST_SAVED
    cmpwi cr7, r8, 0
    cmpw cr6, r1, r1
    std r4, A_P(r1)
    std r5, A_IN(r1)
    std r6, A_OUT(r1)
    std r7, A_LEFT(r1)
    fc_vsetup
    mr r3, r4
    fc_poly_enter
    li r6, 1

    /* the first trip: no ciphertext yet */
    fc_vcolumns
    fc_vwords
    fc_vdiagonal
    fc_vload4 STATE_AT, 0, v20, v21, v22, v23
    li r0, 9
    mtctr r0
    .p2align 4
1:  fc_vrounds
    bdnz 1b
    b 4f

2:  fc_vwords
    fc_vdiagonal
    fc_vload4 STATE_AT, 0, v20, v21, v22, v23
    fc_buffer_first
    li r0, 8
    mtctr r0
    .p2align 4
3:  fc_vrounds 0, 100
    fc_buffer_next 32
    bdnz 3b
    fc_vrounds
    addi START_AT, r1, START
    addi STATE_AT, r1, STATE

4:  ld r3, A_LEFT(r1)
    ld IN_AT, A_IN(r1)
    ld OUT_AT, A_OUT(r1)
    addi r4, r1, BUFFER
    cmpldi r3, 256
    blt 8f
    addi r3, r3, -256
    std r3, A_LEFT(r1)
    li r0, 256
    std r0, A_LAST(r1)
5:  bne cr7, 6f
    fc_voutput 1
    b 7f
6:  fc_voutput 2
7:  std IN_AT, A_IN(r1)
    blt cr6, 9f
    std OUT_AT, A_OUT(r1)
    cmpldi r3, 0
    bne 2b
    b 10f

8:  /* the trip on the stack */
    std r3, A_LAST(r1)
    addi OUT_AT, r1, TAIL
    fc_copy IN_AT, OUT_AT, r3
    li r0, 0
    cmpwi cr6, r0, 1
    addi IN_AT, r1, TAIL
    addi OUT_AT, r1, TAIL
    b 5b

9:  /* its end */
    ld r0, A_LAST(r1)
    mr r3, r0
    ld OUT_AT, A_OUT(r1)
    addi IN_AT, r1, TAIL
    fc_copy IN_AT, OUT_AT, r3

10: /* what is left to authenticate */
    ld r0, A_LAST(r1)
    srdi r0, r0, 4
    mtctr r0
    fc_buffer_first
    .p2align 4
11: .irp step, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    fc_scalar_step \step
    .endr
    fc_buffer_next 16
    bdnz 11b
    ld r3, A_P(r1)
    fc_poly_leave
    addi STATE_AT, r1, STATE
    fc_vclear (SECRETS+256)
    li r0, 0
    fc_restore_vectors SAVED, LAST_SAVED
    fc_leave A_LOCAL_BYTES, 14
fc_endfunc fc_aead_vsx

.machine pop
#endif
#include "../fc_asm.h"
