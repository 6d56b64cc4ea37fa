/* ChaCha20 for RISC-V vectors without vector rotations.
 *
 *   void fc_chacha20_rvv(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
 *                        uint8_t *out, size_t len, unsigned rounds);
 *
 * Contract: csrc/backend.h. ISA: RV64I, V (VLEN 128 or more); no bit manipulation. Registers,
 * clobbers, stack: chacha20_v.h.
 *
 * x >>> n is (x >> n) + 2**(32 - n) x: a shift, and a multiplication that adds (vmadd, vmacc), two
 * instructions instead of three.
 */
#if defined(__riscv) && __riscv_xlen == 64
#define FC_LMUL_128 4 /* words to an instruction beside a scalar block */
#include "chacha20_v.h"

.macro vror_constants
    lui t0, 1 << 4 /* 2**16 */
    lui t1, 1      /* 2**12 */
    li t2, 1 << 8
    li a5, 1 << 7
.endm
.macro vror_group n, x
    vsrl.vi v28, v\x, \n
.if \n == 16
    vmadd.vx v\x, t0, v28
.elseif \n == 20
    vmadd.vx v\x, t1, v28
.elseif \n == 24
    vmadd.vx v\x, t2, v28
.else
    vmadd.vx v\x, a5, v28
.endif
.endm
.macro vror_4 n, x0, x1, x2, x3, y0, y1, y2, y3
    vsrl.vi v\y0, v\x0, \n
    vsrl.vi v\y1, v\x1, \n
    vsrl.vi v\y2, v\x2, \n
    vsrl.vi v\y3, v\x3, \n
.if \n == 24
    multiply_add t2, \x0, \x1, \x2, \x3, \y0, \y1, \y2, \y3
.else
    multiply_add a5, \x0, \x1, \x2, \x3, \y0, \y1, \y2, \y3
.endif
.endm
.macro multiply_add factor, x0, x1, x2, x3, y0, y1, y2, y3
    vmacc.vx v\y0, \factor, v\x0
    vmacc.vx v\y1, \factor, v\x1
    vmacc.vx v\y2, \factor, v\x2
    vmacc.vx v\y3, \factor, v\x3
.endm

.macro rotl_4 n, d0, d1, d2, d3
    rotl_1 \n, \d0
    rotl_1 \n, \d1
    rotl_1 \n, \d2
    rotl_1 \n, \d3
.endm
.macro rotl_1 n, d
    slliw a0, \d, \n
    srliw \d, \d, 32 - \n
    or \d, \d, a0
.endm

fc_extension +v
chacha20_v_function rvv
fc_extension_end

#endif
#include "../fc_asm.h" /* the stack note, where this file is empty too */
