/* Portable ChaCha20 and HChaCha20: one block at a time, any byte order, any C11 compiler. */
#include "backend.h"

static inline uint32_t rotl(uint32_t x, int n) { return x << n | x >> (32 - n); }

/* RFC 8439, section 2.1. */
#define QUARTERROUND(a, b, c, d)                                                                   \
    do {                                                                                           \
        a += b;                                                                                    \
        d = rotl(d ^ a, 16);                                                                       \
        c += d;                                                                                    \
        b = rotl(b ^ c, 12);                                                                       \
        a += b;                                                                                    \
        d = rotl(d ^ a, 8);                                                                        \
        c += d;                                                                                    \
        b = rotl(b ^ c, 7);                                                                        \
    } while (0)

static inline void permute(uint32_t x[16], unsigned rounds) {
    for (; rounds; rounds -= 2) {
        QUARTERROUND(x[0], x[4], x[8], x[12]);
        QUARTERROUND(x[1], x[5], x[9], x[13]);
        QUARTERROUND(x[2], x[6], x[10], x[14]);
        QUARTERROUND(x[3], x[7], x[11], x[15]);
        QUARTERROUND(x[0], x[5], x[10], x[15]);
        QUARTERROUND(x[1], x[6], x[11], x[12]);
        QUARTERROUND(x[2], x[7], x[8], x[13]);
        QUARTERROUND(x[3], x[4], x[9], x[14]);
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
