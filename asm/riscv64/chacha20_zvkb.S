/* ChaCha20 for RISC-V vectors with Zvkb.
 *
 *   void fc_chacha20_zvkb(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
 *                         uint8_t *out, size_t len, unsigned rounds);
 *
 * Contract: csrc/backend.h. ISA: RV64I, Zbb (roriw), V (VLEN 128 or more), Zvkb (vror.vi). Registers,
 * clobbers, stack: chacha20_v.h.
 */
#if defined(__riscv) && __riscv_xlen == 64
#define FC_LMUL_128 1 /* words to an instruction beside a scalar block */
#include "chacha20_v.h"

.macro vror_constants
.endm
.macro vror_group n, x
    fc_vror \x, \x, \n
.endm
.macro vror_4 n, x0, x1, x2, x3, y0, y1, y2, y3
    fc_vror \y0, \x0, \n
    fc_vror \y1, \x1, \n
    fc_vror \y2, \x2, \n
    fc_vror \y3, \x3, \n
.endm

.macro rotl_4 n, d0, d1, d2, d3
    roriw \d0, \d0, 32 - \n
    roriw \d1, \d1, 32 - \n
    roriw \d2, \d2, 32 - \n
    roriw \d3, \d3, 32 - \n
.endm

fc_extension +v
fc_extension +zbb
chacha20_v_function zvkb
fc_extension_end
fc_extension_end

#endif
#include "../fc_asm.h" /* the stack note, where this file is empty too */
