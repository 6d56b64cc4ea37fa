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

/* Four words <<< n. */
.macro rotl4 n, d0, d1, d2, d3
    srliw t0, \d0, 32 - \n
    srliw t1, \d1, 32 - \n
    slliw \d0, \d0, \n
    slliw \d1, \d1, \n
    or \d0, \d0, t0
    or \d1, \d1, t1
    srliw t0, \d2, 32 - \n
    srliw t1, \d3, 32 - \n
    slliw \d2, \d2, \n
    slliw \d3, \d3, \n
    or \d2, \d2, t0
    or \d3, \d3, t1
.endm

chacha20_function rv64
hchacha20_function rv64

#endif
#include "../fc_asm.h" /* the stack note, where this file is empty too */
