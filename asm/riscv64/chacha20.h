/* Scalar ChaCha20 and HChaCha20 for RV64: the body of chacha20_rv64.S and chacha20_zbb.S, which define
 * the macro `rotl4 n, d0, d1, d2, d3` (four words <<< n, sign-extended; t0-t2, ra are free) and say
 * `chacha20_function <suffix>` and `hchacha20_function <suffix>`.
 *
 * One block at a time, the whole state in registers; the four quarter-rounds of a round side by side,
 * so that no instruction depends on the one before it (in-order dual issue). Words are kept
 * sign-extended, as addw and lw leave them.
 *
 * Registers: a0 state   a1 block0, once   a2 in   a3 out   a4 len left   a5 rounds
 *   a6 rounds left, then scratch   a7 block counter
 *   s0-s11, t3-t6  x0-x15             t0-t2, ra  scratch
 * Clobbers: a1-a7, t0-t6 (what held key or keystream is cleared).
 * Stack: 112 bytes of saved registers, 64 bytes for the keystream of a misaligned or partial block
 * (cleared).
 */
#include "arch.h"

/* One step of four quarter-rounds: a += b; d = (d ^ a) <<< n. */
.macro step n, a0, a1, a2, a3, b0, b1, b2, b3, d0, d1, d2, d3
    addw \a0, \a0, \b0
    addw \a1, \a1, \b1
    addw \a2, \a2, \b2
    addw \a3, \a3, \b3
    xor \d0, \d0, \a0
    xor \d1, \d1, \a1
    xor \d2, \d2, \a2
    xor \d3, \d3, \a3
    rotl4 \n, \d0, \d1, \d2, \d3
.endm

/* x = the permutation of x: a5 / 2 double rounds (RFC 8439, section 2.3). Uses a6. */
.macro permute
    mv a6, a5
1:  /* columns: (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15) */
    step 16, s0, s1, s2, s3, s4, s5, s6, s7, t3, t4, t5, t6
    step 12, s8, s9, s10, s11, t3, t4, t5, t6, s4, s5, s6, s7
    step 8, s0, s1, s2, s3, s4, s5, s6, s7, t3, t4, t5, t6
    step 7, s8, s9, s10, s11, t3, t4, t5, t6, s4, s5, s6, s7
    /* diagonals: (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14) */
    step 16, s0, s1, s2, s3, s5, s6, s7, s4, t6, t3, t4, t5
    step 12, s10, s11, s8, s9, t6, t3, t4, t5, s5, s6, s7, s4
    step 8, s0, s1, s2, s3, s5, s6, s7, s4, t6, t3, t4, t5
    step 7, s10, s11, s8, s9, t6, t3, t4, t5, s5, s6, s7, s4
    addi a6, a6, -2
    bnez a6, 1b
.endm

.macro load_state
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
    lw t4, 52(a0)
    lw t5, 56(a0)
    lw t6, 60(a0)
.endm

/* Four words += state words from `at` on. */
.macro add_state at, x0, x1, x2, x3
    lw t0, \at(a0)
    lw t1, \at + 4(a0)
    lw t2, \at + 8(a0)
    lw ra, \at + 12(a0)
    addw \x0, \x0, t0
    addw \x1, \x1, t1
    addw \x2, \x2, t2
    addw \x3, \x3, ra
.endm

/* Four words of out = in ^ keystream; both 4-byte aligned. */
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

.macro store_words at, base, x0, x1, x2, x3
    sw \x0, \at(\base)
    sw \x1, \at + 4(\base)
    sw \x2, \at + 8(\base)
    sw \x3, \at + 12(\base)
.endm

