/* ChaCha20 for AltiVec (Power ISA, category Vector: the G4, the 970, and everything since POWER6).
 *
 * void fc_chacha20_altivec(const uint32_t state[16], uint8_t *block0, const uint8_t *in, uint8_t *out,
 *                          size_t len, unsigned rounds);
 * Contract: csrc/backend.h. Registers, stack: chacha20.h. Clobbers r0, r3-r12, CTR, CR0, CR6, v0-v19.
 *
 * AltiVec loads and stores whole aligned vectors only. Where in and out are aligned, whole groups of four
 * blocks are XORed as vectors; everything else goes through the stack and general registers, so that no
 * byte outside the buffers is ever read. In little-endian mode lane 0 is the one that the instructions
 * call 3: merges swap their operands and their halves.
 * Measured cost: docs/performance/ppc.md.
 */
#if defined(__powerpc__)
#define UNALIGNED 0
#define REVERSED FC_LE
#include "chacha20.h"

.machine push
.machine altivec

.macro fc_vload v, a, b
    lvx \v, \a, \b
.endm
.macro fc_vstore v, a, b
    stvx \v, \a, \b
.endm

fc_func fc_chacha20_altivec
    fc_chacha20_vectors
fc_endfunc fc_chacha20_altivec

.machine pop
#endif
#include "../fc_asm.h"
