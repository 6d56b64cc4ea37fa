/* ChaCha20 and HChaCha20 for RV64I, scalar.
 *
 *   void fc_chacha20_rv64(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
 *                         uint8_t *out, size_t len, unsigned rounds);
 *   void fc_hchacha20_rv64(uint32_t out[8], const uint32_t state[16], unsigned rounds);
 *
 * Contract: csrc/backend.h. ISA: RV64I. Registers, clobbers, stack: chacha20.h. A rotation is two
 * shifts and an or.
 */
#if defined(__riscv) && __riscv_xlen == 64
#include "chacha20.h"

/* d <<< n */
.macro rotl n, d
    srliw t0, \d, 32 - \n
    slliw \d, \d, \n
    or \d, \d, t0
.endm

chacha20_function rv64
hchacha20_function rv64

#endif
#include "../fc_asm.h" /* the stack note, where this file is empty too */
