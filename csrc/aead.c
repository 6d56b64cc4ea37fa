#include "aead.h"

/* Stretches stay in the first-level cache between the two passes. Where only the beginning can go
 * into the first call (a combined kernel does the rest, or the plaintext must be kept aside), that
 * is FIRST bytes: with block 0 sixteen blocks, which every vector width up to 16 lanes fills
 * evenly. */
#define FIRST 960
#define STRETCH 8192

void fc_aead_init(const struct fc_kernel *k, struct fc_aead *a, const uint8_t key[32],
                  const uint8_t *nonce, size_t nonce_len) {
    if (nonce_len == 24)
        fc_xchacha20_setup(k, a->state, key, nonce, 20);
    else
        fc_chacha20_setup(a->state, key, nonce, nonce_len);
    a->aad_len = a->data_len = 0;
    a->started = 0;
}

void fc_aead_wipe(struct fc_aead *a) {
    fc_wipe(a->state, sizeof a->state);
    if (a->started) fc_mac_wipe(&a->mac);
    a->started = 0;
}

/* Block 0, the associated data and the first len bytes (at most FIRST where they go aside). */
static void start(const struct fc_kernel *k, struct fc_aead *a, const uint8_t *aad, size_t aad_len,
                  const uint8_t *in, uint8_t *out, size_t len, int decrypt) {
    _Alignas(16) uint8_t block0[64];
    uint8_t plain[FIRST];
    /* Ciphertext must be authenticated after the key is known, so in place it has to survive. */
    int aside = decrypt && in == out && len;

    fc_run_chacha20(k, a->state, block0, in, aside ? plain : out, len, 20);
    fc_mac_init(&a->mac, block0);
    fc_wipe(block0, sizeof block0);
    a->started = 1;
    if (aad_len) {
        fc_mac_update(k, &a->mac, aad, aad_len);
        fc_mac_pad(k, &a->mac);
    }
    a->aad_len = aad_len;
    fc_mac_update(k, &a->mac, decrypt ? in : out, len);
    if (aside) {
        memcpy(out, plain, len);
        fc_wipe(plain, len);
    }
    a->data_len = len;
}

void fc_aead_update(const struct fc_kernel *k, struct fc_aead *a, const uint8_t *aad,
                    size_t aad_len, const uint8_t *in, uint8_t *out, size_t len, int decrypt) {
    if (!a->started) {
        size_t n = len;
        int aside = decrypt && in == out, combined = k->aead && n >= FIRST + k->aead_min;
        if (n > FIRST && (aside || combined)) n = FIRST;
        if (n > STRETCH) n = STRETCH;
        start(k, a, aad, aad_len, in, out, n, decrypt);
        in += n;
        out += n;
        len -= n;
    }
    while (len) {
        struct fc_position at = {a->data_len / 64 + 1, a->data_len % 64, 0};
        size_t n;
        if (k->aead && len >= k->aead_min && at.offset == 0) {
            uint32_t s[16];
            n = len & ~(size_t)63;
            memcpy(s, a->state, sizeof s);
            s[12] = (uint32_t)at.block;
            fc_run_aead(k, s, &a->mac.core, in, out, n, decrypt);
            fc_wipe(s, sizeof s);
        } else {
            n = len < STRETCH ? len : STRETCH;
            /* A combined kernel begins at a whole block. */
            if (k->aead && at.offset && n > 64 - at.offset) n = 64 - at.offset;
            if (decrypt) fc_mac_update(k, &a->mac, in, n);
            fc_chacha20_xor(k, a->state, at, 0, in, out, n, 20);
            if (!decrypt) fc_mac_update(k, &a->mac, out, n);
        }
        a->data_len += n;
        in += n;
        out += n;
        len -= n;
    }
}

void fc_aead_final(const struct fc_kernel *k, struct fc_aead *a, const uint8_t *aad, size_t aad_len,
                   uint8_t tag[16]) {
    _Alignas(16) uint8_t lengths[16];
    if (!a->started) start(k, a, aad, aad_len, NULL, NULL, 0, 0);
    fc_store64le(lengths, a->aad_len);
    fc_store64le(lengths + 8, a->data_len);
    fc_mac_final_aead(k, &a->mac, lengths, tag);
    a->started = 0; /* wiped already */
    fc_aead_wipe(a);
}

void fc_aead_encrypt(const struct fc_kernel *k, const uint8_t key[32], const uint8_t *nonce,
                     size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                     uint8_t *out, size_t len, uint8_t tag[16]) {
    struct fc_aead a;
    fc_aead_init(k, &a, key, nonce, nonce_len);
    fc_aead_update(k, &a, aad, aad_len, in, out, len, 0);
    fc_aead_final(k, &a, NULL, 0, tag);
}

int fc_aead_decrypt(const struct fc_kernel *k, const uint8_t key[32], const uint8_t *nonce,
                    size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                    uint8_t *out, size_t len, const uint8_t tag[16]) {
    struct fc_aead a;
    uint32_t state[16];
    uint8_t want[16], got[16];
    int bad;

    memcpy(got, tag, 16); /* it may stand where something is written */
    fc_aead_init(k, &a, key, nonce, nonce_len);
    memcpy(state, a.state, sizeof state);
    fc_aead_update(k, &a, aad, aad_len, in, out, len, 1);
    fc_aead_final(k, &a, NULL, 0, want);
    bad = !fc_equal16(want, got);
    if (bad && in == out) {
        struct fc_position at = {1, 0, 0};
        fc_chacha20_xor(k, state, at, 0, out, out, len, 20);
    } else if (bad && len) {
        memset(out, 0, len);
    }
    fc_wipe(state, sizeof state);
    fc_wipe(want, sizeof want);
    return bad ? -1 : 0;
}
