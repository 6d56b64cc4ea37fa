/* Scalar ChaCha20 and HChaCha20 for RV64: the body of chacha20_rv64.S and chacha20_zbb.S, which define
 * the macro `rotl n, d` (d <<< n; t0 is free) and say `chacha20_function <suffix>` and
 * `hchacha20_function <suffix>`.
 *
 * One block at a time, the whole state in registers; the four quarter-rounds of a round side by side,
 * so that no instruction but a few needs what the one before it makes (in-order dual issue). The upper
 * halves of the registers mean nothing: no instruction of the rounds looks at them.
 *
 * No access is ever misaligned and none leaves the buffers:
 *   - in and out both multiples of 4: words;
 *   - otherwise the keystream block goes to the stack and from there by doublewords of out's alignment.
 *     The bytes up to the last boundary before the first block's end and those after the last whole
 *     doubleword go singly. Between them, `pending` = out mod 8 bytes of each keystream block are left
 *     for the next one, so two doublewords of keystream are shifted together, and two of in where its
 *     alignment differs. A block takes 24 or 48 instructions more than an aligned one.
 *   - Short and last pieces go by bytes, from the stack.
 *
 * Registers: a0 state   a1 block0, once   a2 in   a3 out   a4 end of in - 63   a6, t0, t1 scratch
 *   a7 block counter    s0-s11, t3-t6  x0-x15, then scratch
 *   a5 what becomes of the block: AS_WORDS, AS_BYTES (or block0's), IN_ALIGNED, OUT_ALIGNED or, where
 *      neither is (and above 0), the shift 8 pending
 *   while a5 is one of the last three: ra -8 pending   a1 8 (in mod 8)   t2 -a1   a2 the next boundary
 *      at or after in
 * Clobbers: a1-a7, t0-t6 (what held key or keystream is cleared).
 * Stack: 112 bytes of saved registers, 64 bytes for keystream (cleared), 16 for the number of rounds.
 *
 * Instructions: 1071 a block with Zbb, 1711 without (960 and 1600 in the rounds); misaligned at most 52
 * more; 66 a call. Modelled cycles a block with Zbb: 562 (spacemit-x60), 571 (sifive-x280), 357 (p470),
 * 268 (p670); without: 882, 887, 571, 428.
 *
 * Lost:
 *   - one double round in the loop: 10 instructions more a block; three or more do not divide 8, 12 and
 *     20 rounds alike;
 *   - all four rotations of a step in a row: 657 cycles on sifive-x280, which has one unit for them;
 *   - loads of state and input each just before the store or addition of the word before: 615 cycles
 *     on spacemit-x60, and nothing gained elsewhere;
 *   - misaligned blocks by bytes: 240 instructions more each; by words: 48 to 96.
 */
#include "chacha20_words.h"

#define AS_WORDS 0
#define AS_BYTES -1
#define IN_ALIGNED -2  /* in = out modulo 8 */
#define OUT_ALIGNED -3 /* out is a multiple of 8 */

/* One step of four quarter-rounds: a += b; d = (d ^ a) <<< n. Two of them run late: their rotations
 * come between the additions of the next step, which gets them as m (the n), p2 and p3. So no two
 * roriw are neighbours, of which some cores do one at a time. */
.macro step n, a0, a1, a2, a3, b0, b1, b2, b3, d0, d1, d2, d3, m, p2, p3
.ifnb \m
    rotl \m, \p2
.endif
    addw \a0, \a0, \b0
.ifnb \m
    rotl \m, \p3
.endif
    addw \a1, \a1, \b1
    xor \d0, \d0, \a0
    addw \a2, \a2, \b2
    rotl \n, \d0
    xor \d1, \d1, \a1
    rotl \n, \d1
    addw \a3, \a3, \b3
    xor \d2, \d2, \a2
    xor \d3, \d3, \a3
.endm

/* m: 7 if a double round came before, whose last two rotations are left; this one leaves them, too. */
.macro double_round m
    /* columns: (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15) */
