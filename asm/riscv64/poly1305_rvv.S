/* Poly1305 for RV64 with V 1.0, any VLEN from 128 up.
 *
 *   void fc_poly1305_blocks_rvv(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
 *                               uint32_t padbit);
 *
 * Contract: csrc/backend.h. ISA: RV64IM, V (no other extension).
 *
 * L lanes, each a Horner sum of every L-th block in five limbs of 26 bits:
 *     h = h r**L + (L blocks)            and, of long messages,
 *     h = h r**(2 L) + (L blocks) r**L + (L blocks)      with one carry for both products
 * all lanes times the same power, so that a power is nine scalar registers whatever VLEN is. Then the
 * lanes are folded: (lanes below L/2) r**(L/2) + (the others), until four are left, which go through the
 * scalar step: h = (h + lane) r. L is a power of two; the first group is filled up with zeros at its
 * lower lanes. Any number of blocks is right; below 1024 bytes the scalar kernel is faster on one core or
 * another (backends.def).
 *
 * The blocks are loaded as bytes (any alignment) and sorted into words by narrowing shifts. Words 1 to 3
 * stand 6, 12 and 18 bits above the limbs in whose sums they belong: one multiplication by a power of two
 * adds each, nothing need be masked or joined.
 *
 * AVL is never more than VLMAX, so that vl = AVL (V 1.0, section 6.3): nothing depends on what an
 * implementation does with larger AVL.
 *
 * The powers r, r**2, r**4, ... are computed when first needed, and of a long message kept in p->powers
 * (FC_POWERS_RVV): five 32-bit limbs each, 20 bytes; how many bytes are there is public and stands in
 * the upper half of p->powers_kind. Nothing there depends on VLEN.
 *
 * Registers: a0 p   a1 in   a2 blocks left   a3 padbit 2**24   a4-a7, t0 limbs of the power
 *   t1-t4 5 limbs 1-4   t5 L   t6, s9, s11, ra scratch   s0 2**26 - 1   s1 address of the power
 *   s2 2**6   s3 2**12   s4 2**18   s5 5   s6 32   s7 16 L   s8 2 L (s2-s9 scratch before they are set)
 *   s10 is r**(2 L) wanted?
 *   while groups go by pairs: a2 end of the input   s7-s11 limbs of r**(2 L)   s1, a0, t5, ra 5 limbs 1-4
 *   v4, v8, v12, v16, v20 sums of products (64-bit lanes, 4 registers each)
 *   v24, v26, v28, v30, v2 limbs of h (32-bit lanes, 2 registers each)   v0 carry
 *   v24-v31 the loaded blocks, then v0, v24, v28, v30 their words: while there are no limbs
 * Clobbers: a1-a7, t0-t6, v0-v31 (what held the key or h is cleared). Stack: 352 bytes.
 *
 * Cost (docs/performance/riscv64.md): a pair of groups is 116 instructions for VLEN / 8 blocks; a call of
 * 16 KiB 8.7, 5.2, 3.5 and 2.8 instructions a block at VLEN 128, 256, 512 and 1024.
 *
 * Tried and lost (cycles per byte of the loop, llvm-mca):
 *   - one carry for each group on long messages, too: P670 0.59 instead of 0.44, X60 1.30 instead of 1.12,
 *     X280 0.75 instead of 0.65
 *   - single groups of one register a limb (LMUL 1): P670 1.00, X60 1.34, X280 0.94; they are used while
 *     there are fewer than four groups of two registers
 *   - two carry chains at once (limbs 0 and 3): three instructions more, slower everywhere beside pairs
 *     (P670 0.45, X60 1.14, X280 0.67)
 *   - folding to the last lane with vectors: 70 to 230 cycles a fold for what takes 20 to 45 a lane in
 *     scalar code; from eight lanes on: no faster on P670 and X60, and 80 instructions more
 *   - in a fold, the other lanes first in the sums and the products added to them: P670 15 cycles more
 *   - h as limbs, added to its lane of the first sums under a mask: 16 instructions on 64-bit lanes, 90
 *     cycles more on X280
 *   - segment loads (vlseg4e32 at LMUL 2): 64 cycles on X60, 44 on P670, 33 on X280, and they need aligned
 *     words; the load and six vnsrl that replace it: 80, 8 and 70 at any alignment
 */
