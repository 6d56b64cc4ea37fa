/* ChaCha20 in vectors, for every Power ISA that has them: four blocks, lane j of vector i is word i of
 * block j.
 *
 * A file that includes this one defines, as assembler macros:
 *   fc_vload v, a, b     v = the 16 bytes at a + b, as four words in memory order, of which lane 0 is the
 *   fc_vstore v, a, b    first; the words' bytes are the host's;
 * and as numbers
 *   EIGHT                defined: fc_eight_blocks exists (chacha20_power10.S)
 *   UNALIGNED            1: fc_vload and fc_vstore take any address; 0: multiples of 16 only
 *   REVERSED             1: lane 0 is the one that instructions number 3 (vectors that are loaded whole,
 *                        in little-endian mode)
 *
 * Only word 12 differs between blocks. So of the first column round three quarter-rounds, and of the
 * diagonal round after it what depends on them alone, are the same for all blocks of a call: they are done
 * once, and each four blocks begin behind them.
 *
 * Registers: v0-v15 words 0-15; v16-v19 rotation counts 16, 12, 8, 7; v20-v23, v26-v29 scratch; v24,
 * v25 the two halves of the transposition that ends in little-endian words (big-endian only); r3 the table START, r4
 * block0, r5 in, r6 out, r7 len, r8 rounds / 2 - 1, r10 the table STATE, r17-r31 16, 32, ..., 240; r0, r9,
 * r11, r12, r16 scratch.
 */
#ifndef FC_PPC_CHACHA20_H
#define FC_PPC_CHACHA20_H

#include "arch.h"

#ifndef START_AT
#define START_AT r3
#define STATE_AT r10
#define IN_AT r5
#define OUT_AT r6
#endif

/* In the two tables a word stands in all four lanes, but for word 12, of which STATE has that of each
 * lane's block, and START nothing. */
#define SAVED LOCALS          /* 208: v20-v31, VRSAVE */
#define STATE (LOCALS + 208)  /* 256: the sixteen words of the state */
#define START (LOCALS + 464)  /* 256: the same where a group of four blocks begins */
#define BUFFER (LOCALS + 720) /* 256: keystream or, in the combined kernel, ciphertext of four blocks */
#define LOCAL_BYTES 976
#ifdef EIGHT
#define LAST_SAVED 31
#else
#define LAST_SAVED 29
#endif
#define SECRETS 768           /* from STATE on */

/* d = lane i of s four times; lane i of d = lane i + 1 of s, cyclic; d = a0 b0 a1 b1; d = a2 b2 a3 b3. */
#if REVERSED
.macro fc_splat d, s, i
    vspltw \d, \s, 3 - \i
.endm
.macro fc_next d, s
    vsldoi \d, \s, \s, 12
.endm
.macro fc_merge_h d, a, b
    vmrglw \d, \b, \a
.endm
.macro fc_merge_l d, a, b
    vmrghw \d, \b, \a
.endm
#else
.macro fc_splat d, s, i
    vspltw \d, \s, \i
.endm
.macro fc_next d, s
    vsldoi \d, \s, \s, 4
.endm
.macro fc_merge_h d, a, b
    vmrghw \d, \a, \b
.endm
.macro fc_merge_l d, a, b
    vmrglw \d, \a, \b
.endm
#endif

/* Step \n of what a combined kernel does in scalars between the vectors; none if it is negative. */
.macro fc_slot n
    .if \n >= 0
    fc_scalar_step \n
    .endif
.endm

/* a += b; d = rotl(d ^ a, the count in \n) in four quarter-rounds, each in four blocks; between them scalar
 * steps p to p + 7. */
.macro fc_vstep n, a0, b0, d0, a1, b1, d1, a2, b2, d2, a3, b3, d3, p=-99
    vadduwm \a0, \a0, \b0
    vadduwm \a1, \a1, \b1
    fc_slot (\p)
    vadduwm \a2, \a2, \b2
    fc_slot (\p+1)
    vadduwm \a3, \a3, \b3
    vxor \d0, \d0, \a0
    fc_slot (\p+2)
    vxor \d1, \d1, \a1
    fc_slot (\p+3)
    vxor \d2, \d2, \a2
    vxor \d3, \d3, \a3
    fc_slot (\p+4)
    vrlw \d0, \d0, \n
    fc_slot (\p+5)
    vrlw \d1, \d1, \n
    vrlw \d2, \d2, \n
    fc_slot (\p+6)
    vrlw \d3, \d3, \n
    fc_slot (\p+7)
