/* ChaCha20 on RISC-V vectors: the body of chacha20_rvv.S and chacha20_zvkb.S, which define
 *
 *   vror_group n, x           vx >>> n in place, as many registers as LMUL (1 or 4); v28-v31 are free
 *   vror_4 n, x0-x3, y0-y3    the words vx >>> n into vy, other registers
 *   vror_constants            loads what these keep in t0-t2, a5
 *   rotl_4 n, x0-x3           the words of four integer registers <<< n; a0 is free
 *
 * (registers by number; to the left by 16, 12, 8, 7 is to the right by 16, 20, 24, 25) and say
 * `chacha20_v_function <suffix>`.
 *
 * One lane is one block, one register one state word of VLEN / 32 blocks. The four words of a row of
 * the state lie in four registers in a row, so that most of a column round is one instruction for
 * all four quarter-rounds (LMUL 4). What ends a round, from the third rotation on, goes word by word
 * (LMUL 1) into another set of registers, turned by one, two and three words: there the diagonals
 * are columns, and turning costs nothing. Two rounds lead back to the first set.
 *
 *   v0-v3 row a   v4-v7, v8-v11, v12-v15 rows b, c, d as columns   v16-v27 as diagonals   v28-v31 scratch
 *   s0-s11, t4-t6  state words 0-11, 13-15   a7  block counter (word 12)
 *   a0  blocks in this pass   a1  block0, once   a2  in   a3  out   a4  len left
 *   a5, a6, t0-t3  scratch (in the rounds: t0-t2, a5 vror's constants, a6 rounds left)   ra  frame
 *
 * VLEN 128, five blocks and more: a scalar block, the first, beside four vector ones (.Lfive). The
 * first column round's three quarter-rounds without the counter are the same in every block: the
 * scalar block's serve all.
 *
 * Cost, cycles a byte by llvm-mca 22 at 16 KiB: VLEN 128, Zvkb: P670 1.65, P470 3.16; RVV: P670 2.25,
 * P470 4.18, X60 6.39, X280 3.71. docs/performance/riscv64.md has the executed instructions.
 *
 * Tried and lost, at VLEN 128: four vector blocks alone: Zvkb 2.32 (P670), 4.02 (P470), RVV 2.70 (P670).
 * Beside a scalar block, Zvkb with LMUL 4: 1.86 on P670, which rotates one register a cycle, whole
 * groups late; RVV with LMUL 1: 3.03, for each vmadd waits six cycles.
 *
 * Then words 2 i and 2 i + 1 of a block are joined to one element of 64 bits by a widening addition
 * and multiplication (x + y + (2**32 - 1) y), and the eight elements of each block are stored side by
 * side on the stack: a store with a stride, but of whole 64-bit elements, which no vector unit does
 * slower than one a cycle: 0.13 cycles a byte. From there on everything is bytes: user data may lie
 * anywhere.
 *
 * vl is whatever vsetvli gives: the lanes that count are those of a0, and a pass computes all that
 * the registers have, used or not. At most 128 blocks a pass are used, whatever VLEN is, which bounds
 * the stack.
 *
 * Clobbers: a0-a7, t0-t6, v0-v31, vl, vtype (what held key or keystream is cleared).
 * Stack: 128 bytes of saved registers and 64 bytes for each block of the first pass (cleared).
 */
#include "chacha20_words.h"

#define FC_MOST_BLOCKS 128

/* x op= y for a row: four words, lmul (1 or 4) of them an instruction. Registers by number. */
.macro row lmul, op, x0, x1, x2, x3, y0, y1, y2, y3
    \op v\x0, v\x0, v\y0
.if \lmul == 1
    \op v\x1, v\x1, v\y1
    \op v\x2, v\x2, v\y2
    \op v\x3, v\x3, v\y3
.endif
.endm

.macro vror_row lmul, n, x0, x1, x2, x3
.if \lmul == 4
    vror_group \n, \x0
.else
    vror_4 \n, \x0, \x1, \x2, \x3, \x0, \x1, \x2, \x3
.endif
.endm

.macro set_lmul sink, from, to
.if \from != \to
    vsetvli \sink, zero, e32, m\to, ta, ma
.endif
.endm

/* From one set of registers to the other: a round of four quarter-rounds (RFC 8439, section 2.1). The
 * rows b, c, d are the groups from b0, c0, d0 on; the words end in B, C, D, which the caller has turned.
 * Registers by number. lmul: words to an instruction (1 or 4), until they go their own ways. beside: a
 * macro that takes n, what is to be done after each step. sink: a free integer register. */
