#include "chacha20.h"

void fc_chacha20_setup(uint32_t state[16], const uint8_t key[32], const uint8_t *nonce,
                       size_t nonce_len) {
    state[0] = UINT32_C(0x61707865); /* "expand 32-byte k" */
    state[1] = UINT32_C(0x3320646e);
    state[2] = UINT32_C(0x79622d32);
    state[3] = UINT32_C(0x6b206574);
    for (int i = 0; i < 8; i++) state[4 + i] = fc_load32le(key + 4 * i);
    size_t words = nonce_len / 4;
    for (size_t i = 12; i < 16 - words; i++) state[i] = 0;
    for (size_t i = 0; i < words; i++) state[16 - words + i] = fc_load32le(nonce + 4 * i);
}

void fc_xchacha20_setup(const struct fc_kernel *k, uint32_t state[16], const uint8_t key[32],
                        const uint8_t nonce[24], unsigned rounds) {
    uint32_t subkey[8];
    fc_chacha20_setup(state, key, nonce, 16);
    fc_run_hchacha20(k, subkey, state, rounds);
    memcpy(state + 4, subkey, 32);
    state[12] = state[13] = 0;
    state[14] = fc_load32le(nonce + 16);
    state[15] = fc_load32le(nonce + 20);
    fc_wipe(subkey, sizeof subkey);
}

int fc_position_advance(struct fc_position *p, uint64_t n, int wide) {
    if (n == 0) return 0;
    if (p->end) return -1;
    uint64_t left = (wide ? UINT64_MAX : UINT32_MAX) - p->block; /* blocks after this one */
    unsigned offset = p->offset + (unsigned)(n & 63);
    uint64_t blocks = (n >> 6) + (offset >> 6); /* at most 2**58: cannot wrap */
    offset &= 63;
    if (blocks > left) {
        if (blocks - left > 1 || offset) return -1;
        *p = (struct fc_position){0, 0, 1};
        return 0;
    }
    p->block += blocks;
    p->offset = offset;
    return 0;
}

/* Bytes that a kernel call may take before the 32-bit counter word would wrap. */
static inline uint64_t until_wrap(uint32_t counter) { return ((UINT64_C(1) << 32) - counter) * 64; }

void fc_chacha20_xor(const struct fc_kernel *k, const uint32_t state[16], struct fc_position at,
                     int wide, const uint8_t *in, uint8_t *out, size_t len, unsigned rounds) {
    uint32_t s[16];
    _Alignas(16) uint8_t first[64];
    uint8_t *block0 = NULL;
    size_t head = 0;

    if (len == 0) return;
    memcpy(s, state, sizeof s);
    s[12] = (uint32_t)at.block;
    if (wide) s[13] = (uint32_t)(at.block >> 32);

    /* Inside a block: its keystream comes as block 0 of the call that does the rest. */
    if (at.offset) {
        block0 = first;
        head = 64 - at.offset;
        if (head > len) head = len;
    }
    const uint8_t *body_in = in + head;
    uint8_t *body_out = out + head;
    size_t left = len - head;
    do {
        uint64_t room = until_wrap(s[12]) - (block0 ? 64 : 0);
        size_t n = left < room ? left : (size_t)room;
        fc_run_chacha20(k, s, block0, body_in, body_out, n, rounds);
        body_in += n;
        body_out += n;
        left -= n;
        block0 = NULL;
        s[12] = 0; /* carry; the 32-bit counter's range ends here and left is 0 */
        s[13] += wide && left;
    } while (left);
    for (size_t i = 0; i < head; i++) out[i] = in[i] ^ first[at.offset + i];

    if (at.offset) fc_wipe(first, sizeof first);
    fc_wipe(s, sizeof s);
}
