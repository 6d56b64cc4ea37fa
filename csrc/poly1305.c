#include "poly1305.h"

void fc_mac_init(struct fc_mac *m, const uint8_t key[32]) {
    struct fc_poly1305 *p = &m->core;
    p->h[0] = p->h[1] = p->h[2] = 0;
    p->r[0] = fc_load64le(key) & UINT64_C(0x0ffffffc0fffffff);
    p->r[1] = fc_load64le(key + 8) & UINT64_C(0x0ffffffc0ffffffc);
    p->s[0] = fc_load64le(key + 16);
    p->s[1] = fc_load64le(key + 24);
    p->powers_kind = FC_POWERS_NONE;
    m->filled = 0;
}

void fc_mac_update(const struct fc_kernel *k, struct fc_mac *m, const uint8_t *in, size_t len) {
    if (m->filled) {
        size_t n = 16 - m->filled;
        if (n > len) n = len;
        memcpy(m->partial + m->filled, in, n);
        m->filled += (unsigned)n;
        if (m->filled < 16) return;
        fc_run_poly1305(k, &m->core, m->partial, 1, 1);
        m->filled = 0;
        in += n;
        len -= n;
    }
    if (len >= 16) {
        fc_run_poly1305(k, &m->core, in, len / 16, 1);
        in += len & ~(size_t)15;
        len &= 15;
    }
    if (len) {
        memcpy(m->partial, in, len);
        m->filled = (unsigned)len;
    }
}

void fc_mac_pad(const struct fc_kernel *k, struct fc_mac *m) {
    if (!m->filled) return;
    memset(m->partial + m->filled, 0, 16 - m->filled);
    fc_run_poly1305(k, &m->core, m->partial, 1, 1);
    m->filled = 0;
}

void fc_mac_wipe(struct fc_mac *m) {
    if (m->core.powers_kind != FC_POWERS_NONE) fc_wipe(m->core.powers, sizeof m->core.powers);
    fc_wipe(&m->core, offsetof(struct fc_poly1305, powers));
    fc_wipe(m->partial, sizeof m->partial);
    m->filled = 0;
}

/* tag = (h mod 2**130 - 5) + s mod 2**128; wipes. */
static void tag_and_wipe(struct fc_mac *m, uint8_t tag[16]) {
    const struct fc_poly1305 *p = &m->core;
    uint64_t h0 = p->h[0], h1 = p->h[1], h2 = p->h[2];

    /* h < 5 * 2**128 < 2 (2**130 - 5): at most one subtraction. g = h + 5, and h >= 2**130 - 5 just
     * when g >= 2**130. */
    uint64_t g0 = h0 + 5;
    uint64_t c = g0 < 5;
    uint64_t g1 = h1 + c;
    c = g1 < c;
    uint64_t g2 = h2 + c;
    uint64_t take = 0 - (g2 >> 2); /* g2 is at most 5: all ones where g >= 2**130, else 0 */
    h0 ^= (h0 ^ g0) & take;
    h1 ^= (h1 ^ g1) & take;

    h0 += p->s[0];
    c = h0 < p->s[0];
    h1 += p->s[1] + c;
    fc_store64le(tag, h0);
    fc_store64le(tag + 8, h1);
    fc_mac_wipe(m);
}

void fc_mac_final(const struct fc_kernel *k, struct fc_mac *m, uint8_t tag[16]) {
    if (m->filled) {
        /* The last block ends with a 1 byte in place of 2**128. */
        m->partial[m->filled] = 1;
        memset(m->partial + m->filled + 1, 0, 15 - m->filled);
        fc_run_poly1305(k, &m->core, m->partial, 1, 0);
    }
    tag_and_wipe(m, tag);
}

void fc_mac_final_aead(const struct fc_kernel *k, struct fc_mac *m, const uint8_t lengths[16],
                       uint8_t tag[16]) {
    uint8_t last[32];
    size_t n = 0;
    if (m->filled) {
        memcpy(last, m->partial, m->filled);
        memset(last + m->filled, 0, 16 - m->filled);
        n = 16;
    }
    memcpy(last + n, lengths, 16);
    fc_run_poly1305(k, &m->core, last, n / 16 + 1, 1);
    fc_wipe(last, sizeof last);
    tag_and_wipe(m, tag);
}

int fc_equal16(const uint8_t a[16], const uint8_t b[16]) {
    volatile uint64_t d =
        (fc_load64le(a) ^ fc_load64le(b)) | (fc_load64le(a + 8) ^ fc_load64le(b + 8));
    return d == 0;
}