/* Four bytes of out = in ^ the keystream word x, by bytes: all loads before the stores. x is used up. */
.macro xor_bytes at, x
    lbu t0, \at(a2)
    lbu t1, \at + 1(a2)
    lbu t2, \at + 2(a2)
    lbu ra, \at + 3(a2)
    slli t1, t1, 8
    slli t2, t2, 16
    slli ra, ra, 24
    or t0, t0, t1
    or t2, t2, ra
    xor t0, t0, \x
    xor t0, t0, t2
    srli t1, t0, 8
    srli t2, t0, 16
    srli ra, t0, 24
    sb t0, \at(a3)
    sb t1, \at + 1(a3)
    sb t2, \at + 2(a3)
    sb ra, \at + 3(a3)
.endm

.macro chacha20_function suffix
fc_func fc_chacha20_\suffix
    fc_enter 64
    lw a7, 12*4(a0)
    bnez a1, .Lblock\@
    beqz a4, .Ldone\@
.Lblock\@:
    load_state
    mv t3, a7
    permute
    add_state 0, s0, s1, s2, s3
    add_state 16, s4, s5, s6, s7
    add_state 32, s8, s9, s10, s11
    lw t1, 52(a0)
    lw t2, 56(a0)
    lw ra, 60(a0)
    addw t3, t3, a7
    addw t4, t4, t1
    addw t5, t5, t2
    addw t6, t6, ra
    addiw a7, a7, 1
    bnez a1, .Lspill\@ /* block 0 goes to a buffer of its own */
    li a6, 64
    bltu a4, a6, .Lspill\@
    or t0, a2, a3
    andi t0, t0, 3
    bnez t0, .Lmisaligned\@
    xor_words 0, s0, s1, s2, s3
    xor_words 16, s4, s5, s6, s7
    xor_words 32, s8, s9, s10, s11
    xor_words 48, t3, t4, t5, t6
.Lnext\@:
    addi a2, a2, 64
    addi a3, a3, 64
    addi a4, a4, -64
    bnez a4, .Lblock\@
.Ldone\@:
    fc_leave 64
    fc_clear t0, t1, t2, t3, t4, t5, t6
    ret

.Lmisaligned\@:
    .set at, 0
    .irp x, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, t3, t4, t5, t6
    xor_bytes at, \x
    .set at, at + 4
    .endr
    j .Lnext\@

.Lspill\@: /* keystream to the stack */
    store_words 0, sp, s0, s1, s2, s3
    store_words 16, sp, s4, s5, s6, s7
    store_words 32, sp, s8, s9, s10, s11
    store_words 48, sp, t3, t4, t5, t6
    mv t2, sp
    beqz a1, .Ltail\@
    li a6, 64
.Lcopy\@: /* block0 = keystream, by bytes */
    lbu t0, 0(t2)
    addi t2, t2, 1
    sb t0, 0(a1)
    addi a1, a1, 1
    addi a6, a6, -1
    bnez a6, .Lcopy\@
    li a1, 0
    bnez a4, .Lblock\@
    j .Lwipe\@
.Ltail\@: /* the last bytes: out = in ^ keystream */
    lbu t0, 0(a2)
    lbu t1, 0(t2)
    addi a2, a2, 1
    addi t2, t2, 1
    xor t0, t0, t1
    sb t0, 0(a3)
    addi a3, a3, 1
    addi a4, a4, -1
    bnez a4, .Ltail\@
.Lwipe\@:
    .irp n, 0, 8, 16, 24, 32, 40, 48, 56
    sd zero, \n(sp)
    .endr
    j .Ldone\@
fc_endfunc fc_chacha20_\suffix
.endm

/* void fc_hchacha20_X(uint32_t out[8], const uint32_t state[16], unsigned rounds); draft-irtf-cfrg-
 * xchacha-03, section 2.2. No stack but the saved registers. */
.macro hchacha20_function suffix
fc_func fc_hchacha20_\suffix
    fc_enter 0
    mv a3, a0
    mv a0, a1
    mv a5, a2
    load_state
    lw t3, 12*4(a0)
    permute
    store_words 0, a3, s0, s1, s2, s3
    store_words 16, a3, t3, t4, t5, t6
    fc_leave 0
    fc_clear t0, t1, t2, t3, t4, t5, t6
    ret
fc_endfunc fc_hchacha20_\suffix
.endm