.endm

/* Four quarter-rounds (RFC 8439, section 2.1), and scalar steps p to p + 31. */
.macro fc_vround a0, b0, c0, d0, a1, b1, c1, d1, a2, b2, c2, d2, a3, b3, c3, d3, p=-99
    fc_vstep v16, \a0, \b0, \d0, \a1, \b1, \d1, \a2, \b2, \d2, \a3, \b3, \d3, (\p)
    fc_vstep v17, \c0, \d0, \b0, \c1, \d1, \b1, \c2, \d2, \b2, \c3, \d3, \b3, (\p+8)
    fc_vstep v18, \a0, \b0, \d0, \a1, \b1, \d1, \a2, \b2, \d2, \a3, \b3, \d3, (\p+16)
    fc_vstep v19, \c0, \d0, \b0, \c1, \d1, \b1, \c2, \d2, \b2, \c3, \d3, \b3, (\p+24)
.endm

/* Two rounds, a column and a diagonal one, and scalar steps p to p + 31 and q to q + 31. */
.macro fc_vrounds p=-99, q=-99
    fc_vround v0, v4, v8, v12, v1, v5, v9, v13, v2, v6, v10, v14, v3, v7, v11, v15, \p
    fc_vround v0, v5, v10, v15, v1, v6, v11, v12, v2, v7, v8, v13, v3, v4, v9, v14, \q
.endm

/* What is left of the first column round (see above): one chain of dependent steps. The quarter-round is
 * done in v0, v1 (b), v2 (c), v3 (d: the counters), and ends in v0, v4, v8, v12. */
.macro fc_vcolumn step
    .if \step == 0
    fc_vload v0, 0, START_AT
    fc_vload v1, START_AT, r20
    fc_vload v2, START_AT, r24
    .elseif \step == 1
    vxor v3, v3, v0
    .elseif \step == 2
    vrlw v3, v3, v16
    .elseif \step == 3
    vadduwm v2, v2, v3
    .elseif \step == 4
    vxor v1, v1, v2
    .elseif \step == 5
    vrlw v1, v1, v17
    .elseif \step == 6
    vadduwm v0, v0, v1
    .elseif \step == 7
    vxor v3, v3, v0
    .elseif \step == 8
    vrlw v12, v3, v18
    .elseif \step == 9
    vadduwm v8, v2, v12
    .elseif \step == 10
    vxor v1, v1, v8
    .else
    vrlw v4, v1, v19
    .endif
.endm

.macro fc_vcolumns
    .irp step, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    fc_vcolumn \step
    .endr
.endm

/* The words that a group of four blocks begins with, but for those of fc_vcolumn. */
.macro fc_vwords
    fc_vload v1, START_AT, r17
    fc_vload v5, START_AT, r21
    fc_vload v6, START_AT, r22
    fc_vload v3, START_AT, r19
    fc_vload v15, START_AT, r31
    fc_vload v14, START_AT, r30
    fc_vload v10, START_AT, r26
    fc_vload v11, START_AT, r27
    fc_vload v2, START_AT, r18
    fc_vload v7, START_AT, r23
    fc_vload v13, START_AT, r29
    fc_vload v9, START_AT, r25
.endm

/* The first diagonal round. */
.macro fc_vdiagonal
    vadduwm v0, v0, v5
    vxor v12, v12, v1
    vadduwm v3, v3, v4
    vxor v15, v15, v0
    vrlw v12, v12, v16
    vxor v14, v14, v3
    vrlw v15, v15, v16
    vrlw v14, v14, v16
    fc_vstep v17, v10, v15, v5, v11, v12, v6, v8, v13, v7, v9, v14, v4
    fc_vstep v18, v0, v5, v15, v1, v6, v12, v2, v7, v13, v3, v4, v14
    fc_vstep v19, v10, v15, v5, v11, v12, v6, v8, v13, v7, v9, v14, v4
.endm

/* \op (fc_vload, fc_vstore): vectors \at, \at + \step, ... of those at \base to \a-\d, or from there. The
 * offsets are in r17 and up. */
