/* Poly1305 for RV64IM, scalar.
 *
 *   void fc_poly1305_blocks_rv64(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
 *                                uint32_t padbit);
 *
 * Contract: csrc/backend.h. ISA: RV64I, M (mul, mulhu).
 *
 * Input at an address that is no multiple of 8 is read as the aligned doublewords that lie in it,
 * each shifted into two; the bytes before the first and behind the last of them are read singly, so
 * that nothing is misaligned and nothing outside the buffer is touched.
 *
 * Registers: a0 p   a1 in   a2 blocks left   a3 padbit   t0-t2 h   t3, t4 r   t5 5 r1 / 4
 *   a4, a5 block   t6, a6, a7, s0-s2 scratch   s3 8 (in & 7)   s4 64 - s3   s5 last doubleword read
 * Clobbers: a1, a2, a4-a7, t0-t6 (what held the key or h is cleared). Stack: 48 bytes of saved registers.
 */
#if defined(__riscv) && __riscv_xlen == 64
#include "arch.h"
#include "poly1305.h"

.macro step
    poly1305_step t0, t1, t2, t3, t4, t5, a3, a4, a5, t6, a6, a7, s0, s1, s2
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
    ld t3, 24(a0)
    ld t4, 32(a0)
    ld t0, 0(a0)
    ld t1, 8(a0)
    ld t2, 16(a0)
    srli t5, t4, 2
    add t5, t5, t4
    andi s3, a1, 7
    slli a2, a2, 4
    bnez s3, .Lmisaligned
    add a2, a2, a1 /* the end */
.Laligned:
    ld a4, 0(a1)
    ld a5, 8(a1)
    addi a1, a1, 16
    step
    bne a1, a2, .Laligned

.Ldone:
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
    /* s5 = the bytes up to the first boundary, the last of them on top; a2 = the last boundary */
    add a2, a2, a1
    andi a2, a2, -8
    li s4, 64
    slli s3, s3, 3
    sub s4, s4, s3
    li s5, 0
.Lfirst:
    lbu t6, 0(a1)
    srli s5, s5, 8
    slli t6, t6, 56
    or s5, s5, t6
    addi a1, a1, 1
    andi t6, a1, 7
    bnez t6, .Lfirst
    addi a2, a2, -8
    beq a1, a2, .Llast
.Lshifted: /* two doublewords make, with the one before them, a block */
    ld a5, 0(a1)
    srl a4, s5, s3
    ld s5, 8(a1)
    sll t6, a5, s4
    srl a5, a5, s3
    or a4, a4, t6
    sll t6, s5, s4
    or a5, a5, t6
    addi a1, a1, 16
    step
    bne a1, a2, .Lshifted
.Llast: /* one doubleword and s3 / 8 bytes */
    ld a5, 0(a1)
    srl a4, s5, s3
    sll t6, a5, s4
    or a4, a4, t6
    srl a5, a5, s3
    mv a6, s4 /* where the next byte goes */
    li a7, 64
.Lbytes:
    lbu t6, 8(a1)
    addi a1, a1, 1
    sll t6, t6, a6
    or a5, a5, t6
    addi a6, a6, 8
    bne a6, a7, .Lbytes
    step
    j .Ldone
fc_endfunc fc_poly1305_blocks_rv64

#endif
#include "../fc_asm.h" /* the stack note, where this file is empty too */
