/* Combined kernels against the two steps: `generic` ChaCha20 and the checker's own Poly1305. */
#include "check.h"

#include <stdlib.h>

/* Blocks of the longest call. */
#define MOST (MAX_LEN / 64)
#define CACHE_FILL 0xc3

/* One starting counter; the plaintext is `data` when encrypting, the ciphertext is when decrypting. */
struct side {
    uint32_t state[16];
    int last;            /* every call ends at block 2**32 */
    uint8_t *stream;     /* MOST blocks */
    uint8_t *cipher;     /* data ^ stream, for last == 0 */
};
static struct side sides[2];
static uint64_t entry[3] = {UINT64_MAX, UINT64_MAX, 4}; /* h: its bound */
static uint64_t r[2];
static uint64_t (*trace_data)[3], (*trace_cipher)[3];
static uint8_t *expected, *authenticated;

static void prepare(void) {
    uint64_t s[2];
    uint8_t key[32];
    if (expected) return;
    expected = malloc(MAX_LEN);
    authenticated = malloc(MAX_LEN);
    trace_data = malloc((MAX_LEN / 16 + 1) * sizeof *trace_data);
    trace_cipher = malloc((MAX_LEN / 16 + 1) * sizeof *trace_cipher);
    random_bytes(key, sizeof key);
    poly_key(r, s, key);
    for (int last = 0; last < 2; last++) {
        struct side *t = &sides[last];
        random_bytes(t->state, sizeof t->state);
        t->last = last;
        t->state[12] = last ? (uint32_t)-MOST : 0x0000fffd;
        t->stream = malloc(MAX_LEN);
        t->cipher = malloc(MAX_LEN);
        if (!expected || !authenticated || !trace_data || !trace_cipher || !t->stream || !t->cipher)
            fail("no memory");
        keystream(t->stream, t->state, t->state[12], MOST, 20, 0);
        for (size_t i = 0; i < MAX_LEN; i++) t->cipher[i] = data[i] ^ t->stream[i];
    }
    poly_trace(trace_data, entry, r, data, MAX_LEN / 16, 1);
    poly_trace(trace_cipher, entry, r, sides[0].cipher, MAX_LEN / 16, 1);
}

