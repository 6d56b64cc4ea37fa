/* ChaCha20-Poly1305 (RFC 8439, section 2.8) above the kernels, streaming and one-shot.
 *
 * The Poly1305 key never costs a pass of its own: block 0 comes out of the kernel call that does
 * the first data blocks. That is why nothing is computed when a stream begins and why the
 * associated data is taken with the first data.
 */
#ifndef FC_AEAD_H
#define FC_AEAD_H

#include "chacha20.h"
#include "poly1305.h"

/* 2**32 - 1 data blocks after block 0 */
#define FC_AEAD_MAX ((UINT64_C(1) << 38) - 64)

struct fc_aead {
    uint32_t state[16]; /* word 12 is 0 */
    struct fc_mac mac;
    uint64_t aad_len, data_len; /* bytes so far */
    int started;                /* is the Poly1305 key there? */
};

/* 12 bytes of nonce: RFC 8439; 24: XChaCha20-Poly1305. */
void fc_aead_init(const struct fc_kernel *k, struct fc_aead *a, const uint8_t key[32],
                  const uint8_t *nonce, size_t nonce_len);

/* The next len bytes of the message (all together at most FC_AEAD_MAX: the caller checks). in
 * equals out or is disjoint; aad is disjoint from out. aad is taken by the first call, all of it;
 * later calls ignore it. */
void fc_aead_update(const struct fc_kernel *k, struct fc_aead *a, const uint8_t *aad,
                    size_t aad_len, const uint8_t *in, uint8_t *out, size_t len, int decrypt);

/* The tag; aad is used if no update came before. Wipes *a. */
void fc_aead_final(const struct fc_kernel *k, struct fc_aead *a, const uint8_t *aad, size_t aad_len,
                   uint8_t tag[16]);

void fc_aead_wipe(struct fc_aead *a);

/* One message. out and tag may be adjacent. */
void fc_aead_encrypt(const struct fc_kernel *k, const uint8_t key[32], const uint8_t *nonce,
                     size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                     uint8_t *out, size_t len, uint8_t tag[16]);

/* Returns 0; or -1 where the tag is wrong: out then holds no plaintext, but zeros, or, in place,
 * the ciphertext as it came. */
int fc_aead_decrypt(const struct fc_kernel *k, const uint8_t key[32], const uint8_t *nonce,
                    size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                    uint8_t *out, size_t len, const uint8_t tag[16]);

#endif
