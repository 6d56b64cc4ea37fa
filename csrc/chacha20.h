/* ChaCha20 streams above the kernels: state set-up, position, the split at 2**32 blocks, XChaCha20.
 */
#ifndef FC_CHACHA20_H
#define FC_CHACHA20_H

#include "backend.h"

/* Fills state[16]: constants, key (32 bytes), block counter 0, nonce of 8, 12 or (HChaCha20's
 * input) 16 bytes in the last words. RFC 8439, section 2.3. */
void fc_chacha20_setup(uint32_t state[16], const uint8_t key[32], const uint8_t *nonce,
                       size_t nonce_len);

/* state for XChaCha: HChaCha over nonce[0..15], then the subkey with nonce[16..23] in the last two
 * words; word 13 is 0 (the high counter word of a stream, the first nonce word of the AEAD).
 * draft-irtf-cfrg-xchacha-03, section 2.3. */
void fc_xchacha20_setup(const struct fc_kernel *k, uint32_t state[16], const uint8_t key[32],
                        const uint8_t nonce[24], unsigned rounds);

/* A byte position in a keystream: block * 64 + offset. At the exact end of the counter's range,
 * where only empty data is left, `end` is 1 and block and offset are 0. */
struct fc_position {
    uint64_t block;
    unsigned offset; /* 0 to 63 */
    unsigned end;
};

/* Moves the position on by n bytes. Returns 0; or -1, position unmoved, if the range (2**32 blocks,
 * or 2**64 if wide) does not hold them. */
int fc_position_advance(struct fc_position *p, uint64_t n, int wide);

/* XORs len bytes at the given position, which must lie, with len, inside the range. wide: a 64-bit
 * counter in words 12 and 13 (a 32-bit one in word 12 otherwise). in equals out or is disjoint. */
void fc_chacha20_xor(const struct fc_kernel *k, const uint32_t state[16], struct fc_position at,
                     int wide, const uint8_t *in, uint8_t *out, size_t len, unsigned rounds);

#endif
