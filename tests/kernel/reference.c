/* What the kernels are held against, apart from known answers: the portable ChaCha20, block by block,
 * and a Poly1305 of its own. */
#include "check.h"

#include <stdlib.h>

/* ---- Poly1305, bytes times bytes --------------------------------------------------------------
 * h and r as 17 digits of base 256. A product's digit 17 + i weighs 2**136 = 2**6 * 2**130, and
 * 2**130 = 5, so it comes back as 320 times digit i.
 */
struct digits {
    uint32_t d[17];
};

static void unpack(struct digits *x, const uint64_t *words, int n) {
    memset(x, 0, sizeof *x);
    for (int i = 0; i < 17 && i < 8 * n; i++)
        x->d[i] = (uint32_t)(words[i / 8] >> (8 * (i % 8))) & 255;
}

static void pack(uint64_t h[3], const struct digits *x) {
    h[0] = h[1] = h[2] = 0;
    for (int i = 0; i < 16; i++) h[i / 8] |= (uint64_t)x->d[i] << (8 * (i % 8));
    h[2] = x->d[16];
}

/* Digits below 256, the top one small. */
static void carry(struct digits *x) {
    for (int pass = 0; pass < 2; pass++) {
        uint32_t c = 0;
        for (int i = 0; i < 17; i++) {
            c += x->d[i];
            x->d[i] = i < 16 ? c & 255 : c & 3;
            c >>= i < 16 ? 8 : 2;
        }
        x->d[0] += 5 * c;
    }
    /* The last 5 c may have made digit 0 larger than a byte. */
    uint32_t c = 0;
    for (int i = 0; i < 17; i++) {
        c += x->d[i];
        x->d[i] = i < 16 ? c & 255 : c;
        c >>= 8;
    }
}

static void multiply(struct digits *h, const struct digits *r) {
    struct digits p;
    for (int i = 0; i < 17; i++) {
        uint32_t low = 0, high = 0; /* 17 * 511 * 255 * 320 < 2**32 */
        for (int j = 0; j <= i; j++) low += h->d[j] * r->d[i - j];
        for (int j = i + 1; j < 17; j++) high += h->d[j] * r->d[i + 17 - j];
        p.d[i] = low + 320 * high;
    }
    *h = p;
    carry(h);
}

void poly_canonical(uint64_t h[3]) {
    for (;;) {
        /* h >= 2**130 - 5 just when h + 5 >= 2**130 */
        uint64_t g0 = h[0] + 5, g1 = h[1] + (g0 < 5), g2 = h[2] + (g1 < h[1]);
        if (g2 < 4) return;
        h[0] = g0;
        h[1] = g1;
        h[2] = g2 - 4;
    }
}

void poly_trace(uint64_t (*trace)[3], const uint64_t h0[3], const uint64_t r0[2], const uint8_t *in,
                size_t blocks, uint32_t padbit) {
    struct digits h, r;
    unpack(&h, h0, 3);
    unpack(&r, r0, 2);
    memmove(trace[0], h0, sizeof trace[0]);
    poly_canonical(trace[0]);
    for (size_t i = 0; i < blocks; i++) {
        for (int j = 0; j < 16; j++) h.d[j] += in[16 * i + (size_t)j];
        h.d[16] += padbit;
        multiply(&h, &r);
        pack(trace[i + 1], &h);
        poly_canonical(trace[i + 1]);
    }
}

void poly_key(uint64_t r[2], uint64_t s[2], const uint8_t key[32]) {
    r[0] = r[1] = s[0] = s[1] = 0;
    for (int i = 0; i < 16; i++) {
        /* RFC 8439, section 2.5: bytes 3, 7, 11, 15 lose their top four bits, 4, 8, 12 their low
         * two. */
        uint8_t b = key[i] & (i % 4 == 3 ? 15 : 255) & (i && i % 4 == 0 ? 252 : 255);
        r[i / 8] |= (uint64_t)b << (8 * (i % 8));
        s[i / 8] |= (uint64_t)key[16 + i] << (8 * (i % 8));
    }
}

void poly_tag(uint8_t tag[16], const uint8_t key[32], const uint8_t *in, size_t len) {
    uint64_t r[2], s[2];
    uint64_t last[2][3] = {{0, 0, 0}, {0, 0, 0}};
    uint8_t block[16] = {0};
    poly_key(r, s, key);
    for (size_t i = 0; i < len / 16; i++) {
        poly_trace(last, last[0], r, in + 16 * i, 1, 1);
        memcpy(last[0], last[1], sizeof last[0]);
    }
    if (len % 16) {
        memcpy(block, in + len / 16 * 16, len % 16);
        block[len % 16] = 1;
        poly_trace(last, last[0], r, block, 1, 0);
        memcpy(last[0], last[1], sizeof last[0]);
    }
    uint32_t c = 0;
    for (int i = 0; i < 16; i++) {
        c += (uint32_t)(last[0][i / 8] >> (8 * (i % 8)) & 255);
        c += (uint32_t)(s[i / 8] >> (8 * (i % 8)) & 255);
        tag[i] = (uint8_t)c;
        c >>= 8;
    }
}

/* ---- ChaCha20 -------------------------------------------------------------------------------- */
void keystream(uint8_t *out, const uint32_t state[16], uint64_t block, size_t blocks,
               unsigned rounds, int wide) {
    static const uint8_t zeros[64];
    uint32_t s[16];
    memcpy(s, state, sizeof s);
    for (size_t i = 0; i < blocks; i++, block++) {
        s[12] = (uint32_t)block;
        if (wide) s[13] = (uint32_t)(block >> 32);
        fc_chacha20_generic(s, NULL, zeros, out + 64 * i, 64, rounds);
    }
}