#if defined(__riscv) && __riscv_xlen == 64
#include "arch.h"
#include "poly1305.h"

#define POWERS_RVV 4 /* FC_POWERS_RVV */
#define POWERS_KIND 56
#define POWERS_USED 60 /* upper half of powers_kind: bytes of powers in use */
#define POWERS 64      /* offset of r */
#define POWER_SIZE 20
#define LAST_LANES 4 /* from so few lanes on the scalar unit is faster */
#define CACHED_FROM 128 /* blocks */
#define STACK_POWERS (24 * LAST_LANES)
#define SCRATCH (STACK_POWERS + 144) /* lanes, and seven powers */

/* sums (v4, v8, v12, v16, v20) = or += (op: equals, plus) limbs in v24, v26, v28, v30, v2 times the power
 * with limbs r0-r4, s1-s4 = 5 r1-r4. h's limbs 0-3 < 2**26, limb 4 < 2**26.4, a block's < 2**26 and 2**25, a
 * power's < 2**26.01: two such products < 42 * 2**52.01 < 2**57.5. */
.macro products op, r0, r1, r2, r3, r4, s1, s2, s3, s4
.ifc \op, equals
    vwmulu.vx v4, v24, \r0
    vwmulu.vx v8, v24, \r1
    vwmulu.vx v12, v24, \r2
    vwmulu.vx v16, v24, \r3
    vwmulu.vx v20, v24, \r4
.else
    vwmaccu.vx v4, \r0, v24
    vwmaccu.vx v8, \r1, v24
    vwmaccu.vx v12, \r2, v24
    vwmaccu.vx v16, \r3, v24
    vwmaccu.vx v20, \r4, v24
.endif
    vwmaccu.vx v4, \s4, v26
    vwmaccu.vx v8, \r0, v26
    vwmaccu.vx v12, \r1, v26
    vwmaccu.vx v16, \r2, v26
    vwmaccu.vx v20, \r3, v26
    vwmaccu.vx v4, \s3, v28
    vwmaccu.vx v8, \s4, v28
    vwmaccu.vx v12, \r0, v28
    vwmaccu.vx v16, \r1, v28
    vwmaccu.vx v20, \r2, v28
    vwmaccu.vx v4, \s2, v30
    vwmaccu.vx v8, \s3, v30
    vwmaccu.vx v12, \s4, v30
    vwmaccu.vx v16, \r0, v30
    vwmaccu.vx v20, \r1, v30
    vwmaccu.vx v16, \s4, v2
    vwmaccu.vx v20, \r0, v2
    vwmaccu.vx v4, \s1, v2
    vwmaccu.vx v8, \s2, v2
    vwmaccu.vx v12, \s3, v2
.endm

/* by the power in a4-a7, t0, t1-t4 (r**L) and in s7-s11, s1, a0, t5, ra (r**(2 L)) */
.macro products_l op
    products \op, a4, a5, a6, a7, t0, t1, t2, t3, t4
.endm
.macro products_2l op
    products \op, s7, s8, s9, s10, s11, s1, a0, t5, ra
.endm

/* Words 0-3 of the blocks in v\raw ...: v0, v24, v28, v30. wide, lmul: LMUL for 2 L and for L 32-bit
 * lanes; leaves the latter. rd, two_l, l: operands of vsetvli. */
.macro words raw, wide, lmul, rd=zero, two_l=s8, l=t5
    vsetvli \rd, \two_l, e32, \wide, ta, ma
    vnsrl.wi v0, v\raw, 0   /* words 0 and 2 of each block */
    vnsrl.wx v24, v\raw, s6 /* words 1 and 3 */
    vsetvli \rd, \l, e32, \lmul, ta, ma
    vnsrl.wx v30, v24, s6
    vnsrl.wx v28, v0, s6
    vnsrl.wi v0, v0, 0
    vnsrl.wi v24, v24, 0
.endm

/* sums += those words */
.macro add_words
    vwmaccu.vx v16, s4, v30 /* bit 96 is bit 18 of limb 3 */
    vwaddu.wv v4, v4, v0
    vwmaccu.vx v8, s2, v24
    vwmaccu.vx v12, s3, v28
