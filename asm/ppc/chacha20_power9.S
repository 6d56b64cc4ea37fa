/* ChaCha20 for POWER9 (ISA 3.0).
 *
 * void fc_chacha20_power9(const uint32_t state[16], uint8_t *block0, const uint8_t *in, uint8_t *out,
 *                      size_t len, unsigned rounds);
 * Contract: csrc/backend.h. Registers, stack: chacha20.h. Clobbers r0, r3-r12, CTR, CR0, CR6, v0-v19.
 *
 * As VSX's, with loads and stores that keep the byte order by themselves: a vector is then a little-endian
 * whole in little-endian mode, so lane 0 is the one that the instructions call 3, and merges swap their
 * operands and their halves. VSX's own lxvw4x costs POWER9 a permutation.
 * Measured cost: docs/performance/ppc.md.
 */
#if defined(__powerpc64__)
#define UNALIGNED 1
#define REVERSED FC_LE
#include "chacha20.h"
#include "vsx_3_0.h"

.machine push
.machine power9

fc_func fc_chacha20_power9
    fc_chacha20_vectors
fc_endfunc fc_chacha20_power9

.machine pop
#endif
#include "../fc_asm.h"
