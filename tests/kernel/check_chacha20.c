/* ChaCha20 and HChaCha20 kernels against `generic`. */
#include "check.h"

#include <stdlib.h>

static const unsigned all_rounds[3] = {20, 12, 8};

/* Blocks of keystream that the longest call takes, block 0 included. */
#define STREAM_BLOCKS (MAX_LEN / 64 + 2)

/* A state and its keystream; `last`: the keystream ends at block 2**32, and each call is given the
 * counter that makes it end there too. */
struct stream {
    uint32_t state[16];
    unsigned rounds;
    int last;
    uint8_t *bytes;
};

/* Counters that a carry lost at bit 8, 16, 24 or 31 spoils within the first blocks. */
static const uint32_t first_counter[3] = {0x00fffffb, 0x7ffffffd, 0x0000fffe};

static struct stream streams[2][3]; /* [last][index into all_rounds] */
static uint8_t *expected;

static void prepare(void) {
    if (expected) return;
    expected = malloc(MAX_LEN);
    if (!expected) fail("no memory");
    for (int last = 0; last < 2; last++)
        for (int i = 0; i < 3; i++) {
            struct stream *t = &streams[last][i];
            random_bytes(t->state, sizeof t->state);
            t->state[12] = last ? (uint32_t)-STREAM_BLOCKS : first_counter[i];
            t->rounds = all_rounds[i];
            t->last = last;
            t->bytes = malloc(STREAM_BLOCKS * 64);
            if (!t->bytes) fail("no memory");
            keystream(t->bytes, t->state, t->state[12], STREAM_BLOCKS, t->rounds, 0);
        }
}

struct placing {
    int in, out, block0, state; /* as for put(); block0 -3: not asked for */
    int in_place;
};
enum { NOT_ASKED = -3 };

static void one(const struct subject *s, const struct stream *t, size_t len,
                const struct placing *at) {
    int asked = at->block0 != NOT_ASKED;
    size_t blocks = (len + 63) / 64 + (size_t)asked;
    size_t skip = t->last ? STREAM_BLOCKS - blocks : 0;
    const uint8_t *stream = t->bytes + 64 * skip;
    uint32_t state[16];

    begin("ChaCha20", len);
    memcpy(state, t->state, sizeof state);
    state[12] = t->state[12] + (uint32_t)skip; /* may be 2**32 = 0 where nothing is asked for */
    now.rounds = t->rounds;
    now.counter = state[12];
    memcpy(put(&arena_state, 64, at->state), state, 64);
    now.state = arena_state.p;
    if (asked) now.block0 = memset(put(&arena_block0, 64, at->block0), 0, 64);
    uint8_t *out = put(&arena_out, len, at->out);
    now.out = out;
    if (at->in_place) {
        memcpy(out, data, len);
        now.in = out;
    } else {
        now.in = memcpy(put(&arena_in, len, at->in), data, len);
        memset(out, 0, len);
    }

    s->chacha20((const uint32_t *)now.state, (uint8_t *)now.block0, now.in, out, len, t->rounds);

    if (asked) {
        same("block0", now.block0, stream, 64);
        intact("block0", &arena_block0);
        stream += 64;
    }
    for (size_t i = 0; i < len; i++) expected[i] = data[i] ^ stream[i];
    same("out", out, expected, len);
    intact("out", &arena_out);
    if (!at->in_place) {
        same("in was written", now.in, data, len);
        intact("in", &arena_in);
    }
    same("state was written", now.state, (const uint8_t *)state, 64);
    intact("state", &arena_state);
    passed();
}

/* One length at the end, at the start and at alignments that go round, with and without block 0 and
 * in place. */