.endm

/* Limbs of the blocks, from those words: 0-3 < 2**26, limb 4 with padbit < 2**25. */
.macro limbs
    vsrl.vi v2, v30, 8
    vsll.vi v30, v30, 18
    vsrl.vi v26, v28, 14
    vsll.vi v28, v28, 12
    vor.vv v30, v30, v26
    vsrl.vi v26, v24, 20
    vor.vv v28, v28, v26
    vsll.vi v26, v24, 6
    vsrl.vi v24, v0, 26
    vor.vv v26, v26, v24
    vand.vx v24, v0, s0
    vand.vx v26, v26, s0
    vand.vx v28, v28, s0
    vand.vx v30, v30, s0
    vadd.vx v2, v2, a3
.endm

/* Limbs of h = sums, carried: limbs 0-3 < 2**26, limb 4 < 2**26 + 2**6. Sums < 2**58, so that each carry
 * has 32 bits. */
.macro carry
    vnsrl.wi v0, v16, 26
    vnsrl.wi v30, v16, 0
    vwaddu.wv v20, v20, v0
    vand.vx v30, v30, s0
    vnsrl.wi v24, v20, 26
    vnsrl.wi v2, v20, 0
    vwmaccu.vx v4, s5, v24 /* 2**130 = 5 */
    vand.vx v2, v2, s0
    vnsrl.wi v26, v4, 26
    vnsrl.wi v24, v4, 0
    vwaddu.wv v8, v8, v26
    vand.vx v24, v24, s0
    vnsrl.wi v28, v8, 26
    vnsrl.wi v26, v8, 0
    vwaddu.wv v12, v12, v28
    vand.vx v26, v26, s0
    vnsrl.wi v0, v12, 26
    vnsrl.wi v28, v12, 0
    vadd.vv v30, v30, v0
    vand.vx v28, v28, s0
    vsrl.vi v0, v30, 26
    vand.vx v30, v30, s0
    vadd.vv v2, v2, v0
.endm

/* load, wide, lmul: LMUL for 16 L bytes, for 2 L and for L 32-bit lanes. */
.macro first_group load, wide, lmul
    /* It may be short: t6 = the lanes that stay 0, below its blocks. */
    addi t6, t5, -1
    add t1, a2, t6
    and t1, t1, t6
    addi t1, t1, 1 /* its blocks, 1 to L */
    sub a2, a2, t1
    sub t6, t5, t1
    slli t1, t1, 4
    vsetvli zero, t1, e8, \load, ta, ma
    vle8.v v24, (a1)
    add a1, a1, t1
    /* h is added to its first block; s9 = the top word */
    vsetivli zero, 2, e64, m1, tu, ma
    ld t1, 0(a0)
    ld t2, 8(a0)
    ld s9, 16(a0)
    vslidedown.vi v4, v24, 1
    vmv.x.s t3, v24
    vmv.x.s t4, v4
    add t1, t1, t3
    sltu t3, t1, t3
    add t2, t2, t4
    sltu t4, t2, t4
    add t2, t2, t3
    sltu t3, t2, t3
    add s9, s9, t4
    add s9, s9, t3
    vmv.s.x v4, t2
    vslide1up.vx v24, v4, t1
    /* to the upper lanes */
    slli t1, t6, 1
    vsetvli zero, s8, e64, \load, ta, ma
    vmv.v.i v8, 0
    vslideup.vx v8, v24, t1
    vsetvli zero, t5, e32, \lmul, tu, ma
    slli s9, s9, 24
    add s9, s9, a3
    vmv.v.x v0, a3
    vmv.s.x v0, s9
    vmv.v.i v22, 0
    vslideup.vx v22, v0, t6
    times5 /* t1-t4 were in use */
    words 8, \wide, \lmul
    vwcvtu.x.x.v v20, v22
    vwmulu.vx v16, v30, s4
    vwcvtu.x.x.v v4, v0
    vwmulu.vx v8, v24, s2
    vwmulu.vx v12, v28, s3
    carry
.endm