.ifnb \m
    step 16, s0, s1, s2, s3, s4, s5, s6, s7, t3, t4, t5, t6, \m, s6, s7
.else
    step 16, s0, s1, s2, s3, s4, s5, s6, s7, t3, t4, t5, t6
.endif
    step 12, s8, s9, s10, s11, t3, t4, t5, t6, s4, s5, s6, s7, 16, t5, t6
    step 8, s0, s1, s2, s3, s4, s5, s6, s7, t3, t4, t5, t6, 12, s6, s7
    step 7, s8, s9, s10, s11, t3, t4, t5, t6, s4, s5, s6, s7, 8, t5, t6
    /* diagonals: (3, 4, 9, 14), (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13) */
    step 16, s3, s0, s1, s2, s4, s5, s6, s7, t5, t6, t3, t4, 7, s6, s7
    step 12, s9, s10, s11, s8, t5, t6, t3, t4, s4, s5, s6, s7, 16, t3, t4
    step 8, s3, s0, s1, s2, s4, s5, s6, s7, t5, t6, t3, t4, 12, s6, s7
    step 7, s9, s10, s11, s8, t5, t6, t3, t4, s4, s5, s6, s7, 8, t3, t4
.endm

/* x = the permutation of x: a6 rounds (RFC 8439, section 2.3), which are 8, 12 or 20. */
.macro permute
1:  double_round
    double_round 7
    rotl 7, s6
    addi a6, a6, -4
    rotl 7, s7
    bnez a6, 1b
.endm

/* Three words += state words from `at` on. */
.macro add_state at, x0, x1, x2
    lw t0, \at(a0)
    lw t1, \at + 4(a0)
    lw a6, \at + 8(a0)
    addw \x0, \x0, t0
    addw \x1, \x1, t1
    addw \x2, \x2, a6
.endm

/* Four words of out = in ^ keystream, all aligned. */
.macro xor_words at, x0, x1, x2, x3
    lw t0, \at(a2)
    lw t1, \at + 4(a2)
    lw t2, \at + 8(a2)
    lw ra, \at + 12(a2)
    xor t0, t0, \x0
    xor t1, t1, \x1
    xor t2, t2, \x2
    xor ra, ra, \x3
    sw t0, \at(a3)
    sw t1, \at + 4(a3)
    sw t2, \at + 8(a3)
    sw ra, \at + 12(a3)
.endm

/* A block through the stack. Doubleword i of out = in ^ keystream, where each of the two is shifted
 * together from doublewords i - 1 and i unless it is aligned already. From the last to the first: then
 * what is shifted is needed no more. The keystream's doublewords come into s0-s7 (a6: the last one of
 * the block before, at 56(sp) until this block came), in's into s8-s11, t3-t6 (t1: that before a2). */
.macro xor_shifted pending, skew
    ld s7, 56(sp)
    ld t6, 56(a2)
    ld s6, 48(sp)
    ld t5, 48(a2)
    ld s5, 40(sp)
    ld t4, 40(a2)
    ld s4, 32(sp)
    ld t3, 32(a2)
    ld s3, 24(sp)
    ld s11, 24(a2)
    ld s2, 16(sp)
    ld s10, 16(a2)
    ld s1, 8(sp)
    ld s9, 8(a2)
    ld s0, 0(sp)
    ld s8, 0(a2)
    xor_doubleword \pending, \skew, 56, s7, s6, t6, t5
    xor_doubleword \pending, \skew, 48, s6, s5, t5, t4
    xor_doubleword \pending, \skew, 40, s5, s4, t4, t3
    xor_doubleword \pending, \skew, 32, s4, s3, t3, s11
    xor_doubleword \pending, \skew, 24, s3, s2, s11, s10
    xor_doubleword \pending, \skew, 16, s2, s1, s10, s9
    xor_doubleword \pending, \skew, 8, s1, s0, s9, s8
