/* ChaCha20 on RISC-V vectors: the body of chacha20_rvv.S and chacha20_zvkb.S, which define
 *
 *   vror_m4 n, x              the four words of the register group vx >>> n, in place; v28-v31 are free
 *   vror_4 n, x0-x3, y0-y3    the words vx >>> n into vy, other registers
 *   vror_constants            loads what these keep in t0-t3
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
 *   a5, a6, t0-t3  scratch (in the rounds: vl, rounds left, vror's constants)   ra  frame
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
 * Stack: 112 bytes of saved registers and 64 bytes for each block of the first pass (cleared).
 */
#include "arch.h"

#define FC_MOST_BLOCKS 128

/* From one set of registers to the other: a round of four quarter-rounds (RFC 8439, section 2.1). The
 * rows b, c, d are the groups from b0, c0, d0 on; the words end in B, C, D, which the caller has turned.
 * Registers by number. */
.macro vround b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, \
        B0, B1, B2, B3, C0, C1, C2, C3, D0, D1, D2, D3
    vsetvli a5, zero, e32, m4, ta, ma
    vadd.vv v0, v0, v\b0 /* a += b; d = (d ^ a) <<< 16 */
    vxor.vv v\d0, v\d0, v0
    vror_m4 16, \d0
    vadd.vv v\c0, v\c0, v\d0 /* c += d; b = (b ^ c) <<< 12 */
    vxor.vv v\b0, v\b0, v\c0
    vror_m4 20, \b0
    vadd.vv v0, v0, v\b0 /* a += b; d = (d ^ a) <<< 8 */
    vxor.vv v\d0, v\d0, v0
    vsetvli a5, zero, e32, m1, ta, ma
    vror_4 24, \d0, \d1, \d2, \d3, \D0, \D1, \D2, \D3
    vadd.vv v\C0, v\c0, v\D0 /* c += d; b = (b ^ c) <<< 7 */
    vadd.vv v\C1, v\c1, v\D1
    vadd.vv v\C2, v\c2, v\D2
    vadd.vv v\C3, v\c3, v\D3
    vxor.vv v\b0, v\b0, v\C0
    vxor.vv v\b1, v\b1, v\C1
    vxor.vv v\b2, v\b2, v\C2
    vxor.vv v\b3, v\b3, v\C3
    vror_4 25, \b0, \b1, \b2, \b3, \B0, \B1, \B2, \B3
.endm

/* Words 2 i and 2 i + 1 of each block joined in \to. */
.macro join to, x, y
    vwaddu.vv \to, \x, \y
    vwmaccu.vx \to, t0, \y
.endm

.macro chacha20_v_function suffix
fc_func fc_chacha20_\suffix
    /* blocks to do: a1 != NULL, and the data's */
    snez t0, a1
    addi t1, a4, 63
    srli t1, t1, 6
    add t1, t1, t0
    beqz t1, .Lnothing\@
    fc_enter 0
    mv ra, sp
    .cfi_def_cfa ra, 112
    sw a5, 0(ra)
    lw s0, 0(a0)
    lw s1, 4(a0)
    lw s2, 8(a0)
    lw s3, 12(a0)
    lw s4, 16(a0)
    lw s5, 20(a0)
    lw s6, 24(a0)
    lw s7, 28(a0)
    lw s8, 32(a0)
    lw s9, 36(a0)
    lw s10, 40(a0)
    lw s11, 44(a0)
    lw a7, 48(a0)
    lw t4, 52(a0)
    lw t5, 56(a0)
    lw t6, 60(a0)
    /* room for the first pass, than which no later one is longer */
    li a6, FC_MOST_BLOCKS
    bleu t1, a6, 1f
    mv t1, a6
1:  vsetvli a0, t1, e32, m1, ta, ma
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
    /* columns; b, c, d turn by one, two, three words */
    vround 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, \
        19, 16, 17, 18, 22, 23, 20, 21, 25, 26, 27, 24
    /* diagonals; back */
    vround 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, \
        5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14
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
    /* each block's words in a row: pairs to elements of 64 bits, these 64 bytes apart to the stack */
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
    vsse64.v v16, (sp), t1
    addi t2, sp, 8
    vsse64.v v18, (t2), t1
    addi t2, sp, 16
    vsse64.v v20, (t2), t1
    addi t2, sp, 24
    vsse64.v v22, (t2), t1
    addi t2, sp, 32
    vsse64.v v24, (t2), t1
    addi t2, sp, 40
    vsse64.v v26, (t2), t1
    addi t2, sp, 48
    vsse64.v v28, (t2), t1
    addi t2, sp, 56
    vsse64.v v30, (t2), t1
    addw a7, a7, a0
    slli t1, a0, 6 /* bytes of keystream */
    mv t2, sp
    beqz a1, .Ldata\@
    /* block0 = the first 64 */
    li t3, 64
1:  vsetvli t0, t3, e8, m8, ta, ma
    vle8.v v0, (t2)
    vse8.v v0, (a1)
    add t2, t2, t0
    add a1, a1, t0
    sub t3, t3, t0
    bnez t3, 1b
    li a1, 0
    addi t1, t1, -64
.Ldata\@: /* out = in ^ keystream, as long as there is both */
    bleu t1, a4, 1f
    mv t1, a4
1:  sub a4, a4, t1
    beqz t1, .Lmore\@
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
.Lmore\@:
    addi t1, a4, 63
    srli t1, t1, 6
    beqz t1, .Lwipe\@
    li a6, FC_MOST_BLOCKS
    bleu t1, a6, 1f
    mv t1, a6
1:  vsetvli a0, t1, e32, m1, ta, ma
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
    .cfi_def_cfa sp, 112
    fc_leave 0
    fc_clear t4, t5, t6
.Lnothing\@:
    ret
fc_endfunc fc_chacha20_\suffix
.endm