/* h = h r**L + L blocks, while there are any */
.macro groups load, wide, lmul
    beqz a2, .Lend\@
.Lgroup\@:
    products_l equals
    vsetvli zero, s7, e8, \load, ta, ma
    vle8.v v24, (a1)
    add a1, a1, s7
    sub a2, a2, t5
    words 24, \wide, \lmul
    add_words
    carry
    vadd.vx v2, v2, a3 /* limb 4 < 2**26.4 */
    bnez a2, .Lgroup\@
.Lend\@:
.endm

/* h = h r**(2 L) + L blocks r**L + L blocks: one carry for two groups. L is VLMAX, so that no register need
 * hold it. */
.macro pairs
    sd a0, 0(sp)
    sd s1, 8(sp)
    sd t5, 16(sp)
    and t6, a2, t5 /* blocks left for a single group */
    sd t6, 24(sp)
    sub a2, a2, t6
    slli a2, a2, 4
    add a2, a2, a1 /* the end */
    lwu s7, POWER_SIZE(s1)
    lwu s8, POWER_SIZE + 4(s1)
    lwu s9, POWER_SIZE + 8(s1)
    lwu s10, POWER_SIZE + 12(s1)
    lwu s11, POWER_SIZE + 16(s1)
    slli s1, s8, 2
    slli a0, s9, 2
    slli t5, s10, 2
    slli ra, s11, 2
    add s1, s1, s8
    add a0, a0, s9
    add t5, t5, s10
    add ra, ra, s11
.Lpair\@:
    products_2l equals
    vsetvli t6, zero, e8, m8, ta, ma
    vle8.v v24, (a1)
    add a1, a1, t6
    words 24, m4, m2, t6, zero, zero
    limbs
    products_l plus
    vsetvli t6, zero, e8, m8, ta, ma
    vle8.v v24, (a1)
    add a1, a1, t6
    words 24, m4, m2, t6, zero, zero
    add_words
    carry
    vadd.vx v2, v2, a3 /* limb 4 < 2**26.4 */
    bne a1, a2, .Lpair\@
    ld a0, 0(sp)
    ld s1, 8(sp)
    ld t5, 16(sp)
    ld a2, 24(sp)
    slli s7, t5, 4
    slli s8, t5, 1
.endm

/* (l0, ..., l4) = the limbs of x0 + 2**64 x1; what is above 2**128 is left to the caller. */
.macro split x0, x1, l0, l1, l2, l3, l4
    and \l0, \x0, s0
    srli \l1, \x0, 26
    and \l1, \l1, s0
    srli \l2, \x0, 52
    slli \l3, \x1, 12
    or \l2, \l2, \l3
    and \l2, \l2, s0
    srli \l3, \x1, 14
    and \l3, \l3, s0
    srli \l4, \x1, 40
.endm

/* (a4, a5, a6, a7, t0) = its square, limbs < 2**26 + 2**8. Uses t1-t6, s2-s8. */
.macro square
    slli t1, t0, 2
    add t1, t1, t0 /* 5 x4 */
    slli t2, a7, 2
    add t2, t2, a7 /* 5 x3 */
    slli t3, a4, 1 /* 2 x0 */
    slli t4, a5, 1 /* 2 x1 */
    slli t6, a6, 1 /* 2 x2 */
    mul s2, a4, a4
    mul s7, t4, t1
    mul s8, t6, t2
    mul s3, t3, a5
    add s2, s2, s7
    add s2, s2, s8 /* x0**2 + 2 x1 5x4 + 2 x2 5x3 */
    mul s7, t6, t1
    mul s8, a7, t2
    mul s4, t3, a6
    add s3, s3, s7
    add s3, s3, s8 /* 2 x0 x1 + 2 x2 5x4 + x3 5x3 */
    mul s7, a5, a5
    slli t2, a7, 1
    mul s8, t2, t1
    mul s5, t3, a7
    add s4, s4, s7
    add s4, s4, s8 /* 2 x0 x2 + x1**2 + 2 x3 5x4 */
    mul s7, t4, a6
    mul s8, t0, t1
    mul s6, t3, t0
    add s5, s5, s7
    add s5, s5, s8 /* 2 x0 x3 + 2 x1 x2 + x4 5x4 */
    mul s7, t4, a7
    mul s8, a6, a6
    add s6, s6, s7
    add s6, s6, s8 /* 2 x0 x4 + 2 x1 x3 + x2**2 */
    srli t1, s2, 26
    and a4, s2, s0
    add s3, s3, t1
    srli t1, s3, 26
    and a5, s3, s0
    add s4, s4, t1
    srli t1, s4, 26
    and a6, s4, s0
    add s5, s5, t1
    srli t1, s5, 26
    and a7, s5, s0
    add s6, s6, t1
    srli t1, s6, 26
    and t0, s6, s0
    add a4, a4, t1
    slli t1, t1, 2
    add a4, a4, t1
    srli t1, a4, 26
    and a4, a4, s0
    add a5, a5, t1
