/* Known answers, each by the kernels at every length and as the dispatch uses them. */
#include "check.h"

#include <stdlib.h>

#define MAX_BYTES 512

static size_t unhex(uint8_t *out, const char *hex) {
    size_t n = strlen(hex) / 2;
    if (n > MAX_BYTES) fail("vector too long for the checker");
    for (size_t i = 0; i < n; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return n;
}

static void stream(const struct fc_kernel *k, const struct stream_vector *v) {
    uint8_t key[MAX_BYTES], nonce[MAX_BYTES], in[MAX_BYTES] = {0}, want[MAX_BYTES];
    uint32_t state[16];
    unhex(key, v->key);
    size_t nonce_len = unhex(nonce, v->nonce);
    unhex(in, v->in);
    size_t len = unhex(want, v->out);

    begin("ChaCha20 known answer", len);
    now.more = v->origin;
    now.rounds = v->rounds;
    now.counter = v->counter;
    if (nonce_len == 24)
        fc_xchacha20_setup(k, state, key, nonce, v->rounds);
    else
        fc_chacha20_setup(state, key, nonce, nonce_len);
    now.in = put(&arena_in, len, AT_END);
    now.out = put(&arena_out, len, AT_END);
    memcpy(arena_in.p, in, len);
    fc_chacha20_xor(k, state, (struct fc_position){v->counter, 0, 0}, nonce_len != 12, now.in,
                    arena_out.p, len, v->rounds);
    same("out", now.out, want, len);
    intact("out", &arena_out);
    passed();
}

static void hchacha(const struct fc_kernel *k, const struct hchacha_vector *v) {
    uint8_t key[MAX_BYTES], nonce[MAX_BYTES], want[MAX_BYTES], got[32];
    uint32_t state[16], subkey[8];
    unhex(key, v->key);
    unhex(nonce, v->nonce);
    unhex(want, v->subkey);
    begin("HChaCha20 known answer", 32);
    now.more = v->origin;
    fc_chacha20_setup(state, key, nonce, 16);
    fc_run_hchacha20(k, subkey, state, 20);
    for (int i = 0; i < 8; i++) fc_store32le(got + 4 * i, subkey[i]);
    same("subkey", got, want, 32);
    passed();
}

static void mac(const struct fc_kernel *k, const struct mac_vector *v) {
    uint8_t key[MAX_BYTES], in[MAX_BYTES], want[MAX_BYTES], tag[16];
    struct fc_mac m;
    unhex(key, v->key);
    size_t len = unhex(in, v->in);
    unhex(want, v->tag);
    begin("Poly1305 known answer", len);
    now.more = v->origin;
    now.in = put(&arena_in, len, AT_END);
    memcpy(arena_in.p, in, len);
    fc_mac_init(&m, key);
    fc_mac_update(k, &m, now.in, len);
    fc_mac_final(k, &m, tag);
    same("tag", tag, want, 16);
    poly_tag(tag, key, in, len);
    same("the checker's own Poly1305", tag, want, 16);
    passed();
}

static void aead(const struct fc_kernel *k, const struct aead_vector *v) {
    uint8_t key[MAX_BYTES], nonce[MAX_BYTES], aad[MAX_BYTES], plain[MAX_BYTES], cipher[MAX_BYTES];
    uint8_t tag[MAX_BYTES], got[16];
    unhex(key, v->key);
    size_t nonce_len = unhex(nonce, v->nonce);
    size_t aad_len = unhex(aad, v->aad);
    size_t len = unhex(plain, v->in);
    unhex(cipher, v->out);
    unhex(tag, v->tag);
    begin("AEAD known answer", len);
    now.more = v->origin;
    put(&arena_out, len, AT_END);
    fc_aead_encrypt(k, key, nonce, nonce_len, aad, aad_len, plain, arena_out.p, len, got);
    same("ciphertext", arena_out.p, cipher, len);
    same("tag", got, tag, 16);
    passed();
    if (fc_aead_decrypt(k, key, nonce, nonce_len, aad, aad_len, cipher, arena_out.p, len, tag))
        fail("the right tag is refused");
    same("plaintext", arena_out.p, plain, len);
    intact("out", &arena_out);
    passed();
}

void check_vectors(const struct subject *s) {
    for (int i = 0; i < 2; i++) {
        const struct fc_kernel *k = i ? &s->row : &s->direct;
        for (size_t j = 0; j < stream_vector_count; j++) stream(k, &stream_vectors[j]);
        for (size_t j = 0; j < hchacha_vector_count; j++) hchacha(k, &hchacha_vectors[j]);
        for (size_t j = 0; j < mac_vector_count; j++) mac(k, &mac_vectors[j]);
        for (size_t j = 0; j < aead_vector_count; j++) aead(k, &aead_vectors[j]);
    }
}