.if \skew
    ld s9, -8(a2)
.endif
    xor_doubleword \pending, \skew, 0, s0, a6, s8, s9
    addi a2, a2, 64
    addi a3, a3, 64
.endm

.macro xor_doubleword pending, skew, at, k, k_before, d, d_before
.if \pending
    srl t0, \k_before, ra
    sll \k, \k, a5
.endif
.if \skew
    srl t1, \d_before, a1
    sll \d, \d, t2
.endif
.if \pending
    xor \k, \k, t0
.endif
.if \skew
    xor \d, \d, t1
.endif
    xor \k, \k, \d
    sd \k, \at(a3)
.endm

/* `count` bytes of out = in ^ keystream at s0, by bytes. */
.macro xor_bytes count
    .set at, 0
    .rept \count / 2
    lbu t0, at(a2)
    lbu t1, at(s0)
    lbu t3, at + 1(a2)
    lbu t4, at + 1(s0)
    xor t0, t0, t1
    xor t3, t3, t4
    sb t0, at(a3)
    sb t3, at + 1(a3)
    .set at, at + 2
    .endr
.endm

.macro chacha20_function suffix
fc_func fc_chacha20_\suffix
    or t0, a1, a4
    beqz t0, .Lnothing\@
    fc_enter 80
    sw a5, 64(sp)
    lw a7, 12*4(a0)
    add a4, a4, a2
    addi a4, a4, -63
    li a5, AS_BYTES
    beqz a1, .Lchoose\@

.Lblock\@: /* x = keystream block a7 */
    load_state
    mv t3, a7
    lw a6, 64(sp)
    permute
    add_state 0, s0, s1, s2
    add_state 12, s3, s4, s5
    add_state 24, s6, s7, s8
    add_state 36, s9, s10, s11
    add_state 52, t4, t5, t6
    addw t3, t3, a7
    addiw a7, a7, 1
    bnez a5, .Lstack\@
    xor_words 0, s0, s1, s2, s3
    xor_words 16, s4, s5, s6, s7
    xor_words 32, s8, s9, s10, s11
    xor_words 48, t3, t4, t5, t6
    addi a2, a2, 64
    addi a3, a3, 64
    blt a2, a4, .Lblock\@

.Lchoose\@: /* words, if that is possible for a whole block */
    addi t0, a4, 63
    beq a2, t0, .Ldone\@
    li a5, AS_BYTES
    bge a2, a4, .Lblock\@
    or t0, a2, a3
    andi t0, t0, 3
    bnez t0, .Lblock\@
    li a5, AS_WORDS
    j .Lblock\@

.Ldone\@:
    .irp n, 0, 8, 16, 24, 32, 40, 48, 56
    sd zero, \n(sp)
    .endr
    fc_leave 80
    fc_clear t0, t1, t2, t3, t4, t5, t6, a6
.Lnothing\@:
    ret

.Lstack\@:
    .cfi_def_cfa_offset 192
    ld a6, 56(sp) /* of the block before */
    store_words 0, sp, s0, s1, s2, s3
    store_words 16, sp, s4, s5, s6, s7
    store_words 32, sp, s8, s9, s10, s11
    store_words 48, sp, t3, t4, t5, t6
    bltz a5, .Lnot_both\@
    xor_shifted 1, 1
    blt a2, a4, .Lblock\@
    j .Lend_of_skew\@

.Lnot_both\@:
    li t0, AS_BYTES
    beq a5, t0, .Lsingle\@
    li t0, OUT_ALIGNED
    beq a5, t0, .Lout_aligned\@
    neg a5, ra
    xor_shifted 1, 0
    li a5, IN_ALIGNED
    blt a2, a4, .Lblock\@
    j .Lpending\@

.Lout_aligned\@:
    xor_shifted 0, 1
    blt a2, a4, .Lblock\@
.Lend_of_skew\@: /* back from the boundary to the next byte of in */
    srli t0, a1, 3
    addi a2, a2, -8
    add a2, a2, t0