.macro fc_four op, base, at, step, a, b, c, d
    .if \at == 0
    \op \a, 0, \base
    .else
    \op \a, \base, 16 + \at
    .endif
    \op \b, \base, 16 + \at + \step
    \op \c, \base, 16 + \at + 2 * \step
    \op \d, \base, 16 + \at + 3 * \step
.endm
/* Words 4 \i to 4 \i + 3 of a table. */
.macro fc_vload4 base, i, a, b, c, d
    fc_four fc_vload, \base, 4*\i, 1, \a, \b, \c, \d
.endm
.macro fc_vstore4 base, i, a, b, c, d
    fc_four fc_vstore, \base, 4*\i, 1, \a, \b, \c, \d
.endm
/* Row \i of four blocks. */
.macro fc_vrow_load base, i, t0, t1, t2, t3
    fc_four fc_vload, \base, \i, 4, \t0, \t1, \t2, \t3
.endm
.macro fc_vrow_store base, i, a, b, c, d
    fc_four fc_vstore, \base, \i, 4, \a, \b, \c, \d
.endm

/* Row \i of four blocks, words 4 \i to 4 \i + 3, passes through these stages; t0-t3 are either v20-v23 or
 * v26-v29, so that two rows can be on their way. fc_vload4 brings the state words to t0-t3. */
/* Word + state word, and the first half of the transposition. */
.macro fc_vturn_1 a, b, c, d, t0, t1, t2, t3
    vadduwm \a, \a, \t0
    vadduwm \b, \b, \t1
    vadduwm \c, \c, \t2
    vadduwm \d, \d, \t3
    fc_merge_h \t0, \a, \c
    fc_merge_h \t1, \b, \d
    fc_merge_l \t2, \a, \c
    fc_merge_l \t3, \b, \d
.endm
/* The second: a-d become bytes 16 \i to 16 \i + 15 of the keystream of blocks 0, 1, 2, 3. */
.macro fc_vturn_2 a, b, c, d, t0, t1, t2, t3
#if FC_LE
    fc_merge_h \a, \t0, \t1
    fc_merge_l \b, \t0, \t1
    fc_merge_h \c, \t2, \t3
    fc_merge_l \d, \t2, \t3
#else
    vperm \a, \t0, \t1, v24
    vperm \b, \t0, \t1, v25
    vperm \c, \t2, \t3, v24
    vperm \d, \t2, \t3, v25
#endif
.endm
/* XORed to out; \keep: fc_voutput. */
.macro fc_vrow_xor keep, i, a, b, c, d, t0, t1, t2, t3
    .if \keep == 2
    fc_vrow_store r4, \i, \t0, \t1, \t2, \t3
    .endif
    vxor \a, \a, \t0
    vxor \b, \b, \t1
    vxor \c, \c, \t2
    vxor \d, \d, \t3
    fc_vrow_store OUT_AT, \i, \a, \b, \c, \d
    .if \keep == 1
    fc_vrow_store r4, \i, \a, \b, \c, \d
    .endif
.endm
/* A row to the buffer at r9; with the state words of row \i. */
.macro fc_vrow_keep i, a, b, c, d
    .if \i > 0 /* those of row 0 are there already */
    fc_vload4 STATE_AT, \i, v20, v21, v22, v23
    .endif
    fc_vturn_1 \a, \b, \c, \d, v20, v21, v22, v23
    fc_vturn_2 \a, \b, \c, \d, v20, v21, v22, v23
    fc_vrow_store r9, \i, \a, \b, \c, \d
.endm

/* The counters of the next four blocks, in v3; v0 is lost. */
.macro fc_vcount
    fc_vload v3, STATE_AT, r28
    vspltisw v0, 4
    vadduwm v3, v3, v0
    fc_vstore v3, STATE_AT, r28
.endm

/* Words 4 \i to 4 \i + 3 of a table, each lane 0, 1, 2, 3 of the given vectors. */
.macro fc_vtable base, i, a, b, c, d
    fc_splat v20, \a, 0
    fc_splat v21, \b, 1
    fc_splat v22, \c, 2
    fc_splat v23, \d, 3
    fc_vstore4 \base, \i, v20, v21, v22, v23
.endm

/* The offsets, the counts, and the two tables from the state at r3; v3 the counters. r9, r11, r12 are scratch. */
.macro fc_vsetup
    .set fc_v, 17
    .rept 15
    li fc_v, 16 * (fc_v - 16)
    .set fc_v, fc_v + 1
    .endr
    /* v0-v3 the rows of the state */
