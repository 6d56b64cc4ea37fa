/* ChaCha20 in vectors, for every Power ISA that has them: four blocks, lane j of vector i is word i of
 * block j.
 *
 * A file that includes this one defines, as assembler macros:
 *   fc_vload v, a, b     v = the 16 bytes at a + b, as four words in memory order, of which lane 0 is the
 *   fc_vstore v, a, b    first; the words' bytes are the host's. UNALIGNED: any address is allowed.
 *   fc_splat d, s, i     d = lane i of s four times
 *   fc_merge_h, fc_merge_l d, a, b    d = a0 b0 a1 b1, or a2 b2 a3 b3
 * UNALIGNED 0: addresses of fc_vload and fc_vstore are multiples of 16.
 *
 * Registers: v0-v15 words 0-15; v16-v19 rotation counts 16, 12, 8, 7 in the rounds, scratch after them;
 * v20, v21 the two halves of the transposition that ends in little-endian words (big-endian only);
 * r4 block0, r5 in, r6 out, r7 len, r8 rounds / 2, r26-r31 16, 32, 48, 64, 128, 192; r0, r3, r9-r12
 * scratch.
 */
#ifndef FC_PPC_CHACHA20_H
#define FC_PPC_CHACHA20_H

#include "arch.h"

#define TABLE LOCALS          /* 256: the sixteen words of the state, each in all four lanes, but for the
                                 counter: that of each lane's block */
#define BUFFER (LOCALS + 256) /* 256: keystream of four blocks */
#define SAVED (LOCALS + 512)  /* 48: v20, v21, VRSAVE */
#define LOCAL_BYTES 560

/* a += b; d = rotl(d ^ a, the count in \n) in four quarter-rounds, each in four blocks. */
.macro fc_vstep n, a0, b0, d0, a1, b1, d1, a2, b2, d2, a3, b3, d3
    vadduwm \a0, \a0, \b0
    vadduwm \a1, \a1, \b1
    vadduwm \a2, \a2, \b2
    vadduwm \a3, \a3, \b3
    vxor \d0, \d0, \a0
    vxor \d1, \d1, \a1
    vxor \d2, \d2, \a2
    vxor \d3, \d3, \a3
    vrlw \d0, \d0, \n
    vrlw \d1, \d1, \n
    vrlw \d2, \d2, \n
    vrlw \d3, \d3, \n
.endm

/* Four quarter-rounds (RFC 8439, section 2.1). */
.macro fc_vround a0, b0, c0, d0, a1, b1, c1, d1, a2, b2, c2, d2, a3, b3, c3, d3
    fc_vstep v16, \a0, \b0, \d0, \a1, \b1, \d1, \a2, \b2, \d2, \a3, \b3, \d3
    fc_vstep v17, \c0, \d0, \b0, \c1, \d1, \b1, \c2, \d2, \b2, \c3, \d3, \b3
    fc_vstep v18, \a0, \b0, \d0, \a1, \b1, \d1, \a2, \b2, \d2, \a3, \b3, \d3
    fc_vstep v19, \c0, \d0, \b0, \c1, \d1, \b1, \c2, \d2, \b2, \c3, \d3, \b3
.endm

/* Four vectors of the table from \at on to \a, \b, \c, \d; r3 moves on to the next four. */
.macro fc_vwords a, b, c, d
    fc_vload \a, 0, r3
    fc_vload \b, r3, r26
    fc_vload \c, r3, r27
    fc_vload \d, r3, r28
    addi r3, r3, 64
.endm

/* Word + state word in \a-\d, then lanes to rows: \a-\d become 16 keystream bytes of block 0, 1, 2, 3. */
.macro fc_vrows a, b, c, d
    fc_vwords v16, v17, v18, v19
    vadduwm \a, \a, v16
    vadduwm \b, \b, v17
    vadduwm \c, \c, v18
    vadduwm \d, \d, v19
    fc_merge_h v16, \a, \c
    fc_merge_l v18, \a, \c
    fc_merge_h v17, \b, \d
    fc_merge_l v19, \b, \d
#if FC_LE
    fc_merge_h \a, v16, v17
    fc_merge_l \b, v16, v17
    fc_merge_h \c, v18, v19
    fc_merge_l \d, v18, v19
#else
    vperm \a, v16, v17, v20
    vperm \b, v16, v17, v21
    vperm \c, v18, v19, v20
    vperm \d, v18, v19, v21
#endif
.endm

/* One row of the four blocks to the buffer; r9 moves on to the next row. */
.macro fc_vkeep a, b, c, d
    fc_vrows \a, \b, \c, \d
    fc_vstore \a, 0, r9
    fc_vstore \b, r9, r29
    fc_vstore \c, r9, r30
    fc_vstore \d, r9, r31
    addi r9, r9, 16
.endm

/* One row of the four blocks, XORed from in to out, which move on to the next row. */
.macro fc_vxor a, b, c, d
    fc_vrows \a, \b, \c, \d
    fc_vload v16, 0, r5
    fc_vload v17, r5, r29
    fc_vload v18, r5, r30
    fc_vload v19, r5, r31
    vxor \a, \a, v16
    vxor \b, \b, v17
    vxor \c, \c, v18
    vxor \d, \d, v19
    fc_vstore \a, 0, r6
    fc_vstore \b, r6, r29
    fc_vstore \c, r6, r30
    fc_vstore \d, r6, r31
    addi r5, r5, 16
    addi r6, r6, 16
.endm