static void one(const struct subject *s, const struct side *t, size_t blocks, int decrypt,
                int in_at, int out_at, int in_place) {
    size_t len = 64 * blocks;
    const uint8_t *stream = t->stream;
    uint32_t state[16];
    uint64_t own_trace[2][3];
    const uint64_t *want = decrypt ? trace_data[4 * blocks] : trace_cipher[4 * blocks];

    begin(decrypt ? "AEAD kernel, decrypting" : "AEAD kernel, encrypting", len);
    memcpy(state, t->state, sizeof state);
    if (t->last) {
        stream += MAX_LEN - len;
        state[12] = (uint32_t)-blocks;
    }
    for (size_t i = 0; i < len; i++) expected[i] = data[i] ^ stream[i];
    if (t->last && !decrypt) { /* its ciphertext differs from call to call */
        memcpy(own_trace[0], entry, sizeof entry);
        for (size_t i = 0; i < 4 * blocks; i++) {
            poly_trace(own_trace, own_trace[0], r, expected + 16 * i, 1, 1);
            memcpy(own_trace[0], own_trace[1], sizeof own_trace[0]);
        }
        want = own_trace[0];
    }
    now.rounds = 20;
    now.counter = state[12];
    now.state = memcpy(put(&arena_state, 64, in_at < 0 ? in_at : 4 * (in_at & 15)), state, 64);
    uint8_t *out = put(&arena_out, len, out_at);
    now.out = out;
    if (in_place) {
        memcpy(out, data, len);
        now.in = out;
    } else {
        now.in = memcpy(put(&arena_in, len, in_at), data, len);
        memset(out, 0, len);
    }
    struct fc_poly1305 *p = (void *)put(&arena_poly, sizeof *p, in_at < 0 ? in_at : 8 * (in_at & 7));
    memset(p, CACHE_FILL, sizeof *p);
    memcpy(p->h, entry, sizeof p->h);
    memcpy(p->r, r, sizeof p->r);
    p->s[0] = p->s[1] = 7;
    p->powers_kind = FC_POWERS_NONE;

    s->aead((const uint32_t *)now.state, p, now.in, out, len, decrypt);

    same("out", out, expected, len);
    intact("out", &arena_out);
    if (!in_place) {
        same("in was written", now.in, data, len);
        intact("in", &arena_in);
    }
    same("state was written", now.state, (const uint8_t *)state, 64);
    intact("state", &arena_state);
    uint64_t h[3] = {p->h[0], p->h[1], p->h[2]};
    if (h[2] > 4) fail("h[2] is %llu, above its bound 4", (unsigned long long)h[2]);
    poly_canonical(h);
    same("h (reduced)", (const uint8_t *)h, (const uint8_t *)want, sizeof h);
    if (memcmp(p->r, r, sizeof r)) fail("r was written");
    if (p->s[0] != 7 || p->s[1] != 7) fail("s was written");
    if (p->powers_kind == FC_POWERS_NONE)
        for (size_t i = 0; i < sizeof p->powers; i++)
            if (((const uint8_t *)p->powers)[i] != CACHE_FILL)
                fail("powers[] was written, yet powers_kind is 0: it would not be wiped");
    intact("struct fc_poly1305", &arena_poly);
    passed();

    /* Again, with the powers that the first call has left. */
    memcpy(p->h, entry, sizeof p->h);
    if (in_place) memcpy(out, data, len);
    now.more = "powers cached";
    s->aead((const uint32_t *)now.state, p, now.in, out, len, decrypt);
    same("out", out, expected, len);
    memcpy(h, p->h, sizeof h);
    if (h[2] > 4) fail("h[2] is %llu, above its bound 4", (unsigned long long)h[2]);
    poly_canonical(h);
    same("h (reduced)", (const uint8_t *)h, (const uint8_t *)want, sizeof h);
    intact("struct fc_poly1305", &arena_poly);
    passed();
}

static void placements(const struct subject *s, size_t blocks) {
    for (int decrypt = 0; decrypt < 2; decrypt++)
        for (int in_place = 0; in_place < 2; in_place++) {
            int a = (int)(blocks * 7) & 63, b = (int)(blocks * 13 + 5) & 63;
            one(s, &sides[0], blocks, decrypt, AT_END, AT_END, in_place);
            one(s, &sides[0], blocks, decrypt, AT_START, AT_START, in_place);
            one(s, &sides[0], blocks, decrypt, a, b, in_place);
            if (thorough || (blocks <= 64 && in_place))
                one(s, &sides[1], blocks, decrypt, AT_END, AT_END, in_place);
        }
}

void check_aead_kernel(const struct subject *s) {
    static const size_t eight[8] = {1, 2, 3, 5, 8, 17, 32, 65};
    static const size_t longer[] = {128, 129, 255, 1000, 4096, MOST - 1, MOST};
    prepare();
    for (size_t blocks = 1; blocks <= 80; blocks++) placements(s, blocks);
    for (size_t i = 0; i < LENGTH_OF(longer); i++)
        if (thorough || longer[i] <= 1000)
            placements(s, longer[i]);
        else
            for (int decrypt = 0; decrypt < 2; decrypt++)
                one(s, &sides[0], longer[i], decrypt, AT_END, AT_END, (int)(i & 1));
    for (size_t i = 0; i < 8; i++)
        for (int in = 0; in < 64; in++)
            for (int out = 0; out < 64; out += thorough || i < 3 ? 1 : 7)
                one(s, &sides[0], eight[i], (in + out) & 1, in, (out + in) & 63, 0);
}
