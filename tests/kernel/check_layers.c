/* The C above the kernels, driven with a row's kernels: counters across 2**32 and 2**64, seeking,
 * whole messages and streams of the AEAD. The expected bytes are put together here from single blocks
 * of `generic` and from reference.c. */
#include "check.h"

#include <stdlib.h>

#define MOST 8192 /* bytes of one message here, but for a few */

/* ---- counters -------------------------------------------------------------------------------- */
static void xor_at(const struct fc_kernel *k, const uint32_t state[16], uint64_t block,
                   unsigned offset, int wide, size_t len, unsigned rounds) {
    static uint8_t stream[MOST + 128], expected[MOST];
    size_t blocks = (offset + len + 63) / 64;
    begin(wide ? "64-bit counter" : "32-bit counter", len);
    now.n[0] = block;
    now.n[1] = offset;
    now.rounds = rounds;
    keystream(stream, state, block, blocks, rounds, wide);
    for (size_t i = 0; i < len; i++) expected[i] = data[i] ^ stream[offset + i];
    uint8_t *out = put(&arena_out, len, AT_END);
    int in_place = (int)(len & 1);
    now.out = out;
    now.in = in_place ? memcpy(out, data, len)
                      : memcpy(put(&arena_in, len, AT_END), data, len);
    fc_chacha20_xor(k, state, (struct fc_position){block, offset, 0}, wide, now.in, out, len,
                    rounds);
    same("out", out, expected, len);
    intact("out", &arena_out);
    passed();
}

static void counters(const struct fc_kernel *k) {
    static const unsigned offsets[] = {0, 1, 31, 63};
    static const size_t lengths[] = {1, 63, 64, 65, 300, 1024, 2047, 4096, MOST};
    static const size_t before[] = {0, 1, 2, 3, 5, 8, 16, 31, 64};
    uint32_t state[16];
    random_bytes(state, sizeof state);
    for (size_t i = 0; i < LENGTH_OF(before); i++)
        for (size_t j = 0; j < LENGTH_OF(offsets); j++)
            for (size_t n = 0; n < LENGTH_OF(lengths); n++) {
                unsigned rounds = 8 + 4 * (unsigned)(n % 2) + 8 * (unsigned)(n % 3 == 0);
                if (rounds == 16) rounds = 20;
                if (rounds != 8 && rounds != 12) rounds = 20;
                size_t blocks = (offsets[j] + lengths[n] + 63) / 64;
                /* across 2**32 and 2 * 2**32 */
                xor_at(k, state, (UINT64_C(1) << 32) - before[i], offsets[j], 1, lengths[n],
                       rounds);
                xor_at(k, state, (UINT64_C(1) << 33) - before[i], offsets[j], 1, lengths[n],
                       rounds);
                /* as far as there are blocks, ending before or at 2**64 and 2**32 */
                xor_at(k, state, 0 - (uint64_t)(blocks + before[i]), offsets[j], 1, lengths[n],
                       rounds);
                xor_at(k, state, (UINT64_C(1) << 32) - (blocks + before[i]), offsets[j], 0,
                       lengths[n], rounds);
            }
}

