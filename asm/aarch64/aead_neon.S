/* ChaCha20-Poly1305 for AArch64 with Advanced SIMD (NEON): both in one pass.
 *
 *   void fc_aead_neon(const uint32_t state[16], struct fc_poly1305 *p, const uint8_t *in, uint8_t *out,
 *                     size_t len, int decrypt);
 *
 * Contract: csrc/backend.h. ISA: Armv8.0-A Advanced SIMD; either byte order.
 *
 * Shape: five ChaCha20 blocks at a time in vectors, four by lanes and one by rows (chacha20.h), and in
 * their shadow scalar Poly1305 on the 320 bytes of ciphertext that the trip before left on the stack: one
 * Poly1305 block a round. Each byte of the message is loaded once; what is authenticated is the copy of
 * what was decrypted, or of what was written. The last 64 to 256 bytes make a trip of their own on the
 * stack. What is left to authenticate then goes to fc_poly1305_blocks_neon.
 * Cost: 434 instructions for 64 bytes; modelled cycles a byte: A55 5.82, A57 3.19, N1 2.51, N2 2.50
 * (docs/performance/aarch64.md).
 *
 * Registers: x4-x15 Poly1305 (poly1305.h), v0-v31 as in chacha20_neon.S, and
 *   x19 state  x20 p  x21 in  x22 out  x23 bytes left  x24 decrypt  w25 rounds left  w26 block counter
 *   x27 ciphertext to authenticate, moving; 0: none yet   x28 1, the padding bit
 *   x29 out of the last trip, when it is on the stack, else 0   x16, x17 scratch
 * Clobbers: x0-x17, v0-v7, v16-v31 (key and keystream are cleared).
 * Stack: 1120 bytes: 320 of ciphertext, 320 for the last trip, 320 for the state by lanes and by rows (loads
 * cost the vector units nothing, dup and mov do), all of them cleared; 160 for saved registers.
 */
#if defined(__aarch64__) || defined(_M_ARM64)
#define STATE x19
#define POLY x20
#define IN x21
#define OUT x22
#define LEFT x23
#define DECRYPT x24
#define COUNT w25
#define COUNTER w26
#define BUF x27
#define PAD x28
#define TAIL_OUT x29

#define LANES 640 /* from sp: the state's words by lane, */
#define ROWS 896  /* its rows 0-2 */

#include "arch.h"
#include "chacha20.h"
#include "poly1305.h"

/* Ends five blocks, XORs them and keeps the ciphertext in \copy: the input (keep_in) or the output
 * (keep_out). The row goes first, so that its stores leave while the lanes are transposed. */
.macro xor_blocks keep_in, keep_out, copy
    fc_rfinal
    fc_vxor 28, 29, 30, 31, IN, OUT, \keep_in, \keep_out, \copy
    fc_vfinal
    fc_vxor 0, 4, 8, 12, IN, OUT, \keep_in, \keep_out, \copy
    fc_vxor 1, 5, 9, 13, IN, OUT, \keep_in, \keep_out, \copy
    fc_vxor 2, 6, 10, 14, IN, OUT, \keep_in, \keep_out, \copy
    fc_vxor 3, 7, 11, 15, IN, OUT, \keep_in, \keep_out, \copy
.endm

/* The state on the stack, but for word 12 (the counter), which is made from v27; and from there. */
.macro keep_state
    fc_vinit
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15
    str q\i, [sp, #LANES + 16 * \i]
    .endr
    str q24, [sp, #ROWS]
    str q25, [sp, #ROWS + 16]
    str q26, [sp, #ROWS + 32]
.endm
.macro init_blocks
    ldr q28, [sp, #ROWS]
    ldr q29, [sp, #ROWS + 16]
    ldr q30, [sp, #ROWS + 32]
    mov v31.16b, v27.16b
    dup v12.4s, v27.s[0]
    .irp i, 0, 4, 8, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15
    ldr q\i, [sp, #LANES + 16 * \i]
    .endr
    add v12.4s, v12.4s, v21.4s
.endm

/* Copies x0 bytes (a multiple of 64, not 0) from \src to \dst, which both move on. */
.macro copy64 dst, src
21: ld1 {v16.16b-v19.16b}, [\src], #64
    subs x0, x0, #64
    st1 {v16.16b-v19.16b}, [\dst], #64
    b.ne 21b
.endm

fc_func fc_aead_neon
    fc_sign
    fc_enter 960
    mov STATE, x0
    mov POLY, x1
    mov IN, x2
    mov OUT, x3
    mov LEFT, x4
    mov w24, w5
    mov BUF, #0
    mov PAD, #1
    mov TAIL_OUT, #0
    ldr COUNTER, [STATE, #48]
    fc_vconst STATE
    keep_state
    fc_poly_enter POLY
    fc_poly_open
    cmp LEFT, #320
    b.lo 6f

    // ---- five blocks
1:  ins v27.s[0], COUNTER
    init_blocks
    mov COUNT, #10
    cbz BUF, 9f
2:  fc_double_round 1, 1, 0, 1
    subs COUNT, COUNT, #1
    b.ne 2b
3:  mov BUF, sp
    mov x16, sp
    cbnz DECRYPT, 4f
    xor_blocks 0, 1, x16
    b 5f
4:  xor_blocks 1, 0, x16
5:  cbnz TAIL_OUT, 7f
    add COUNTER, COUNTER, #5
    sub LEFT, LEFT, #320
    cmp LEFT, #320
    b.hs 1b
    mov x2, #20
    cbz LEFT, 8f

    // ---- the last 64 to 256 bytes: a trip on the stack (whatever stands behind them goes with them)
6:  add x16, sp, #320
    mov x0, LEFT
    copy64 x16, IN
    mov TAIL_OUT, OUT
    add IN, sp, #320
    add OUT, sp, #320
    b 1b
7:  add x16, sp, #320
    mov x0, LEFT
    copy64 TAIL_OUT, x16
    lsr x2, LEFT, #4

    // ---- x2 blocks of ciphertext are still to be authenticated
8:  fc_poly_close
    fc_poly_leave POLY
    mov x0, POLY
    mov x1, sp
    mov x3, #1
    bl FC_SYM(fc_poly1305_blocks_neon)

    movi v0.2d, #0
    movi v1.2d, #0
    movi v2.2d, #0
    movi v3.2d, #0
    mov x16, sp
    .rept 15
    st1 {v0.16b-v3.16b}, [x16], #64
    .endr
    fc_clear x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15
    fc_vclear v4, v5, v6, v7, v16, v17, v18, v19, v22, v24, v25, v26, v27, v28, v29, v30, v31
    fc_leave 960
    fc_authenticate
    ret

    // the first trip's rounds: nothing to authenticate yet
9:  fc_double_round 1, 1, 0, 0
    subs COUNT, COUNT, #1
    b.ne 9b
    b 3b
fc_endfunc fc_aead_neon
#endif

#include "../fc_asm.h" /* the stack note, where this file is empty too */
