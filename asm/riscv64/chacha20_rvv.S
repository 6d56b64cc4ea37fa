/* ChaCha20 for RISC-V vectors without vector rotations.
 *
 *   void fc_chacha20_rvv(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
 *                        uint8_t *out, size_t len, unsigned rounds);
 *
 * Contract: csrc/backend.h. ISA: RV64I, V (VLEN 128 or more); no bit manipulation. Registers,
 * clobbers, stack: chacha20_v.h.
 *
 * x <<< n is 2**n x + (x >> (32 - n)): a shift, and a multiplication that adds (vmadd, vmacc), two
 * instructions instead of three.
 */
#if defined(__riscv) && __riscv_xlen == 64
#include "chacha20_v.h"

.macro vrotl_constants
    lui t0, 1 << 4 /* 2**16 */
    lui t1, 1      /* 2**12 */
    li t2, 1 << 8
    li t3, 1 << 7
.endm

.macro vrotl4m n, x
    vsrl.vi v28, \x, 32 - \n
.if \n == 16
    vmadd.vx \x, t0, v28
.else
    vmadd.vx \x, t1, v28
.endif
.endm
.macro vrotl4 n, x0, x1, x2, x3, y0, y1, y2, y3
    vsrl.vi \y0, \x0, 32 - \n
    vsrl.vi \y1, \x1, 32 - \n
    vsrl.vi \y2, \x2, 32 - \n
    vsrl.vi \y3, \x3, 32 - \n
.if \n == 8
    vmacc.vx \y0, t2, \x0
    vmacc.vx \y1, t2, \x1
    vmacc.vx \y2, t2, \x2
    vmacc.vx \y3, t2, \x3
.else
    vmacc.vx \y0, t3, \x0
    vmacc.vx \y1, t3, \x1
    vmacc.vx \y2, t3, \x2
    vmacc.vx \y3, t3, \x3
.endif
.endm

fc_extension +v
chacha20_v_function rvv
fc_extension_end

#endif
#include "../fc_asm.h" /* the stack note, where this file is empty too */