/* Positions: what is reachable, and where the range ends. */
static void positions(void) {
    static const struct {
        uint64_t block;
        unsigned offset;
        uint64_t n;
        int wide, result;
        uint64_t to;
        unsigned to_offset, end;
    } cases[] = {
        {0, 0, 0, 0, 0, 0, 0, 0},
        {0, 0, 64, 0, 0, 1, 0, 0},
        {0, 63, 1, 0, 0, 1, 0, 0},
        {0, 63, 66, 0, 0, 2, 1, 0},
        {UINT32_MAX, 0, 63, 0, 0, UINT32_MAX, 63, 0},
        {UINT32_MAX, 0, 64, 0, 0, 0, 0, 1},
        {UINT32_MAX, 0, 65, 0, -1, UINT32_MAX, 0, 0},
        {UINT32_MAX, 63, 1, 0, 0, 0, 0, 1},
        {UINT32_MAX, 63, 2, 0, -1, UINT32_MAX, 63, 0},
        {UINT32_MAX, 63, 2, 1, 0, UINT64_C(1) << 32, 1, 0},
        {0, 0, UINT64_C(1) << 38, 0, 0, 0, 0, 1},
        {0, 0, (UINT64_C(1) << 38) + 1, 0, -1, 0, 0, 0},
        {0, 1, UINT64_C(1) << 38, 0, -1, 0, 1, 0},
        {0, 0, UINT64_MAX, 0, -1, 0, 0, 0},
        {0, 0, UINT64_MAX, 1, 0, (UINT64_C(1) << 58) - 1, 63, 0},
        {UINT64_MAX, 0, 64, 1, 0, 0, 0, 1},
        {UINT64_MAX, 0, 65, 1, -1, UINT64_MAX, 0, 0},
        {UINT64_MAX - 1, 63, 65, 1, 0, 0, 0, 1},
        {UINT64_MAX - 1, 63, 66, 1, -1, UINT64_MAX - 1, 63, 0},
    };
    for (size_t i = 0; i < LENGTH_OF(cases); i++) {
        struct fc_position p = {cases[i].block, cases[i].offset, 0};
        begin("fc_position_advance, case", (size_t)cases[i].n);
        now.n[0] = i;
        int result = fc_position_advance(&p, cases[i].n, cases[i].wide);
        if (result != cases[i].result || p.block != cases[i].to ||
            p.offset != cases[i].to_offset || p.end != cases[i].end)
            fail("result %d, block %llu, offset %u, end %u", result, (unsigned long long)p.block,
                 p.offset, p.end);
        if (p.end && (fc_position_advance(&p, 1, cases[i].wide) != -1 ||
                      fc_position_advance(&p, 0, cases[i].wide) != 0))
            fail("the end is not the end");
        passed();
    }
}

/* ---- AEAD ------------------------------------------------------------------------------------ */

/* RFC 8439, section 2.8, step by step: the ciphertext of data[0..len) and its tag. */
static void message(uint8_t *cipher, uint8_t tag[16], const uint8_t key[32], const uint8_t *nonce,
                    size_t nonce_len, const uint8_t *aad, size_t aad_len, size_t len) {
    static uint8_t stream[MAX_LEN + 128], authenticated[MAX_LEN + MOST + 48];
    uint32_t state[16], subkey[8];
    if (nonce_len == 24) {
        fc_chacha20_setup(state, key, nonce, 16);
        fc_hchacha20_generic(subkey, state, 20);
        memcpy(state + 4, subkey, 32);
        state[12] = state[13] = 0;
        state[14] = fc_load32le(nonce + 16);
        state[15] = fc_load32le(nonce + 20);
    } else {
        fc_chacha20_setup(state, key, nonce, 12);
    }
    keystream(stream, state, 0, 1 + (len + 63) / 64, 20, 0);
    for (size_t i = 0; i < len; i++) cipher[i] = data[i] ^ stream[64 + i];
    size_t n = (aad_len + 15) / 16 * 16, end = n + (len + 15) / 16 * 16;
    memset(authenticated, 0, end);
    if (aad_len) memcpy(authenticated, aad, aad_len);
    memcpy(authenticated + n, cipher, len);
    fc_store64le(authenticated + end, aad_len);
    fc_store64le(authenticated + end + 8, len);
    poly_tag(tag, stream, authenticated, end + 16);
}

static uint8_t cipher[MAX_LEN];

