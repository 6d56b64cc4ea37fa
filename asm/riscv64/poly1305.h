/* Scalar Poly1305 for RV64M: limbs of 64 bits, as struct fc_poly1305 keeps them, but h2 is folded only
 * when the next block comes, together with its carries: poly1305_step for each block, poly1305_fold at
 * the end.
 *
 * Registers: \h0 \h1 \h2 h   \r0 \r1 r   \s1 = r1 + r1 / 4 = 5 r1 / 4 (r is clamped: r1 is a multiple
 * of 4, and 2**128 r1 = 2**130 r1 / 4 = 5 r1 / 4)   \m0 \m1 the block, used up   \pad padbit
 * (left out: it is in h2 already)   \c0 to \c5 scratch
 */

/* h = (h + block + padbit * 2**128) * r; h2 < 2**63 + 2**62 before and < 2**63 after. 39 instructions. */
.macro poly1305_step h0, h1, h2, r0, r1, s1, pad, m0, m1, c0, c1, c2, c3, c4, c5
    /* h += block; c0 = what stands above 2**130, times 5 = c + c / 4 with c a multiple of 4 */
    andi \c0, \h2, -4
    srli \c1, \h2, 2
    add \h0, \h0, \m0
    add \h1, \h1, \m1
    add \c0, \c0, \c1
    sltu \m0, \h0, \m0
    add \h0, \h0, \c0
    sltu \m1, \h1, \m1
    sltu \c0, \h0, \c0
    andi \h2, \h2, 3
    add \m0, \m0, \c0
    add \h2, \h2, \m1
    add \h1, \h1, \m0
.ifnb \pad
    add \h2, \h2, \pad
.endif
    sltu \m0, \h1, \m0
    add \h2, \h2, \m0
    /* h *= r: h2 <= 6, r0 and r1 < 2**60, s1 < 2**61 */
    mul \c1, \h0, \r0
    mulhu \c2, \h0, \r0 /* d0 = h0 r0 */
    mul \c3, \h0, \r1
    mulhu \c4, \h0, \r1 /* d1 = h0 r1 */
    mul \h0, \h1, \s1
    mulhu \c5, \h1, \s1 /* d0 += h1 s1 */
    mul \c0, \h2, \s1 /* d1 += h2 s1 < 2**63 */
    mul \m1, \h1, \r0
    mulhu \h1, \h1, \r0 /* d1 += h1 r0 */
    mul \h2, \h2, \r0 /* d2 = h2 r0 < 2**63 */
    add \h0, \h0, \c1
    add \c2, \c2, \c5
    sltu \c1, \h0, \c1
    add \c0, \c0, \c2
    add \c3, \c3, \m1
    add \c0, \c0, \c1 /* < 2**64: h2 s1 and what d0 carries into d1 */
    sltu \m1, \c3, \m1
    add \c4, \c4, \h1
    add \h1, \c3, \c0
    add \c4, \c4, \m1
    sltu \c0, \h1, \c0
    add \h2, \h2, \c4
    add \h2, \h2, \c0
.endm

/* h2 <= 4, as the state wants it. */
.macro poly1305_fold h0, h1, h2, c0, c1
    andi \c0, \h2, -4
    srli \c1, \h2, 2
    andi \h2, \h2, 3
    add \c0, \c0, \c1
    add \h0, \h0, \c0
    sltu \c0, \h0, \c0
    add \h1, \h1, \c0
    sltu \c0, \h1, \c0
    add \h2, \h2, \c0
.endm