.endm

.macro load_power at
    lwu a4, 0(\at)
    lwu a5, 4(\at)
    lwu a6, 8(\at)
    lwu a7, 12(\at)
    lwu t0, 16(\at)
.endm

.macro store_power at
    sw a4, 0(\at)
    sw a5, 4(\at)
    sw a6, 8(\at)
    sw a7, 12(\at)
    sw t0, 16(\at)
.endm

/* t1-t4 = 5 times limbs 1-4 */
.macro times5
    slli t1, a5, 2
    slli t2, a6, 2
    slli t3, a7, 2
    slli t4, t0, 2
    add t1, t1, a5
    add t2, t2, a6
    add t3, t3, a7
    add t4, t4, t0
.endm

    fc_extension +v
fc_func fc_poly1305_blocks_rvv
    beqz a2, .Lnothing
    fc_enter SCRATCH
    li s0, 1
    slli s0, s0, 26
    addi s0, s0, -1
    andi a3, a3, 1
    slli a3, a3, 24

    /* L = the largest power of two that is at most half the number of blocks and that a register holds;
     * two registers are worth their longer fold from four groups on, pairs one more power from eight on.
     * s1 = offset of the last power needed. */
    vsetvli t4, zero, e32, m1, ta, ma
    srli t2, a2, 1
    li t5, 1
    li s1, 0
    li s10, 0
    bgeu t4, t2, 1f
    mv t2, t4
1:  slli t1, t5, 1
    bltu t2, t1, 2f
    mv t5, t1
    addi s1, s1, POWER_SIZE
    j 1b
2:  bltu t5, t4, 3f
    slli t1, t5, 3
    bltu a2, t1, 3f
    slli t5, t5, 1
    addi s1, s1, POWER_SIZE
    slli t1, t5, 3
    sltu s10, a2, t1
    xori s10, s10, 1 /* pairs */
    beqz s10, 3f
    addi s1, s1, POWER_SIZE
3:
    /* Powers: those in the state, or else new ones, in the state if the message is long, and on the
     * stack if wiping the state's would cost too much. s1 = address of the last that is
     * needed, s9 = of the last that is there. */
    lwu t1, POWERS_KIND(a0)
    li t2, POWERS_RVV
    li t3, CACHED_FROM
    beq t1, t2, 5f
    addi s9, sp, STACK_POWERS
    bltu a2, t3, 4f
    sw t2, POWERS_KIND(a0)
    addi s9, a0, POWERS
    addi t1, s1, POWER_SIZE
    sw t1, POWERS_USED(a0)
4:  add s1, s1, s9
    ld t1, 24(a0)
    ld t2, 32(a0)
    split t1, t2, a4, a5, a6, a7, t0
    store_power s9
    j 6f
5:  lwu t1, POWERS_USED(a0)
    addi s9, a0, POWERS - POWER_SIZE
    add s9, s9, t1
    addi t2, s1, POWER_SIZE
    addi s1, s1, POWERS
    add s1, s1, a0
    bgeu t1, t2, 8f
    sw t2, POWERS_USED(a0)
    load_power s9
6:  beq s9, s1, 8f
7:  square
    addi s9, s9, POWER_SIZE
    store_power s9
    bne s9, s1, 7b
    beqz s10, 9f
8:  beqz s10, 1f
    addi s1, s1, -POWER_SIZE