.macro vround lmul, sink, beside, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, \
        B0, B1, B2, B3, C0, C1, C2, C3, D0, D1, D2, D3
    set_lmul \sink, 1, \lmul
    row \lmul, vadd.vv, 0, 1, 2, 3, \b0, \b1, \b2, \b3 /* a += b; d = (d ^ a) <<< 16 */
    row \lmul, vxor.vv, \d0, \d1, \d2, \d3, 0, 1, 2, 3
    vror_row \lmul, 16, \d0, \d1, \d2, \d3
    \beside 16
    row \lmul, vadd.vv, \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3 /* c += d; b = (b ^ c) <<< 12 */
    row \lmul, vxor.vv, \b0, \b1, \b2, \b3, \c0, \c1, \c2, \c3
    vror_row \lmul, 20, \b0, \b1, \b2, \b3
    \beside 12
    row \lmul, vadd.vv, 0, 1, 2, 3, \b0, \b1, \b2, \b3 /* a += b; d = (d ^ a) <<< 8 */
    row \lmul, vxor.vv, \d0, \d1, \d2, \d3, 0, 1, 2, 3
    set_lmul \sink, \lmul, 1
    vror_4 24, \d0, \d1, \d2, \d3, \D0, \D1, \D2, \D3
    \beside 8
    vadd.vv v\C0, v\c0, v\D0 /* c += d; b = (b ^ c) <<< 7 */
    vadd.vv v\C1, v\c1, v\D1
    vadd.vv v\C2, v\c2, v\D2
    vadd.vv v\C3, v\c3, v\D3
    vxor.vv v\b0, v\b0, v\C0
    vxor.vv v\b1, v\b1, v\C1
    vxor.vv v\b2, v\b2, v\C2
    vxor.vv v\b3, v\b3, v\C3
    vror_4 25, \b0, \b1, \b2, \b3, \B0, \B1, \B2, \B3
    \beside 7
.endm

/* A column of its own, ending where it began; registers by number. */
.macro vquarter a, b, c, d
    vquarter_step 16, \a, \b, \d
    vquarter_step 20, \c, \d, \b
    vquarter_step 24, \a, \b, \d
    vquarter_step 25, \c, \d, \b
.endm
.macro vquarter_step n, a, b, d
    vadd.vv v\a, v\a, v\b
    vxor.vv v\d, v\d, v\a
    vror_group \n, \d
.endm

/* Columns; b, c, d turn by one, two, three words. */
.macro vcolumns lmul, sink, beside
    vround \lmul, \sink, \beside, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, \
        19, 16, 17, 18, 22, 23, 20, 21, 25, 26, 27, 24
.endm

/* Diagonals; back. */
.macro vdiagonals lmul, sink, beside
    vround \lmul, \sink, \beside, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, \
        5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14
.endm

.macro nothing n
.endm

/* One step of four quarter-rounds of the scalar block: a += b; d = (d ^ a) <<< n. */
.macro step n, a0, a1, a2, a3, b0, b1, b2, b3, d0, d1, d2, d3
    addw \a0, \a0, \b0
    addw \a1, \a1, \b1
    addw \a2, \a2, \b2
    addw \a3, \a3, \b3
    xor \d0, \d0, \a0
    xor \d1, \d1, \a1
    xor \d2, \d2, \a2
    xor \d3, \d3, \a3
    rotl_4 \n, \d0, \d1, \d2, \d3
.endm

.macro scalar_columns n
.if \n == 16 || \n == 8
    step \n, s0, s1, s2, s3, s4, s5, s6, s7, t3, t4, t5, t6
.else
    step \n, s8, s9, s10, s11, t3, t4, t5, t6, s4, s5, s6, s7
.endif
.endm

.macro scalar_diagonals n
.if \n == 16 || \n == 8
    step \n, s0, s1, s2, s3, s5, s6, s7, s4, t6, t3, t4, t5
.else
    step \n, s10, s11, s8, s9, t6, t3, t4, t5, s5, s6, s7, s4
.endif
.endm

/* A word of the initial state to the scalar and the vector blocks. */
.macro add_word at, x, v
    lw a1, 4 * \at(a0)
    addw \x, \x, a1
    vadd.vx \v, \v, a1
.endm

/* Words 2 i and 2 i + 1 of each block joined in \to. */
.macro join to, x, y
    vwaddu.vv \to, \x, \y
    vwmaccu.vx \to, t0, \y
.endm

