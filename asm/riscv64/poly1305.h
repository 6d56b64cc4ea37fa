/* The scalar Poly1305 step for RV64M: limbs of 64 bits, as struct fc_poly1305 keeps them.
 *
 * Registers: \h0 \h1 \h2 h   \r0 \r1 r   \s1 = r1 + r1 / 4 = 5 r1 / 4 (r is clamped: r1 is a multiple
 * of 4, and 2**128 r1 = 2**130 r1 / 4 = 5 r1 / 4)   \pad padbit   \m0 \m1 the block, used up
 */

/* h = (h + block + padbit * 2**128) * r, h2 <= 4 before and after. c0-c5 are scratch. */
.macro poly1305_step h0, h1, h2, r0, r1, s1, pad, m0, m1, c0, c1, c2, c3, c4, c5
    /* h += block */
    add \h0, \h0, \m0
    add \h1, \h1, \m1
    sltu \c0, \h0, \m0
    sltu \c1, \h1, \m1
    add \h1, \h1, \c0
    add \h2, \h2, \pad
    sltu \c0, \h1, \c0
    add \h2, \h2, \c1
    /* h *= r: h2 <= 6, r0 and r1 < 2**60, s1 < 2**61: the middle sum below 2**127 */
    mul \m0, \h0, \r0
    mulhu \m1, \h0, \r0 /* d0 = h0 r0 */
    mul \c1, \h1, \s1
    mulhu \c2, \h1, \s1 /* h1 s1 */
    add \h2, \h2, \c0
    mul \c3, \h0, \r1
    mulhu \c4, \h0, \r1 /* d1 = h0 r1 */
    mul \c5, \h1, \r0
    mulhu \c0, \h1, \r0 /* h1 r0 */
    add \h0, \m0, \c1
    add \m1, \m1, \c2
    sltu \c1, \h0, \c1
    mul \c2, \h2, \s1 /* h2 s1 < 2**63 */
    add \m1, \m1, \c1 /* < 2**62: carried into d1 */
    add \c3, \c3, \c5
    mul \h2, \h2, \r0 /* d2 = h2 r0 < 2**63 */
    sltu \c5, \c3, \c5
    add \c4, \c4, \c0
    add \c2, \c2, \m1
    add \c4, \c4, \c5
    add \h1, \c3, \c2
    add \h2, \h2, \c4
    sltu \c2, \h1, \c2
    add \h2, \h2, \c2
    /* fold what stands above 2**130: times 5 = c + c / 4 with c a multiple of 4 */
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
