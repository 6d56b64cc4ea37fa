/* Poly1305 with mulx and with AVX2 lanes.
 *
 *   void fc_poly1305_blocks_avx2(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
 *                                uint32_t padbit);
 *
 * Contract: csrc/backend.h. ISA: AVX2, BMI2.
 *
 * Shape: below LANES_FROM blocks, and for what remains modulo 8, one block at a time in 64-bit limbs
 * (poly1305.h). From there on eight blocks a step in 26-bit limbs, two a lane:
 *     h = (h + blocks 0-3) * r**8 + blocks 4-7 * r**4,
 * which has one carry for eight blocks; in the last step each lane has its own powers, r**8 to r, and
 * the lanes are added up. The eight powers are computed once a message and kept in the shared state.
 *
 * Registers: rdi p   rsi in   rax blocks left   ecx padbit
 *   scalar: r8-r10 h   r11, rbx, r12, r13 products   r14 r[0]   r15 5/4 r[1]   rdx multiplicand
 *   lanes: ymm0-4 h and products   ymm5-9 limbs of blocks   ymm10, 12, 13 temporary
 *          ymm14 padbit at 2**24   ymm15 mask of 26 bits   rdx steps left
 * Clobbers: rax, rcx, rdx, rsi, r8-r11, ymm0-15 (cleared); callee-saved ones are restored.
 * Stack: 640 bytes aligned to 64; the multipliers there are cleared.
 *
 * Cost, AMD Zen 3, cycles (bench/kernels.c): 15.2 a block up to LANES_FROM; 512 bytes 386, 1 KiB 570,
 * 4 KiB 1660, then 0.354 a byte (with the powers at hand about 190 less). A step is about 150 vector
 * operations for 128 bytes, 37 cycles on four pipes, measured 45.
 * Tried and lost: lanes for 16 blocks (at 256 bytes the scalar loop is faster by a tenth).
 */
#if defined(__x86_64__)
#include "arch.h"
#define R1 [rdi + 32]
#include "poly1305.h"

#define LEFT rax

#define LANES_FROM 24   /* blocks */
#define FC_POWERS_AVX2 1 /* csrc/backend.h */

/* The cache in the shared state, from byte 64: nine rows of eight 32-bit words. Row i = 0-4 is limb i
 * (26 bits) of the powers, row 4 + i = 5-8 is five times limb i. The words of a row are the powers
 * r**8, r**6, r**7, r**5, r**4, r**2, r**3, r**1: the order in which unpacking two registers of two
 * blocks each leaves the blocks in the four lanes. */
#define CACHE rdi + 64
/* The nine multipliers of one step as vectors, twice: for the first four blocks, for the other four. */
#define TABLE rsp
#define SAVED_LEFT [rsp + 576]
#define FRAME 640

    fc_rodata
    .p2align 5
FC_L(mask26):
    .quad 0x3ffffff, 0x3ffffff, 0x3ffffff, 0x3ffffff
    .text

/* The limbs of \a + 2**64 \b + 2**128 \c to word \n of the cache's rows. Uses rax, rdx. */
.macro store_power a, b, c, n
    mov rax, \a
    and eax, 0x3ffffff
    mov [CACHE + 4 * \n], eax
    mov rax, \a
    shr rax, 26
    store_limb 1, \n
    mov rax, \a
    shrd rax, \b, 52
    store_limb 2, \n
    mov rax, \b
    shr rax, 14
    store_limb 3, \n
    mov rax, \b
    shrd rax, \c, 40
    mov [CACHE + 32 * 4 + 4 * \n], eax
    lea eax, [rax + 4 * rax]
    mov [CACHE + 32 * 8 + 4 * \n], eax
.endm
.macro store_limb i, n
    and eax, 0x3ffffff
    mov [CACHE + 32 * \i + 4 * \n], eax
    lea eax, [rax + 4 * rax]
    mov [CACHE + 32 * (4 + \i) + 4 * \n], eax
.endm

/* The limbs of four blocks at \in: ymm\n to ymm<n + 4>. Uses ymm\u, ymm\v. */
.macro load_blocks in, l0, l1, l2, l3, l4, u
    vmovdqu ymm\l0, [\in]
    vmovdqu ymm\l1, [\in + 32]
    vpunpckhqdq ymm\l4, ymm\l0, ymm\l1      /* the upper words */
    vpunpcklqdq ymm\l0, ymm\l0, ymm\l1      /* the lower words */
    vpsrlq ymm\l2, ymm\l0, 52
    vpsllq ymm\u, ymm\l4, 12
    vpor ymm\l2, ymm\l2, ymm\u
    vpand ymm\l2, ymm\l2, ymm15
    vpsrlq ymm\l1, ymm\l0, 26
    vpand ymm\l1, ymm\l1, ymm15
    vpand ymm\l0, ymm\l0, ymm15
    vpsrlq ymm\l3, ymm\l4, 14
    vpand ymm\l3, ymm\l3, ymm15
    vpsrlq ymm\l4, ymm\l4, 40
    vpor ymm\l4, ymm\l4, ymm14              /* 2**128 */