/* A row of the state: 16 bytes at r9 + \b; its words go to the table, at r3, which moves on. */
.macro fc_vtable b
    fc_vload v0, r9, \b
    fc_splat v1, v0, 0
    fc_splat v2, v0, 1
    fc_splat v3, v0, 2
    fc_splat v4, v0, 3
    fc_vstore v1, 0, r3
    fc_vstore v2, r3, r26
    fc_vstore v3, r3, r27
    fc_vstore v4, r3, r28
    addi r3, r3, 64
.endm

/* The body of fc_chacha20_<token>. */
.macro fc_chacha20_vectors
    cmpli_w cr6, r4, 0
    cmpli_w r7, 0
    bne cr6, 1f
    beqlr
1:  fc_enter LOCAL_BYTES, 26
    fc_save_vectors SAVED, 21
    li r26, 16
    li r27, 32
    li r28, 48
    li r29, 64
    li r30, 128
    li r31, 192
    srwi r8, r8, 1

    /* the table; lanes 0-3 of the counter: + 0, 1, 2, 3 */
#if UNALIGNED
    mr r9, r3
#else
    addi r9, r1, BUFFER
    .set fc_at, 0
    .rept 8
    lwz r10, fc_at(r3)
    lwz r11, fc_at + 4(r3)
    stw r10, fc_at(r9)
    stw r11, fc_at + 4(r9)
    .set fc_at, fc_at + 8
    .endr
#endif
    addi r3, r1, TABLE
    li r12, 0
    fc_vtable r12
    fc_vtable r26
    fc_vtable r27
    fc_vtable r28
    addi r9, r1, BUFFER
    li r10, 1
    li r11, 2
    li r12, 3
    stw r10, 4(r9)
    li r10, 0
    stw r11, 8(r9)
    stw r12, 12(r9)
    stw r10, 0(r9)
    fc_vload v0, 0, r9
    addi r3, r1, TABLE + 192
    vadduwm v1, v1, v0
    fc_vstore v1, 0, r3
#if !FC_LE
    /* bytes of x0 y0 x1 y1 and z0 w0 z1 w1 that make x0 z0 y0 w0 with each word's bytes reversed */
    lis r10, 0x0302
    ori r10, r10, 0x0100
    lis r11, 0x1312
    ori r11, r11, 0x1110
    stw r10, 0(r9)
    addis r10, r10, 0x0404
    addi r10, r10, 0x0404
    stw r11, 4(r9)
    addis r11, r11, 0x0404
    addi r11, r11, 0x0404
    stw r10, 8(r9)
    stw r11, 12(r9)
    fc_vload v20, 0, r9
    vspltisb v21, 8
    vaddubm v21, v20, v21
#endif

2:  /* four blocks */
    addi r3, r1, TABLE
    fc_vwords v0, v1, v2, v3
    fc_vwords v4, v5, v6, v7
    fc_vwords v8, v9, v10, v11
    fc_vwords v12, v13, v14, v15
    vspltisw v16, -16          /* the low five bits count */
    vspltisw v17, 12
    vspltisw v18, 8
    vspltisw v19, 7
    mtctr r8
    .p2align 4
3:  fc_vround v0, v4, v8, v12, v1, v5, v9, v13, v2, v6, v10, v14, v3, v7, v11, v15
    fc_vround v0, v5, v10, v15, v1, v6, v11, v12, v2, v7, v8, v13, v3, v4, v9, v14
    bdnz 3b
    addi r3, r1, TABLE
    /* whole, and no block 0 wanted? */
    bne cr6, 5f
    cmpli_w r7, 256
    blt 5f
#if !UNALIGNED
    or r9, r5, r6
    andi. r9, r9, 15
    bne 5f
#endif
    fc_vxor v0, v1, v2, v3
    fc_vxor v4, v5, v6, v7
    fc_vxor v8, v9, v10, v11
    fc_vxor v12, v13, v14, v15
    addi r5, r5, 192
    addi r6, r6, 192
    addi r7, r7, -256
4:  cmpli_w r7, 0
    beq 9f
    addi r3, r1, TABLE + 192
    vspltisw v1, 4
    fc_vload v0, 0, r3
    vadduwm v0, v0, v1
    fc_vstore v0, 0, r3
    b 2b

5:  /* keystream to the stack; from there to block0 and, XORed, to the output */
    addi r9, r1, BUFFER
    fc_vkeep v0, v1, v2, v3
    fc_vkeep v4, v5, v6, v7
    fc_vkeep v8, v9, v10, v11
    fc_vkeep v12, v13, v14, v15
    addi r9, r1, BUFFER
    li r10, 256
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
    li r10, 192
    cmpw cr6, r9, r9
6:  cmp_w r7, r10
    bge 7f
    mr r10, r7
7:  sub r7, r7, r10
    fc_xor_words r9, r5, r6, r10, r0, r11, r12, r3
    fc_xor_bytes r9, r5, r6, r10, r11, r12
    b 4b

9:  /* nothing of key or keystream stays behind */
    addi r3, r1, LOCALS
    li r9, 512 / 64
    mtctr r9
    vxor v0, v0, v0
10: fc_vstore v0, 0, r3
    fc_vstore v0, r3, r26
    fc_vstore v0, r3, r27
    fc_vstore v0, r3, r28
    addi r3, r3, 64
    bdnz 10b
    li r0, 0
    li r11, 0
    li r12, 0
    .set fc_v, 1
    .rept 19
    vxor fc_v, fc_v, fc_v
    .set fc_v, fc_v + 1
    .endr
    fc_restore_vectors SAVED, 21
    fc_leave LOCAL_BYTES, 26
.endm

#endif
