/* Poly1305 for RV64IM, scalar.
 *
 *   void fc_poly1305_blocks_rv64(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
 *                                uint32_t padbit);
 *
 * Contract: csrc/backend.h. ISA: RV64I, M (mul, mulhu).
 *
 * Nothing is read misaligned and nothing outside the buffer. Where in is no multiple of 8, not the input
 * is shifted but h: with k = 8 (in mod 8) the loop computes g = 2**k h. Doublewords read at multiples
 * of 8 are 2**k times the message, but for two of each block: of the first the k low bits, which
 * belong to the block before, are cleared, and of the last nothing but these k bits is added, at
 * 2**128, that is to h2, where there is room: it is folded next. The bytes before the first and after
 * the last such doubleword are read in pieces of 1, 2 and 4. In the end g is divided by 2**k.
 *
 * Registers: a0 p   a1 in   a2 end of the loop   a3 padbit, 2**k padbit   t0-t2 h   t3, t4 r
 *   t5 5 r1 / 4   a4, a5 block   t6, a6, a7, s0-s2 scratch   s3 2**k - 1   s4 in mod 8   a4, s5
 *   the doubleword that two blocks share
 * Clobbers: a1-a7, t0-t6 (what held the key or h is cleared). Stack: 48 bytes of saved registers.
 *
 * Instructions: 43 a block, misaligned 45; 51 a call, misaligned about 130. Modelled cycles a block:
 * 28 (sifive-u74, sifive-x280), 29 (spacemit-x60), 18 (p470), 17 (p670).
 *
 * Lost: shifting the input, 6 instructions a block; folding h2 at the end of the step, 2; the additions
 * between the multiplications, as early as they can be done: 45 cycles on spacemit-x60, whose model
 * retires in order, for 27 on sifive-u74 and 17 on p470.
 */
#if defined(__riscv) && __riscv_xlen == 64
#include "arch.h"
#include "poly1305.h"

.macro step m0, pad
    poly1305_step t0, t1, t2, t3, t4, t5, \pad, \m0, a5, t6, a6, a7, s0, s1, s2
.endm

/* A misaligned block, the doublewords at and after at(a1); \first is what the block before has left of the
 * one before them, \next what this block leaves. */
.macro shifted_step first, next, at
    ld a5, \at(a1)
    ld \next, \at + 8(a1)
    and t6, \next, s3
    xor \next, \next, t6
    add t6, t6, a3
    add t2, t2, t6
    step \first
.endm

/* `to` |= the next `size` bytes, where they belong in the doubleword at a1, if `test` says so */
.macro piece load, size, test, to
    andi t6, \test, \size
    beqz t6, 1f
    \load a6, 0(a1)
    slli t6, a1, 3 /* a shift is modulo 64 */
    sll a6, a6, t6
    or \to, \to, a6
    addi a1, a1, \size
1:
.endm

fc_func fc_poly1305_blocks_rv64
    beqz a2, .Lnothing
    addi sp, sp, -48
    .cfi_def_cfa_offset 48
    sd s0, 40(sp)
    sd s1, 32(sp)
    sd s2, 24(sp)
    sd s3, 16(sp)
    sd s4, 8(sp)
    sd s5, 0(sp)
    .cfi_offset s0, -8
    .cfi_offset s1, -16
    .cfi_offset s2, -24
    .cfi_offset s3, -32
    .cfi_offset s4, -40
    .cfi_offset s5, -48
    andi a3, a3, 1
    ld t3, 24(a0)
    ld t4, 32(a0)
    ld t0, 0(a0)
    ld t1, 8(a0)
    ld t2, 16(a0)
    srli t5, t4, 2
    add t5, t5, t4
    slli a2, a2, 4
    add a2, a2, a1
    andi s4, a1, 7
    bnez s4, .Lmisaligned
.Laligned:
    ld a4, 0(a1)
    ld a5, 8(a1)
    addi a1, a1, 16
    step a4, a3
    bne a1, a2, .Laligned

.Ldone:
    poly1305_fold t0, t1, t2, t6, a6
    sd t0, 0(a0)
    sd t1, 8(a0)
    sd t2, 16(a0)
    ld s0, 40(sp)
    ld s1, 32(sp)
    ld s2, 24(sp)
    ld s3, 16(sp)
    ld s4, 8(sp)
    ld s5, 0(sp)
    addi sp, sp, 48
    .cfi_def_cfa_offset 0
    fc_clear t0, t1, t2, t3, t4, t5, t6, a4, a5, a6, a7
.Lnothing:
    ret

.Lmisaligned:
    .cfi_def_cfa_offset 48
    /* g = 2**k h < 2**(131 + 56) */
    slli t6, s4, 3
    neg a6, t6
    srl a7, t1, a6
    sll t2, t2, t6
    or t2, t2, a7
    srl a7, t0, a6
    sll t1, t1, t6
    or t1, t1, a7
    sll t0, t0, t6
    sll a3, a3, t6
    li s3, 1
    sll s3, s3, t6
    addi s3, s3, -1
    /* up to the first boundary; the last block's last doubleword is not to be read as one */
    li a4, 0
    piece lbu, 1, a1, a4
    piece lhu, 2, a1, a4
    piece lwu, 4, a1, a4
    sub a2, a2, s4
    addi a2, a2, -8
    sub t6, a2, a1
    andi t6, t6, 16
    beqz t6, .Lpairs
    shifted_step a4, s5, 0
    mv a4, s5
    addi a1, a1, 16
.Lpairs:
    beq a1, a2, .Llast
.Lshifted:
    shifted_step a4, s5, 0
    shifted_step s5, a4, 16
    addi a1, a1, 32
    bne a1, a2, .Lshifted
.Llast:
    ld a5, 0(a1)
    addi a1, a1, 8
    mv s5, a3
    piece lwu, 4, s4, s5
    piece lhu, 2, s4, s5
    piece lbu, 1, s4, s5
    add t2, t2, s5
    step a4
    /* h = g / 2**k: with q = g / 5 modulo 2**k, g + q p = (g - 5 q) + 2**130 q is a multiple of 2**k.
     * 1 / 5 modulo 2**64 is -0x3333333333333333. */
    slli t6, s4, 3
    lui a6, 0x33333
    addi a6, a6, 0x333
    slli a7, a6, 32
    add a6, a6, a7
    poly1305_fold t0, t1, t2, s0, s1
    mul a6, a6, t0
    neg a6, a6
    and a6, a6, s3 /* q */
    slli a7, a6, 2
    add t2, t2, a7 /* 2**130 q */
    add a7, a7, a6
    sltu s0, t0, a7
    sub t0, t0, a7
    sltu s1, t1, s0
    sub t1, t1, s0
    sub t2, t2, s1
    neg a6, t6
    srl t0, t0, t6
    sll a7, t1, a6
    or t0, t0, a7
    srl t1, t1, t6
    sll a7, t2, a6
    or t1, t1, a7
    srl t2, t2, t6
    j .Ldone
fc_endfunc fc_poly1305_blocks_rv64

#endif
#include "../fc_asm.h" /* the stack note, where this file is empty too */
