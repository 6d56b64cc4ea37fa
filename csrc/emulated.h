/* Kernels that the pure-Python emulator runs: functions like any other, whose body is a call up.
 *
 * They are the one exception to "nothing below calls up". _core.pyx fills in fc_emulator before it
 * resolves an emulated row; its functions keep an exception for after the C call.
 */
#ifndef FC_EMULATED_H
#define FC_EMULATED_H

#include "backend.h"

/* kernel: the token of the RISC-V kernel that runs, "zvkb". Otherwise as backend.h. */
struct fc_emulator {
    void (*chacha20)(const char *kernel, const uint32_t *state, uint8_t *block0, const uint8_t *in,
                     uint8_t *out, size_t len, unsigned rounds);
    void (*hchacha20)(const char *kernel, uint32_t *out, const uint32_t *state, unsigned rounds);
    void (*poly1305)(const char *kernel, struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
                     uint32_t padbit);
};

extern struct fc_emulator fc_emulator;

#endif
