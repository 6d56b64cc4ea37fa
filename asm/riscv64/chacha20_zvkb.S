/* ChaCha20 for RISC-V vectors with Zvkb.
 *
 *   void fc_chacha20_zvkb(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
 *                         uint8_t *out, size_t len, unsigned rounds);
 *
 * Contract: csrc/backend.h. ISA: RV64I, V (VLEN 128 or more), Zvkb (vror.vi). Registers, clobbers,
 * stack: chacha20_v.h.
 */
#if defined(__riscv) && __riscv_xlen == 64
#include "chacha20_v.h"

.macro vrotl_constants
.endm

/* The numbers of registers, for fc_vror. */
.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
    .set .Lv\n, \n
.endr

.macro vrotl4m n, x
    fc_vror .L\x, .L\x, 32 - \n
.endm
.macro vrotl4 n, x0, x1, x2, x3, y0, y1, y2, y3
    fc_vror .L\y0, .L\x0, 32 - \n
    fc_vror .L\y1, .L\x1, 32 - \n
    fc_vror .L\y2, .L\x2, 32 - \n
    fc_vror .L\y3, .L\x3, 32 - \n
.endm

fc_extension +v
chacha20_v_function zvkb
fc_extension_end

#endif
#include "../fc_asm.h" /* the stack note, where this file is empty too */