/* Each block's words in a row, from sp + at on: pairs to elements of 64 bits, these 64 bytes apart.
 * vl, vtype: the blocks, e32, m1. */
.macro interleave at
    li t0, -1
    join v16, v0, v1
    join v18, v2, v3
    join v20, v4, v5
    join v22, v6, v7
    join v24, v8, v9
    join v26, v10, v11
    join v28, v12, v13
    join v30, v14, v15
    vsetvli zero, zero, e64, m2, ta, ma
    li t1, 64
    addi t2, sp, \at
    vsse64.v v16, (t2), t1
    addi t2, sp, \at + 8
    vsse64.v v18, (t2), t1
    addi t2, sp, \at + 16
    vsse64.v v20, (t2), t1
    addi t2, sp, \at + 24
    vsse64.v v22, (t2), t1
    addi t2, sp, \at + 32
    vsse64.v v24, (t2), t1
    addi t2, sp, \at + 40
    vsse64.v v26, (t2), t1
    addi t2, sp, \at + 48
    vsse64.v v28, (t2), t1
    addi t2, sp, \at + 56
    vsse64.v v30, (t2), t1
.endm

/* t1 = the blocks that the data left to do takes. */
.macro data_blocks
    addi t1, a4, 63
    srli t1, t1, 6
.endm

/* a0 = how many of t1 blocks the next pass does; vl, vtype for them. */
.macro take_blocks
    li a6, FC_MOST_BLOCKS
    bleu t1, a6, 1f
    mv t1, a6
1:  vsetvli a0, t1, e32, m1, ta, ma
.endm

/* block0 = the first 64 of t1 bytes of keystream at t2. Four registers hold them at any VLEN, so vl is 64. */
.macro copy_block0
    li t3, 64
    vsetvli zero, t3, e8, m4, ta, ma
    vle8.v v0, (t2)
    vse8.v v0, (a1)
    addi t2, t2, 64
    addi t1, t1, -64
    li a1, 0
.endm

/* t1 bytes, not 0, of out = in ^ the keystream at t2. */
.macro xor_bytes
2:  vsetvli t0, t1, e8, m8, ta, ma
    vle8.v v8, (a2)
    vle8.v v0, (t2)
    add a2, a2, t0
    add t2, t2, t0
    vxor.vv v0, v0, v8
    sub t1, t1, t0
    vse8.v v0, (a3)
    add a3, a3, t0
    bnez t1, 2b
.endm

.macro chacha20_v_function suffix
fc_func fc_chacha20_\suffix
    /* blocks to do: a1 != NULL, and the data's */
    snez t0, a1
    data_blocks
    add t1, t1, t0
    beqz t1, .Lnothing\@
    fc_enter 16
    mv ra, sp
    .cfi_def_cfa ra, 128
    sw a5, 0(ra)
    lw a7, 48(a0)
    /* VLEN 128 and five blocks or more: a scalar one beside four */
    slli t0, t0, 6
    add t0, t0, a4
    li t2, 320
    bltu t0, t2, .Lvectors\@
    vsetvli t2, zero, e32, m1, ta, ma
    addi t2, t2, -4
    beqz t2, .Lfive\@
.Lvectors\@:
    load_state
    /* room for the first pass, than which no later one is longer */
    take_blocks
    slli t2, a0, 6
    sub sp, sp, t2

.Lpass\@: /* the state in each lane; vl = a0, m1 */
    vmv.v.x v0, s0
    vmv.v.x v1, s1
    vmv.v.x v2, s2
    vmv.v.x v3, s3
    vmv.v.x v4, s4
    vmv.v.x v5, s5
    vmv.v.x v6, s6
    vmv.v.x v7, s7
    vmv.v.x v8, s8
    vmv.v.x v9, s9
    vmv.v.x v10, s10
    vmv.v.x v11, s11
    vid.v v12
    vmv.v.x v13, t4
    vmv.v.x v14, t5
    vmv.v.x v15, t6
    vadd.vx v12, v12, a7
    lw a6, 0(ra)
    vror_constants
