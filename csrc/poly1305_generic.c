/* Portable Poly1305: 64-bit limbs where the compiler has 128-bit products, 32-bit limbs elsewhere.
 *
 * Both forms compute h = (h + block + padbit * 2**128) * r modulo 2**130 - 5 on the shared state of
 * backend.h and keep its bound: h[2] <= 4.
 */
#include "backend.h"

#if defined(__SIZEOF_INT128__)
typedef unsigned __int128 u128;
#define MUL(a, b) ((u128)(a) * (b))
#define FC_LIMBS64 1
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
#include <intrin.h>
#define FC_LIMBS64 1
#endif

#if FC_LIMBS64

/* A 128-bit sum of products: the few operations that both kinds of compiler have. */
#if defined(__SIZEOF_INT128__)
typedef struct {
    u128 v;
} acc;
/* a, with an upper half that the compiler does not know to be 0: knowing it, clang for s390x makes
 * a branch of the carry of acc_add. */
static inline acc acc_of(uint64_t a) {
    uint64_t zero = 0;
    __asm__("" : "+r"(zero));
    return (acc){(u128)zero << 64 | a};
}
static inline acc acc_mul(uint64_t a, uint64_t b) { return (acc){MUL(a, b)}; }
static inline void acc_add_mul(acc *s, uint64_t a, uint64_t b) { s->v += MUL(a, b); }
static inline void acc_add(acc *s, uint64_t a) { s->v += a; }
static inline uint64_t acc_lo(acc s) { return (uint64_t)s.v; }
static inline uint64_t acc_hi(acc s) { return (uint64_t)(s.v >> 64); }
#else
typedef struct {
    uint64_t lo, hi;
} acc;
static inline uint64_t mulhi(uint64_t a, uint64_t b) {
#if defined(_M_X64)
    uint64_t hi;
    (void)_umul128(a, b, &hi);
    return hi;
#else
    return __umulh(a, b);
#endif
}
static inline acc acc_of(uint64_t a) {
    acc s = {a, 0};
    return s;
}
static inline acc acc_mul(uint64_t a, uint64_t b) {
    acc s = {a * b, mulhi(a, b)};
    return s;
}
static inline void acc_add(acc *s, uint64_t a) {
    s->lo += a;
    s->hi += s->lo < a;
}
static inline void acc_add_mul(acc *s, uint64_t a, uint64_t b) {
    s->hi += mulhi(a, b);
    acc_add(s, a * b);
}
static inline uint64_t acc_lo(acc s) { return s.lo; }
static inline uint64_t acc_hi(acc s) { return s.hi; }
#endif

void fc_poly1305_blocks_generic(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
                                uint32_t padbit) {
    const uint64_t r0 = p->r[0], r1 = p->r[1];
    /* r is clamped: r1 is a multiple of 4, so 2**128 r1 = 2**130 (r1 / 4) = 5 (r1 / 4), and
     * r1 + r1 / 4 = 5 r1 / 4 exactly. */
    const uint64_t s1 = r1 + (r1 >> 2);
    uint64_t h0 = p->h[0], h1 = p->h[1], h2 = p->h[2];

    for (; blocks; blocks--, in += 16) {
        acc d0, d1;
        uint64_t d2, c;

        /* h += block */
        d0 = acc_of(h0);
        acc_add(&d0, fc_load64le(in));
        h0 = acc_lo(d0);
        d1 = acc_of(h1);
        acc_add(&d1, fc_load64le(in + 8));
        acc_add(&d1, acc_hi(d0));
        h1 = acc_lo(d1);
        h2 += acc_hi(d1) + padbit;

        /* h *= r: h2 <= 6 here, r0, r1 < 2**60, so no sum passes 2**127 and d2 fits 64 bits */
        d0 = acc_mul(h0, r0);
        acc_add_mul(&d0, h1, s1);
        d1 = acc_mul(h0, r1);
        acc_add_mul(&d1, h1, r0);
        acc_add_mul(&d1, h2, s1);
        d2 = h2 * r0;
        h0 = acc_lo(d0);
        acc_add(&d1, acc_hi(d0));
        h1 = acc_lo(d1);
        h2 = d2 + acc_hi(d1);

        /* fold what stands above 2**130: times 5 = c + c / 4 with c a multiple of 4 */
        c = (h2 & ~UINT64_C(3)) + (h2 >> 2);
        h2 &= 3;
        d0 = acc_of(h0);
        acc_add(&d0, c);
        h0 = acc_lo(d0);
        d1 = acc_of(h1);
        acc_add(&d1, acc_hi(d0));
        h1 = acc_lo(d1);
        h2 += acc_hi(d1);
    }
    p->h[0] = h0;
    p->h[1] = h1;
    p->h[2] = h2;
}