.endm

/* ymm0-4 = or += x * the multiplier in \row of the table's half at \half */
.macro mul_first x, half, a, b, c, d, e
    vpmuludq ymm0, \x, [TABLE + \half + 32 * \a]
    vpmuludq ymm1, \x, [TABLE + \half + 32 * \b]
    vpmuludq ymm2, \x, [TABLE + \half + 32 * \c]
    vpmuludq ymm3, \x, [TABLE + \half + 32 * \d]
    vpmuludq ymm4, \x, [TABLE + \half + 32 * \e]
.endm
.macro mul_add x, half, a, b, c, d, e
    vpmuludq ymm12, \x, [TABLE + \half + 32 * \a]
    vpaddq ymm0, ymm0, ymm12
    vpmuludq ymm13, \x, [TABLE + \half + 32 * \b]
    vpaddq ymm1, ymm1, ymm13
    vpmuludq ymm12, \x, [TABLE + \half + 32 * \c]
    vpaddq ymm2, ymm2, ymm12
    vpmuludq ymm13, \x, [TABLE + \half + 32 * \d]
    vpaddq ymm3, ymm3, ymm13
    vpmuludq ymm12, \x, [TABLE + \half + 32 * \e]
    vpaddq ymm4, ymm4, ymm12
.endm

/* \low to 26 bits, the rest of it to \high */
.macro carry low, high
    vpsrlq ymm12, \low, 26
    vpand \low, \low, ymm15
    vpaddq \high, \high, ymm12
.endm
/* from limb 4 to limb 0, times 5 */
.macro carry_around
    vpsrlq ymm12, ymm4, 26
    vpand ymm4, ymm4, ymm15
    vpaddq ymm0, ymm0, ymm12
    vpsllq ymm12, ymm12, 2
    vpaddq ymm0, ymm0, ymm12
.endm
/* Limbs below 2**63 come down to 26 bits, limbs 1 and 4 to hardly more. */
.macro carries
    carry ymm3, ymm4
    carry ymm0, ymm1
    carry_around
    carry ymm1, ymm2
    carry ymm2, ymm3
    carry ymm0, ymm1
    carry ymm3, ymm4
.endm

/* ymm0-4 = (ymm0-4 + four blocks) * first multiplier + four blocks * second multiplier, not carried */
.macro lanes_step
    load_blocks rsi, 5, 6, 7, 8, 9, 10
    vpaddq ymm5, ymm5, ymm0
    vpaddq ymm6, ymm6, ymm1
    vpaddq ymm7, ymm7, ymm2
    vpaddq ymm8, ymm8, ymm3
    vpaddq ymm9, ymm9, ymm4
    mul_first ymm5, 0, 0, 1, 2, 3, 4
    mul_add ymm6, 0, 8, 0, 1, 2, 3
    mul_add ymm7, 0, 7, 8, 0, 1, 2
    mul_add ymm8, 0, 6, 7, 8, 0, 1
    mul_add ymm9, 0, 5, 6, 7, 8, 0
    load_blocks rsi + 64, 5, 6, 7, 8, 9, 10
    mul_add ymm5, 288, 0, 1, 2, 3, 4
    mul_add ymm6, 288, 8, 0, 1, 2, 3
    mul_add ymm7, 288, 7, 8, 0, 1, 2
    mul_add ymm8, 288, 6, 7, 8, 0, 1
    mul_add ymm9, 288, 5, 6, 7, 8, 0
    add rsi, 128
.endm

.macro two_powers n, m
    store_power H0, H1, H2, \n
    poly_block H0, H1, H2, T0, T1, T2, T3, R0, R1, S1
    store_power T0, T2, H2, \m
.endm

fc_func fc_poly1305_blocks_avx2
    fc_enter FRAME, 4, rbx, r12, r13, r14, r15
    mov LEFT, rdx
    test rdx, rdx
    jz 20f
    mov R0, [rdi + 24]
    mov rdx, [rdi + 32]
    mov S1, rdx
    shr S1, 2
    add S1, rdx
    mov ecx, ecx
    cmp LEFT, LANES_FROM
    jae 4f

2:  /* one block at a time */
    mov H0, [rdi]
    mov H1, [rdi + 8]
    mov H2, [rdi + 16]
    add H0, [rsi]
    adc H1, [rsi + 8]
    adc H2, rcx
    sub LEFT, 1
    jz 3f
    .p2align 4