#if UNALIGNED
    fc_vload4 r3, 0, v0, v1, v2, v3
    addi STATE_AT, r1, STATE
    addi START_AT, r1, START
#else
    addi STATE_AT, r1, STATE
    .set fc_at, 0
    .rept 8
    lwz r11, fc_at(r3)
    lwz r12, fc_at + 4(r3)
    stw r11, fc_at(STATE_AT)
    stw r12, fc_at + 4(STATE_AT)
    .set fc_at, fc_at + 8
    .endr
    addi START_AT, r1, START
    fc_vload4 STATE_AT, 0, v0, v1, v2, v3
#endif
    addi r9, r1, BUFFER
    /* STATE; lanes 0-3 of the counter: + 0, 1, 2, 3 */
    li r11, 0
    li r12, 1
    stw r11, 0(r9)
    stw r12, 4(r9)
    li r11, 2
    li r12, 3
    stw r11, 8(r9)
    stw r12, 12(r9)
    fc_vload v4, 0, r9
    fc_vtable STATE_AT, 0, v0, v0, v0, v0
    fc_vtable STATE_AT, 1, v1, v1, v1, v1
    fc_vtable STATE_AT, 2, v2, v2, v2, v2
    fc_vtable STATE_AT, 3, v3, v3, v3, v3
    vadduwm v20, v20, v4
    fc_vstore v20, STATE_AT, r28
    /* START, from the first column round in rows */
    vspltisw v16, -16          /* the low five bits count */
    vspltisw v17, 12
    vspltisw v18, 8
    vspltisw v19, 7
    vadduwm v4, v0, v1
    vxor v5, v3, v4
    vrlw v5, v5, v16
    vadduwm v6, v2, v5
    vxor v7, v1, v6
    vrlw v7, v7, v17
    vadduwm v8, v4, v7
    vxor v5, v5, v8
    vrlw v5, v5, v18
    vadduwm v6, v6, v5
    vxor v7, v7, v6
    vrlw v7, v7, v19
    /* and of the diagonal round: lanes 1, 2 of a += b; lane 1 of d = rotl(d ^ a, 16) */
    fc_next v9, v7
    vadduwm v9, v8, v9
    fc_next v10, v9
    vxor v10, v5, v10
    vrlw v10, v10, v16
    fc_vtable START_AT, 0, v4, v9, v9, v8
    fc_vtable START_AT, 1, v1, v7, v7, v7
    fc_vtable START_AT, 2, v2, v6, v6, v6
    fc_vtable START_AT, 3, v5, v10, v5, v5
#if !FC_LE
    fc_byte_orders v24, v25, r9, r11, r12
#endif

    fc_vload v3, STATE_AT, r28
.endm

/* Four blocks XORed from in to out, rows 0, 3, 2, 1 on their way at once, and the first column round of the
 * next four blocks, whose words take the place of what has gone. \keep 1: what is written goes to r4 as
 * well, 2: what is read. */
.macro fc_voutput keep
    fc_vturn_1 v0, v1, v2, v3, v20, v21, v22, v23
    fc_vload4 STATE_AT, 3, v26, v27, v28, v29
    fc_vturn_2 v0, v1, v2, v3, v20, v21, v22, v23
    fc_vrow_load IN_AT, 0, v20, v21, v22, v23
    fc_vturn_1 v12, v13, v14, v15, v26, v27, v28, v29
    fc_vrow_xor \keep, 0, v0, v1, v2, v3, v20, v21, v22, v23
    fc_vcount
    fc_vload4 STATE_AT, 2, v20, v21, v22, v23
    fc_vcolumn 0
    fc_vturn_2 v12, v13, v14, v15, v26, v27, v28, v29
    fc_vcolumn 1
    fc_vrow_load IN_AT, 3, v26, v27, v28, v29
    fc_vcolumn 2
    fc_vturn_1 v8, v9, v10, v11, v20, v21, v22, v23
    fc_vcolumn 3
    fc_vrow_xor \keep, 3, v12, v13, v14, v15, v26, v27, v28, v29
    fc_vcolumn 4
    fc_vload4 STATE_AT, 1, v26, v27, v28, v29
    fc_vcolumn 5
    fc_vturn_2 v8, v9, v10, v11, v20, v21, v22, v23
    fc_vcolumn 6
    fc_vrow_load IN_AT, 2, v20, v21, v22, v23
    fc_vcolumn 7
    fc_vturn_1 v4, v5, v6, v7, v26, v27, v28, v29
    fc_vcolumn 8
    fc_vrow_xor \keep, 2, v8, v9, v10, v11, v20, v21, v22, v23
    fc_vcolumn 9
    fc_vturn_2 v4, v5, v6, v7, v26, v27, v28, v29
    fc_vrow_load IN_AT, 1, v26, v27, v28, v29
    fc_vcolumn 10
    addi IN_AT, IN_AT, 256
    fc_vrow_xor \keep, 1, v4, v5, v6, v7, v26, v27, v28, v29
    fc_vcolumn 11
    addi OUT_AT, OUT_AT, 256