#else /* 32-bit limbs */

void fc_poly1305_blocks_generic(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
                                uint32_t padbit) {
    const uint32_t r0 = (uint32_t)p->r[0], r1 = (uint32_t)(p->r[0] >> 32);
    const uint32_t r2 = (uint32_t)p->r[1], r3 = (uint32_t)(p->r[1] >> 32);
    /* r is clamped: r1, r2, r3 are multiples of 4, and 2**128 r_i = 5 (r_i / 4) = r_i + r_i / 4 */
    const uint32_t s1 = r1 + (r1 >> 2), s2 = r2 + (r2 >> 2), s3 = r3 + (r3 >> 2);
    uint32_t h0 = (uint32_t)p->h[0], h1 = (uint32_t)(p->h[0] >> 32);
    uint32_t h2 = (uint32_t)p->h[1], h3 = (uint32_t)(p->h[1] >> 32);
    uint32_t h4 = (uint32_t)p->h[2];

    for (; blocks; blocks--, in += 16) {
        uint64_t d0, d1, d2, d3, c;
        uint32_t d4;

        /* h += block */
        d0 = (uint64_t)h0 + fc_load32le(in);
        d1 = (uint64_t)h1 + (d0 >> 32) + fc_load32le(in + 4);
        d2 = (uint64_t)h2 + (d1 >> 32) + fc_load32le(in + 8);
        d3 = (uint64_t)h3 + (d2 >> 32) + fc_load32le(in + 12);
        h0 = (uint32_t)d0;
        h1 = (uint32_t)d1;
        h2 = (uint32_t)d2;
        h3 = (uint32_t)d3;
        h4 += (uint32_t)(d3 >> 32) + padbit;

        /* h *= r: h4 <= 6, r_i < 2**28, s_i < 2**29: each sum is below 2**63, h4 r0 below 2**31 */
        d0 = (uint64_t)h0 * r0 + (uint64_t)h1 * s3 + (uint64_t)h2 * s2 + (uint64_t)h3 * s1;
        d1 = (uint64_t)h0 * r1 + (uint64_t)h1 * r0 + (uint64_t)h2 * s3 + (uint64_t)h3 * s2 +
             (uint64_t)h4 * s1;
        d2 = (uint64_t)h0 * r2 + (uint64_t)h1 * r1 + (uint64_t)h2 * r0 + (uint64_t)h3 * s3 +
             (uint64_t)h4 * s2;
        d3 = (uint64_t)h0 * r3 + (uint64_t)h1 * r2 + (uint64_t)h2 * r1 + (uint64_t)h3 * r0 +
             (uint64_t)h4 * s3;
        d4 = h4 * r0;
        d1 += d0 >> 32;
        d2 += d1 >> 32;
        d3 += d2 >> 32;
        d4 += (uint32_t)(d3 >> 32);

        /* fold what stands above 2**130: times 5 = c + c / 4 with c a multiple of 4 */
        c = (uint64_t)(d4 & ~UINT32_C(3)) + (d4 >> 2);
        c += (uint32_t)d0;
        h0 = (uint32_t)c;
        c = (c >> 32) + (uint32_t)d1;
        h1 = (uint32_t)c;
        c = (c >> 32) + (uint32_t)d2;
        h2 = (uint32_t)c;
        c = (c >> 32) + (uint32_t)d3;
        h3 = (uint32_t)c;
        h4 = (d4 & 3) + (uint32_t)(c >> 32);
    }
    p->h[0] = h0 | (uint64_t)h1 << 32;
    p->h[1] = h2 | (uint64_t)h3 << 32;
    p->h[2] = h4;
}

#endif
