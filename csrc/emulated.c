#include "emulated.h"

struct fc_emulator fc_emulator;

/* One line for each RISC-V kernel that an emulated row names. */
#define CHACHA20(kernel)                                                                           \
    fc_chacha20_fn fc_chacha20_##kernel##_emu;                                                     \
    void fc_chacha20_##kernel##_emu(const uint32_t state[16], uint8_t *block0, const uint8_t *in,  \
                                    uint8_t *out, size_t len, unsigned rounds) {                   \
        fc_emulator.chacha20(#kernel, state, block0, in, out, len, rounds);                        \
    }
#define HCHACHA20(kernel)                                                                          \
    fc_hchacha20_fn fc_hchacha20_##kernel##_emu;                                                   \
    void fc_hchacha20_##kernel##_emu(uint32_t out[8], const uint32_t state[16], unsigned rounds) { \
        fc_emulator.hchacha20(#kernel, out, state, rounds);                                        \
    }
#define POLY1305(kernel)                                                                           \
    fc_poly1305_blocks_fn fc_poly1305_blocks_##kernel##_emu;                                       \
    void fc_poly1305_blocks_##kernel##_emu(struct fc_poly1305 *p, const uint8_t *in,               \
                                           size_t blocks, uint32_t padbit) {                       \
        fc_emulator.poly1305(#kernel, p, in, blocks, padbit);                                      \
    }

CHACHA20(zvkb)
CHACHA20(rvv)
HCHACHA20(rv64)
POLY1305(rvv)