/* Both directions, in place or not, in one piece and in pieces; wrong tags. */
static void one_message(const struct fc_kernel *k, size_t len, size_t aad_len, size_t nonce_len,
                        int in_place, size_t pieces) {
    uint8_t key[32], nonce[24], want[16], tag[16];
    const uint8_t *aad = data + 77;
    struct fc_aead a;

    random_bytes(key, sizeof key);
    random_bytes(nonce, sizeof nonce);
    begin("AEAD", len);
    message(cipher, want, key, nonce, nonce_len, aad, aad_len, len);
    uint8_t *out = put(&arena_out, len, AT_END);
    uint8_t *in = in_place ? out : put(&arena_in, len, AT_END);
    now.n[0] = aad_len;
    now.n[1] = nonce_len;
    now.in = in;
    now.out = out;

    now.what = "AEAD encrypt (associated data, nonce)";
    memset(out, 0, len);
    memcpy(in, data, len);
    fc_aead_encrypt(k, key, nonce, nonce_len, aad, aad_len, in, out, len, tag);
    same("ciphertext", out, cipher, len);
    same("tag", tag, want, 16);
    intact("out", &arena_out);
    passed();

    now.what = "AEAD decrypt (associated data, nonce)";
    memset(out, 0, len);
    memcpy(in, cipher, len);
    if (fc_aead_decrypt(k, key, nonce, nonce_len, aad, aad_len, in, out, len, want))
        fail("the right tag is refused");
    same("plaintext", out, data, len);
    intact("out", &arena_out);
    passed();

    now.what = "AEAD decrypt, wrong tag (associated data, nonce)";
    memset(out, 0, len);
    memcpy(in, cipher, len);
    tag[below(16)] ^= (uint8_t)(1 << below(8));
    if (!fc_aead_decrypt(k, key, nonce, nonce_len, aad, aad_len, in, out, len, tag))
        fail("a wrong tag is accepted");
    if (in_place)
        same("the ciphertext as it came", out, cipher, len);
    else
        for (size_t i = 0; i < len; i++)
            if (out[i]) fail("out: byte %zu is not zero", i);
    intact("out", &arena_out);
    passed();

    for (int decrypt = 0; decrypt < 2; decrypt++) {
        now.what = decrypt ? "AEAD decryptor (associated data, nonce)"
                           : "AEAD encryptor (associated data, nonce)";
        now.len = len;
        memset(out, 0, len);
        memcpy(in, decrypt ? cipher : data, len);
        fc_aead_init(k, &a, key, nonce, nonce_len);
        size_t at = 0;
        for (size_t i = 0; i < pieces && at < len; i++) {
            size_t n = i + 1 == pieces ? len - at : below(len - at + 1);
            if (i % 3 == 1 && n > 64) n = 1 + below(64);
            fc_aead_update(k, &a, aad, aad_len, in + at, out + at, n, decrypt);
            at += n;
        }
        if (at < len) fc_aead_update(k, &a, aad, aad_len, in + at, out + at, len - at, decrypt);
        fc_aead_final(k, &a, aad, aad_len, tag);
        same("out", out, decrypt ? data : cipher, len);
        same("tag", tag, want, 16);
        intact("out", &arena_out);
        passed();
    }
}

static void aead(const struct fc_kernel *k) {
    static const size_t longer[] = {4095,  4096,  4097,  8191,  8192,  8193,   9151,   9152,
                                    9153,  16384, 17344, 20000, 65536, 100001, MAX_LEN};
    size_t most = 2200, stride = thorough ? 1 : 7;
    for (size_t len = 0; len <= most; len += len < 200 ? 1 : stride)
        for (int in_place = 0; in_place < 2; in_place++)
            one_message(k, len, len % 5 == 0 ? 0 : below(100), len % 2 ? 12 : 24, in_place,
                        1 + below(6));
    for (size_t base = 960 - 64; base <= 960 + 192; base += 64) /* about the first stretch */
        for (size_t d = 0; d < 3; d++) one_message(k, base + d - 1, 13, 12, d & 1, 2);
    for (size_t i = 0; i < LENGTH_OF(longer); i++)
        if (thorough || longer[i] <= 20000)
            for (int in_place = 0; in_place < 2; in_place++)
                one_message(k, longer[i], below(MOST), 12, in_place, 1 + below(9));
}

void check_layers(const struct subject *s) {
    positions();
    counters(&s->direct);
    aead(&s->direct);
    counters(&s->row);
    aead(&s->row);
}