.endm

/* Nothing of key or keystream stays behind: \bytes from the table STATE on, and in vectors. */
.macro fc_vclear bytes
    li r9, (\bytes) / 64
    mtctr r9
    vxor v0, v0, v0
99: fc_vstore4 STATE_AT, 0, v0, v0, v0, v0
    addi STATE_AT, STATE_AT, 64
    bdnz 99b
    .set fc_v, 1
    .rept 19
    vxor fc_v, fc_v, fc_v
    .set fc_v, fc_v + 1
    .endr
#ifdef EIGHT
    .set fc_v, 4
    .rept 8
    xxlxor fc_v, fc_v, fc_v
    .set fc_v, fc_v + 1
    .endr
#endif
.endm

/* The body of fc_chacha20_<token>. */
.macro fc_chacha20_vectors
    cmpli_w cr6, r4, 0
    cmpli_w r7, 0
    bne cr6, 1f
    beqlr
1:  fc_enter LOCAL_BYTES, 16
    fc_save_vectors SAVED, LAST_SAVED
    fc_vsetup
    srwi r8, r8, 1
    addi r8, r8, -1
#ifdef EIGHT
    fc_eight_begin
2:  bne cr6, 21f               /* eight blocks at a time, if no block 0 is wanted */
    cmpli_w r7, 512
    blt 21f
20: fc_eight_blocks
    addi r7, r7, -512
    cmpli_w r7, 512
    bge 20b
    cmpli_w r7, 0
    beq 9f
    fc_eight_end
21:
#else
2:
#endif
    fc_vcolumns                /* four blocks, counters in v3 */
3:  fc_vwords
    mtctr r8
    fc_vdiagonal
    fc_vload4 STATE_AT, 0, v20, v21, v22, v23
    .p2align 4
4:  fc_vrounds
    bdnz 4b
    /* whole, and no block 0 wanted? */
    bne cr6, 5f
    cmpli_w r7, 256
    blt 5f
#if !UNALIGNED
    or r9, r5, r6
    andi. r9, r9, 15
    bne 5f
#endif
    addi r7, r7, -256
    fc_voutput 0
    cmpli_w r7, 0
    bne 3b
    b 9f

5:  /* keystream to the stack; from there to block0 and, XORed, to the output */
    addi r9, r1, BUFFER
    fc_vrow_keep 0, v0, v1, v2, v3
    fc_vrow_keep 1, v4, v5, v6, v7
    fc_vrow_keep 2, v8, v9, v10, v11
    fc_vrow_keep 3, v12, v13, v14, v15
    fc_vcount
    li r16, 256
    beq cr6, 6f
    .set fc_at, 0
    .rept 32 / WORD
    ld_w r11, fc_at(r9)
    ld_w r12, fc_at + WORD(r9)
    st_w r11, fc_at(r4)
    st_w r12, fc_at + WORD(r4)
    .set fc_at, fc_at + 2 * WORD
    .endr
    addi r9, r9, 64
    li r16, 192
    cmpw cr6, r9, r9
6:  cmp_w r7, r16
    bge 7f
    mr r16, r7
7:  sub r7, r7, r16
    fc_xor_words r9, r5, r6, r16, r0, r4, r11, r12
    fc_xor_bytes r9, r5, r6, r16, r11, r12
    cmpli_w r7, 0
    bne 2b

9:  fc_vclear SECRETS
    li r0, 0
    li r4, 0
    li r11, 0
    li r12, 0
    fc_restore_vectors SAVED, LAST_SAVED
    fc_leave LOCAL_BYTES, 16
.endm

#endif