static void placements(const struct subject *s, size_t len, size_t turn) {
    for (int where = 0; where < 3; where++)
        for (int asked = 0; asked < 2; asked++)
            for (int in_place = 0; in_place < 2; in_place++, turn++) {
                struct placing at = {AT_END, AT_END, AT_END, AT_END, in_place};
                if (where == 1) at = (struct placing){AT_START, AT_START, AT_START, AT_START,
                                                      in_place};
                if (where == 2)
                    at = (struct placing){(int)(len * 7 + turn) & 63, (int)(len * 13 + 3 * turn) & 63,
                                          (int)(len * 5 + turn) & 63, (int)(4 * (len + turn)) & 63,
                                          in_place};
                if (!asked) at.block0 = NOT_ASKED;
                for (int i = 0; i < 3; i++)
                    if (thorough || (size_t)i == turn % 3) one(s, &streams[0][i], len, &at);
                if (thorough || where == 0)
                    for (int i = 0; i < 3; i++)
                        if ((thorough && where != 1) || (size_t)i == turn % 3)
                            one(s, &streams[1][i], len, &at);
            }
}

/* Nothing to do: in and out may be NULL. */
static void nothing(const struct subject *s) {
    for (int i = 0; i < 3; i++)
        for (int asked = 0; asked < 2; asked++) {
            const struct stream *t = &streams[0][i];
            begin("ChaCha20", 0);
            now.more = "in and out NULL";
            now.rounds = t->rounds;
            now.counter = t->state[12];
            if (asked) now.block0 = put(&arena_block0, 64, AT_END);
            s->chacha20(t->state, (uint8_t *)now.block0, NULL, NULL, 0, t->rounds);
            if (asked) {
                same("block0", now.block0, t->bytes, 64);
                intact("block0", &arena_block0);
            }
            passed();
        }
}

void check_chacha20(const struct subject *s) {
    static const size_t eight[8] = {15, 64, 129, 255, 576, 1025, 2048, 4097};
    static const size_t longer[] = {4097,  4160,  5000,  6143,   8191,   8192,   8193,
                                    12345, 16383, 16384, 32769,  65535,  65536,  65600,
                                    99999, 131072, 262143, MAX_LEN - 1, MAX_LEN};
    prepare();
    nothing(s);
    for (size_t len = 0; len <= 4096; len++) placements(s, len, len);
    for (size_t i = 0; i < LENGTH_OF(longer); i++) {
        /* Quick: all placements up to 64 KiB, beyond it one. */
        struct placing at = {(int)i, (int)(3 * i), (int)(5 * i), (int)(4 * i), i % 2};
        if (thorough || longer[i] <= 8192)
            placements(s, longer[i], i);
        else
            one(s, &streams[i % 2][i % 3], longer[i], &at);
    }
    for (size_t i = 0; i < 8; i++)
        for (int in = 0; in < 64; in++)
            for (int out = 0; out < 64; out++) {
                int asked = (in ^ out) & 1;
                struct placing at = {in, out, asked ? (in + out) & 63 : NOT_ASKED, 4 * (in & 15), 0};
                one(s, &streams[0][(in + out) % 3], eight[i], &at);
                if (thorough) {
                    at.block0 = asked ? NOT_ASKED : (in + out) & 63;
                    one(s, &streams[0][0], eight[i], &at);
                }
            }
}

void check_hchacha20(const struct subject *s) {
    for (int i = 0; i < (thorough ? 20000 : 500); i++)
        for (int j = 0; j < 3; j++) {
            uint32_t state[16], want[8];
            int where = i % 3 == 0 ? AT_END : i % 3 == 1 ? AT_START : 4 * (i / 3 % 16);
            begin("HChaCha20", 32);
            now.rounds = all_rounds[j];
            random_bytes(state, sizeof state);
            if (i == 0) memset(state, 0xff, sizeof state);
            fc_hchacha20_generic(want, state, all_rounds[j]);
            now.state = memcpy(put(&arena_state, 64, where), state, 64);
            now.out = memset(put(&arena_out, 32, where), 0, 32);
            s->hchacha20((uint32_t *)arena_out.p, (const uint32_t *)now.state, all_rounds[j]);
            same("out", now.out, (const uint8_t *)want, 32);
            intact("out", &arena_out);
            same("state was written", now.state, (const uint8_t *)state, 64);
            intact("state", &arena_state);
            passed();
        }
}