22:
    poly_block H0, H1, H2, T0, T1, T2, T3, R0, R1, S1, [rsi + 16], [rsi + 24], rcx
    mov H0, T0
    mov H1, T2
    add rsi, 16
    sub LEFT, 1
    jnz 22b
3:
    poly_block H0, H1, H2, T0, T1, T2, T3, R0, R1, S1
    mov [rdi], T0
    mov [rdi + 8], T2
    mov [rdi + 16], H2
20:
    .irp reg, edx, r8d, r9d, r10d, r11d
    xor \reg, \reg
    .endr
    fc_leave rbx, r12, r13, r14, r15

4:  /* eight blocks at a time, in four lanes */
    mov SAVED_LEFT, LEFT
    cmp qword ptr [rdi + 56], FC_POWERS_AVX2
    je 5f
    mov qword ptr [rdi + 56], FC_POWERS_AVX2
    mov H0, R0
    mov H1, R1
    xor r10d, r10d
    two_powers 7, 5
    poly_block T0, T2, H2, H0, T1, H1, T3, R0, R1, S1
    two_powers 6, 4
    poly_block T0, T2, H2, H0, T1, H1, T3, R0, R1, S1
    two_powers 3, 1
    poly_block T0, T2, H2, H0, T1, H1, T3, R0, R1, S1
    two_powers 2, 0
5:
    vmovdqa ymm15, [rip + FC_L(mask26)]
    vmovd xmm14, ecx
    vpbroadcastq ymm14, xmm14
    vpsllq ymm14, ymm14, 24                 /* 2**128 is 2**24 in limb 4 */

    /* h to lane 0 */
    mov r8, [rdi]
    mov r9, [rdi + 8]
    mov r10, [rdi + 16]
    mov rax, r8
    and eax, 0x3ffffff
    vmovd xmm0, eax
    mov rax, r8
    shr rax, 26
    and eax, 0x3ffffff
    vmovd xmm1, eax
    shrd r8, r9, 52
    and r8d, 0x3ffffff
    vmovd xmm2, r8d
    mov rax, r9
    shr rax, 14
    and eax, 0x3ffffff
    vmovd xmm3, eax
    shrd r9, r10, 40
    vmovd xmm4, r9d

    mov rdx, SAVED_LEFT
    shr rdx, 3
    dec rdx
    jz 7f
    .irp row, 0, 1, 2, 3, 4, 5, 6, 7, 8
    vpbroadcastd ymm5, [CACHE + 32 * \row]
    vmovdqa [TABLE + 32 * \row], ymm5
    vpbroadcastd ymm6, [CACHE + 32 * \row + 16]
    vmovdqa [TABLE + 288 + 32 * \row], ymm6
    .endr
    .p2align 5
6:
    lanes_step                              /* by r**8 and r**4 in all lanes */
    carries
    dec rdx
    jnz 6b
7:
    .irp row, 0, 1, 2, 3, 4, 5, 6, 7, 8
    vpmovzxdq ymm5, [CACHE + 32 * \row]
    vmovdqa [TABLE + 32 * \row], ymm5
    vpmovzxdq ymm6, [CACHE + 32 * \row + 16]
    vmovdqa [TABLE + 288 + 32 * \row], ymm6
    .endr
    lanes_step                              /* by each lane's own powers, r**8 to r */

    /* the sum of the lanes */
    .irp n, 0, 1, 2, 3, 4
    vextracti128 xmm12, ymm\n, 1
    vpaddq xmm\n, xmm\n, xmm12
    vpshufd xmm12, xmm\n, 0x4e
    vpaddq xmm\n, xmm\n, xmm12
    .endr
    carries
    vmovq r8, xmm0
    vmovq rax, xmm1
    vmovq r10, xmm2
    vmovq r11, xmm3
    vmovq r9, xmm4
    shl rax, 26
    add r8, rax
    mov rax, r10
    shl rax, 52
    shr r10, 12
    add r8, rax
    adc r10, 0
    shl r11, 14
    add r10, r11
    mov rax, r9
    shl rax, 40
    shr r9, 24
    add r10, rax
    adc r9, 0
    mov [rdi], r8
    mov [rdi + 8], r10
    mov [rdi + 16], r9

    fc_clear_vectors
    .irp row, 0, 1, 2, 3, 4, 5, 6, 7, 8
    vmovdqa [TABLE + 32 * \row], ymm0
    vmovdqa [TABLE + 288 + 32 * \row], ymm0
    .endr
    mov LEFT, SAVED_LEFT
    and LEFT, 7
    jnz 2b
    jmp 20b
fc_endfunc fc_poly1305_blocks_avx2
#endif

#include "../fc_asm.h" /* the stack note, where this file is empty too */