1:  load_power s1
9:
    slli s7, t5, 4
    slli s8, t5, 1
    li s2, 1 << 6
    slli s3, s2, 6
    slli s4, s3, 6
    li s5, 5
    li s6, 32

    vsetvli t6, zero, e32, m1, ta, ma
    bltu t6, t5, 1f
    first_group m4, m2, m1
    groups m4, m2, m1
    j 3f
1:  first_group m8, m4, m2
    beqz s10, 2f
    pairs
2:  groups m8, m4, m2
3:
    /* Fold until few lanes are left: the lanes below L/2 times r**(L/2) + the others. L/2 lanes are a
     * register at most. */
    li s7, LAST_LANES
    bleu t5, s7, 4f
3:  srli t5, t5, 1
    addi s1, s1, -POWER_SIZE
    load_power s1
    vsetvli zero, t5, e32, m2, ta, ma
    vslidedown.vx v6, v24, t5
    vslidedown.vx v10, v26, t5
    vslidedown.vx v14, v28, t5
    vslidedown.vx v18, v30, t5
    vslidedown.vx v22, v2, t5
    times5
    vsetvli zero, t5, e32, m1, ta, ma
    products_l equals
    vwaddu.wv v16, v16, v18
    vwaddu.wv v20, v20, v22
    vwaddu.wv v4, v4, v6
    vwaddu.wv v8, v8, v10
    vwaddu.wv v12, v12, v14
    carry
    bltu s7, t5, 3b
4:
    /* To words of 64 bits, which go through the scalar step lane by lane: h = (h + lane) r. Limb 4 is
     * below 2**26.4, so that a lane's top word is at most 5. */
    vsetvli zero, t5, e32, m1, ta, ma
    li t1, 1 << 14
    vwcvtu.x.x.v v4, v24
    vwmulu.vx v8, v30, t1
    vsrl.vi v12, v28, 12
    slli t2, s2, 20
    vwcvtu.x.x.v v16, v2
    vwcvtu.x.x.v v20, v28
    vwmaccu.vx v4, t2, v26
    vwaddu.wv v8, v8, v12
    vsetvli zero, t5, e64, m2, ta, ma
    li t1, 52
    li t2, 40
    vsll.vx v20, v20, t1
    vsll.vx v24, v16, t2
    vor.vv v4, v4, v20
    vor.vv v8, v8, v24
    vsrl.vi v12, v16, 24
    addi s7, sp, 8 * LAST_LANES
    addi s8, sp, 16 * LAST_LANES
    vse64.v v4, (sp)
    vse64.v v8, (s7)
    vse64.v v12, (s8)
    ld t3, 24(a0)
    ld t4, 32(a0)
    mv a1, sp
    slli t5, t5, 3
    add s9, sp, t5
    srli t5, t4, 2
    add t5, t5, t4
    li a4, 0
    li a5, 0
    li a6, 0
5:  ld t1, 0(a1)
    ld t2, 8 * LAST_LANES(a1)
    ld a3, 16 * LAST_LANES(a1)
    addi a1, a1, 8
    poly1305_step a4, a5, a6, t3, t4, t5, a3, t1, t2, t6, a2, a7, t0, s2, s1
    bne a1, s9, 5b
    poly1305_fold a4, a5, a6, t1, t2
    sd a4, 0(a0)
    sd a5, 8(a0)
    sd a6, 16(a0)

    vsetvli s2, zero, e8, m8, ta, ma
    vmv.v.i v0, 0
    vmv.v.i v8, 0
    vmv.v.i v16, 0
    vmv.v.i v24, 0
    li s2, SCRATCH / 2 /* 120: within VLMAX */
    vsetvli zero, s2, e8, m8, ta, ma
    addi s1, sp, SCRATCH / 2
    vse8.v v0, (sp)
    vse8.v v0, (s1)
    fc_leave SCRATCH
    fc_clear a1, a2, a3, a4, a5, a6, a7, t0, t1, t2, t3, t4, t5, t6
.Lnothing:
    ret
fc_endfunc fc_poly1305_blocks_rvv
    fc_extension_end
#endif
#include "../fc_asm.h" /* the stack note, where this file is empty too */
