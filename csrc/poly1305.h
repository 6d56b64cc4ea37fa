/* Poly1305 above the kernels: key, any chunking, the tag (RFC 8439, section 2.5). */
#ifndef FC_POLY1305_H
#define FC_POLY1305_H

#include "backend.h"

struct fc_mac {
    struct fc_poly1305 core;
    uint8_t partial[16]; /* input that does not fill a block yet */
    unsigned filled;     /* 0 to 15 */
};

/* key: r (clamped here), then s. */
void fc_mac_init(struct fc_mac *m, const uint8_t key[32]);
void fc_mac_update(const struct fc_kernel *k, struct fc_mac *m, const uint8_t *in, size_t len);
/* The tag of all input so far. Wipes *m. */
void fc_mac_final(const struct fc_kernel *k, struct fc_mac *m, uint8_t tag[16]);
/* The same, for an AEAD: pads the input with zeros to a whole block, then authenticates one block
 * more (the two lengths). Wipes *m. */
void fc_mac_final_aead(const struct fc_kernel *k, struct fc_mac *m, const uint8_t lengths[16],
                       uint8_t tag[16]);
/* Pads the input so far with zeros to a whole block. */
void fc_mac_pad(const struct fc_kernel *k, struct fc_mac *m);
void fc_mac_wipe(struct fc_mac *m);

/* 1 if the 16 bytes are equal, in constant time. */
int fc_equal16(const uint8_t a[16], const uint8_t b[16]);

#endif