.Lrounds\@:
    vcolumns 4, t3, nothing
    vdiagonals 4, t3, nothing
    addi a6, a6, -2
    bnez a6, .Lrounds\@
    /* += state */
    vsetvli zero, a0, e32, m1, ta, ma
    vid.v v16
    vadd.vx v0, v0, s0
    vadd.vx v1, v1, s1
    vadd.vx v2, v2, s2
    vadd.vx v3, v3, s3
    vadd.vv v12, v12, v16
    vadd.vx v4, v4, s4
    vadd.vx v5, v5, s5
    vadd.vx v6, v6, s6
    vadd.vx v7, v7, s7
    vadd.vx v12, v12, a7
    vadd.vx v8, v8, s8
    vadd.vx v9, v9, s9
    vadd.vx v10, v10, s10
    vadd.vx v11, v11, s11
    vadd.vx v13, v13, t4
    vadd.vx v14, v14, t5
    vadd.vx v15, v15, t6
    interleave 0
    addw a7, a7, a0
    slli t1, a0, 6 /* bytes of keystream */
    mv t2, sp
    beqz a1, .Ldata\@
    copy_block0
.Ldata\@: /* out = in ^ keystream, as long as there is both */
    bleu t1, a4, 1f
    mv t1, a4
1:  sub a4, a4, t1
    beqz t1, .Lmore\@
    xor_bytes
.Lmore\@:
    data_blocks
    beqz t1, .Lwipe\@
    take_blocks
    j .Lpass\@

.Lwipe\@: /* vector registers, the stack */
    vsetvli t0, zero, e8, m8, ta, ma
    vmv.v.i v0, 0
    vmv.v.i v8, 0
    vmv.v.i v16, 0
    vmv.v.i v24, 0
    sub t1, ra, sp
1:  vsetvli t0, t1, e8, m8, ta, ma
    vse8.v v0, (sp)
    add sp, sp, t0
    sub t1, t1, t0
    bnez t1, 1b
    .cfi_remember_state
    .cfi_def_cfa sp, 128
    fc_leave 16
    fc_clear t3, t4, t5, t6
.Lnothing\@:
    ret
    .cfi_restore_state

.Lfive\@: /* a scalar block in s0-s11, t3-t6, the next four in the vectors; all of them wanted */
    sd a1, 8(ra)
    sd a0, 16(ra)
    addi sp, sp, -320
.Lfive_again\@:
    load_state
    mv t3, a7
    vror_constants
    addi a1, a7, 1
    vsetivli zero, 4, e32, m1, ta, ma
    vid.v v25
    vmv.v.x v0, s0
    vmv.v.x v19, s4
    vmv.v.x v22, s8
    vadd.vx v25, v25, a1
    /* the first columns, but for the counter's, are the same in all blocks; ending as diagonals */
    scalar_columns 16
    vquarter 0, 19, 22, 25
    scalar_columns 12
    scalar_columns 8
    scalar_columns 7
    vmv.v.x v1, s1
    vmv.v.x v2, s2
    vmv.v.x v3, s3
    vmv.v.x v16, s5
    vmv.v.x v17, s6
    vmv.v.x v18, s7
    vmv.v.x v23, s9
    vmv.v.x v20, s10
    vmv.v.x v21, s11
    vmv.v.x v26, t4
    vmv.v.x v27, t5
    vmv.v.x v24, t6
    lw a6, 0(ra)
    j 2f
1:  vcolumns FC_LMUL_128, a1, scalar_columns
2:  addi a6, a6, -2
    vdiagonals FC_LMUL_128, a1, scalar_diagonals
    bnez a6, 1b
    /* += state */
    ld a0, 16(ra)
    vid.v v16
    add_word 0, s0, v0
    add_word 1, s1, v1
    add_word 2, s2, v2
    add_word 3, s3, v3
    add_word 4, s4, v4
    add_word 5, s5, v5
    add_word 6, s6, v6
    add_word 7, s7, v7
    add_word 8, s8, v8
    add_word 9, s9, v9
    add_word 10, s10, v10
    add_word 11, s11, v11
    addi a1, a7, 1
    addw t3, t3, a7
    vadd.vv v12, v12, v16
    vadd.vx v12, v12, a1
    add_word 13, t4, v13
    add_word 14, t5, v14
    add_word 15, t6, v15
    store_words 0, sp, s0, s1, s2, s3
    store_words 16, sp, s4, s5, s6, s7
    store_words 32, sp, s8, s9, s10, s11
    store_words 48, sp, t3, t4, t5, t6
    interleave 64
    addiw a7, a7, 5
    ld a1, 8(ra)
    mv t2, sp
    li t1, 320
    beqz a1, 1f
    copy_block0
    sd a1, 8(ra)
1:  sub a4, a4, t1
    xor_bytes
    li t1, 320
    bgeu a4, t1, .Lfive_again\@
    data_blocks
    bnez t1, .Lvectors\@
    j .Lwipe\@
fc_endfunc fc_chacha20_\suffix
.endm
