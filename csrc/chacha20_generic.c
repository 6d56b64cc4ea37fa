/* Portable ChaCha20 and HChaCha20: one block at a time, any byte order, any C11 compiler. */
#include "backend.h"

static inline uint32_t rotl(uint32_t x, int n) { return x << n | x >> (32 - n); }

/* One step of RFC 8439, section 2.1, of four independent quarter-rounds: a += b; d = (d ^ a) <<< n.
 * Side by side they keep a superscalar core busy; one quarter-round after the other is a tenth
 * slower with gcc 12 on x86-64. */
#define STEP(a0, a1, a2, a3, b0, b1, b2, b3, d0, d1, d2, d3, n)                                    \
    do {                                                                                           \
        x[a0] += x[b0];                                                                            \
        x[a1] += x[b1];                                                                            \
        x[a2] += x[b2];                                                                            \
        x[a3] += x[b3];                                                                            \
        x[d0] = rotl(x[d0] ^ x[a0], n);                                                            \
        x[d1] = rotl(x[d1] ^ x[a1], n);                                                            \
        x[d2] = rotl(x[d2] ^ x[a2], n);                                                            \
        x[d3] = rotl(x[d3] ^ x[a3], n);                                                            \
    } while (0)

static inline void permute(uint32_t x[16], unsigned rounds) {
    for (; rounds; rounds -= 2) {
        /* columns: (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15) */
        STEP(0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 16);
        STEP(8, 9, 10, 11, 12, 13, 14, 15, 4, 5, 6, 7, 12);
        STEP(0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 8);
        STEP(8, 9, 10, 11, 12, 13, 14, 15, 4, 5, 6, 7, 7);
        /* diagonals: (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14) */
        STEP(0, 1, 2, 3, 5, 6, 7, 4, 15, 12, 13, 14, 16);
        STEP(10, 11, 8, 9, 15, 12, 13, 14, 5, 6, 7, 4, 12);
        STEP(0, 1, 2, 3, 5, 6, 7, 4, 15, 12, 13, 14, 8);
        STEP(10, 11, 8, 9, 15, 12, 13, 14, 5, 6, 7, 4, 7);
    }
}

/* The 16 keystream words of one block, in host order. */
static inline void block(uint32_t x[16], const uint32_t state[16], uint32_t counter,
                         unsigned rounds) {
    memcpy(x, state, 64);
    x[12] = counter;
    permute(x, rounds);
    for (int i = 0; i < 16; i++) x[i] += i == 12 ? counter : state[i];
}

void fc_chacha20_generic(const uint32_t state[16], uint8_t *block0, const uint8_t *in, uint8_t *out,
                         size_t len, unsigned rounds) {
    uint32_t x[16];
    uint32_t counter = state[12];

    if (block0) {
        block(x, state, counter++, rounds);
        for (int i = 0; i < 16; i++) fc_store32le(block0 + 4 * i, x[i]);
    }
    for (; len >= 64; len -= 64, in += 64, out += 64) {
        block(x, state, counter++, rounds);
        for (int i = 0; i < 16; i++) fc_store32le(out + 4 * i, x[i] ^ fc_load32le(in + 4 * i));
    }
    if (len) {
        uint8_t last[64];
        block(x, state, counter, rounds);
        for (int i = 0; i < 16; i++) fc_store32le(last + 4 * i, x[i]);
        for (size_t i = 0; i < len; i++) out[i] = in[i] ^ last[i];
        fc_wipe(last, sizeof last);
    }
    fc_wipe(x, sizeof x);
}

void fc_hchacha20_generic(uint32_t out[8], const uint32_t state[16], unsigned rounds) {
    uint32_t x[16];
    memcpy(x, state, 64);
    permute(x, rounds);
    memcpy(out, x, 16);
    memcpy(out + 4, x + 12, 16);
    fc_wipe(x, sizeof x);
}