.Lpending\@: /* the rest of this block by bytes, as far as there is input */
    li a1, 0
    neg t0, ra
    srli t0, t0, 3
    addi s1, a4, 63
    sub s1, s1, a2
    bleu s1, t0, .Llast\@
    mv s1, t0
.Llast\@:
    addi s0, sp, 64
    sub s0, s0, t0
    li s2, 0
    j .Lbytes\@

.Lsingle\@:
    bnez a1, .Lblock0\@
    mv s0, sp
    addi s1, a4, 63
    sub s1, s1, a2 /* left */
    andi s2, a3, 7 /* pending */
    li t0, 64 + 7 + 64 /* with fewer no block of doublewords is sure to follow */
    bgeu s1, t0, .Lfirst\@
    li s2, 0
    li t0, 64
    bleu s1, t0, .Lbytes\@
    li s1, 64
    j .Lbytes\@
.Lfirst\@:
    li s1, 64
    sub s1, s1, s2
    li a1, 1 /* to be set below */

.Lbytes\@: /* s1 bytes with keystream from s0 on */
    addi s1, s1, -8
    bltz s1, .Lfew\@
.Leight\@:
    xor_bytes 8
    addi s0, s0, 8
    addi a2, a2, 8
    addi a3, a3, 8
    addi s1, s1, -8
    bgez s1, .Leight\@
.Lfew\@:
    addi s1, s1, 8
    beqz s1, .Lbytes_done\@
.Lone\@:
    lbu t0, 0(a2)
    lbu t1, 0(s0)
    addi a2, a2, 1
    addi s0, s0, 1
    xor t0, t0, t1
    sb t0, 0(a3)
    addi a3, a3, 1
    addi s1, s1, -1
    bnez s1, .Lone\@
.Lbytes_done\@:
    beqz a1, .Lchoose\@
    /* out is at a boundary with s2 bytes of keystream pending; which shifts are to come? */
    slli s2, s2, 3
    neg ra, s2
    andi a1, a2, 7
    slli a1, a1, 3
    neg t2, a1
    li a5, IN_ALIGNED
    beqz a1, .Lblock\@
    addi a2, a2, 7
    andi a2, a2, -8
    mv a5, s2
    bnez a5, .Lblock\@
    li a5, OUT_ALIGNED
    j .Lblock\@

.Lblock0\@:
    andi t0, a1, 7
    bnez t0, .Lblock0_bytes\@
    .irp n, 0, 16, 32, 48
    ld t0, \n(sp)
    ld t1, \n + 8(sp)
    sd t0, \n(a1)
    sd t1, \n + 8(a1)
    .endr
    li a1, 0
    j .Lchoose\@
.Lblock0_bytes\@:
    mv s0, sp
    addi s1, a1, 64
.Lcopy\@:
    .irp n, 0, 2, 4, 6
    lbu t0, \n(s0)
    lbu t1, \n + 1(s0)
    sb t0, \n(a1)
    sb t1, \n + 1(a1)
    .endr
    addi s0, s0, 8
    addi a1, a1, 8
    bne a1, s1, .Lcopy\@
    li a1, 0
    j .Lchoose\@
fc_endfunc fc_chacha20_\suffix
.endm

/* void fc_hchacha20_X(uint32_t out[8], const uint32_t state[16], unsigned rounds); draft-irtf-cfrg-
 * xchacha-03, section 2.2. No stack but the saved registers. */
.macro hchacha20_function suffix
fc_func fc_hchacha20_\suffix
    fc_enter 0
    mv a3, a0
    mv a0, a1
    load_state
    lw t3, 12*4(a0)
    mv a6, a2
    permute
    store_words 0, a3, s0, s1, s2, s3
    store_words 16, a3, t3, t4, t5, t6
    fc_leave 0
    fc_clear t0, t1, t3, t4, t5, t6
    ret
fc_endfunc fc_hchacha20_\suffix
.endm
