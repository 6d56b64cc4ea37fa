/* ChaCha20 and HChaCha20 for RV64I with Zbb, scalar.
 *
 *   void fc_chacha20_zbb(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
 *                        uint8_t *out, size_t len, unsigned rounds);
 *   void fc_hchacha20_zbb(uint32_t out[8], const uint32_t state[16], unsigned rounds);
 *
 * Contract: csrc/backend.h. ISA: RV64I, Zbb (roriw). Registers, clobbers, stack: chacha20.h.
 */
#if defined(__riscv) && __riscv_xlen == 64
#include "chacha20.h"

/* d <<< n */
.macro rotl n, d
    roriw \d, \d, 32 - \n
.endm

fc_extension +zbb
chacha20_function zbb
hchacha20_function zbb
fc_extension_end

#endif
#include "../fc_asm.h" /* the stack note, where this file is empty too */
