/* ChaCha20 for VSX (Power ISA 2.06: POWER7 and later).
 *
 * void fc_chacha20_vsx(const uint32_t state[16], uint8_t *block0, const uint8_t *in, uint8_t *out,
 *                      size_t len, unsigned rounds);
 * Contract: csrc/backend.h. Registers, stack: chacha20.h. Clobbers r0, r3-r12, CTR, CR0, CR6, v0-v19.
 *
 * VSX loads and stores vectors at any address, and four words keep their order in little-endian mode.
 * The word merges of POWER8 (vmrgew, vmrgow) would save nothing: the transposition takes eight merges for
 * four vectors either way, and big-endian needs vperm in its second half for the order of bytes. So the
 * rows for later processors use this kernel too.
 * Measured cost: docs/performance/ppc.md.
 */
#if defined(__powerpc64__)
#define UNALIGNED 1
#define REVERSED 0
#include "chacha20.h"
#include "vsx.h"

.machine push
.machine power7

fc_func fc_chacha20_vsx
    fc_chacha20_vectors
fc_endfunc fc_chacha20_vsx

.machine pop
#endif
#include "../fc_asm.h"
