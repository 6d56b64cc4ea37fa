/* ChaCha20 and HChaCha20 with AVX-512.
 *
 *   void fc_chacha20_avx512(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
 *                           uint8_t *out, size_t len, unsigned rounds);
 *   void fc_hchacha20_avx512(uint32_t out[8], const uint32_t state[16], unsigned rounds);
 *
 * Contract: csrc/backend.h. ISA: AVX-512 F, VL, BW, DQ; BMI2.
 *
 * Shape: more than twelve blocks left (block 0 counted): sixteen, one a lane (avx512.h). The last one
 * to twelve: in sets of four, a row of the state a register, one, two or three sets side by side. The
 * last, partial block is loaded and stored under a mask: no byte beyond the buffers is accessed.
 *
 * Registers, live throughout:
 *   rdi state   rsi block0 or 0   rdx in   rcx out   r8 data bytes left   r9d rounds   eax counter
 *   r11d rounds left   r10 bytes left, block 0 counted   k1 mask of the last block
 *   zmm0-15 words or rows   zmm16-17, 30, 31 temporary   zmm18-21 rows of the initial state
 * Clobbers: rax, rcx, rdx, rsi, r8-r11, k1, zmm0-31 (cleared); on Windows xmm6-15 are restored.
 * Stack: none.
 *
 * Cost: not measured on silicon yet, run on an emulated CPU (tools/bochs). A double round is 96 vector
 * operations for sixteen blocks: 48 cycles where two 512-bit operations issue a cycle (so llvm-mca 22
 * for znver4), 0.47 cycles a byte; transposition (64 shuffles), additions, exclusive ors and stores
 * make it about 0.6.
 */
#if defined(__x86_64__)
#include "arch.h"
#include "avx512.h"

fc_avx512_constants
    fc_rodata
    .p2align 6
FC_L(quad):                     /* counter offsets of the four blocks of each set */
    .irp n, 0, 4, 8
    .long \n, 0, 0, 0, \n + 1, 0, 0, 0, \n + 2, 0, 0, 0, \n + 3, 0, 0, 0
    .endr
    .text

/* ---- up to twelve blocks: sets of four ------------------------------------------------------------
 * A set is the four rows of the state, one register each, a block in each 128-bit lane. Set 0 in
 * zmm0-3, set 1 in zmm4-7, set 2 in zmm8-11; zmm18-20 the first three rows of the initial state, zmm21
 * the fourth. \w is z, or x for a single block.
 */
.macro rows_add_rotate w, x, y, z, n    /* x += y; z = rotl(z ^ x, \n) */
    vpaddd \w\()mm\x, \w\()mm\x, \w\()mm\y
    vpxord \w\()mm\z, \w\()mm\z, \w\()mm\x
    vprold \w\()mm\z, \w\()mm\z, \n
.endm
.macro rows_step1 w, a, b, c, d
    rows_add_rotate \w, \a, \b, \d, 16
.endm
.macro rows_step2 w, a, b, c, d
    rows_add_rotate \w, \c, \d, \b, 12
.endm
.macro rows_step3 w, a, b, c, d
    rows_add_rotate \w, \a, \b, \d, 8
.endm
.macro rows_step4 w, a, b, c, d
    rows_add_rotate \w, \c, \d, \b, 7
.endm
.macro rows_diagonals w, a, b, c, d     /* columns become diagonals: rows turn by 1, 2, 3 words */
    vpshufd \w\()mm\b, \w\()mm\b, 0x39
    vpshufd \w\()mm\c, \w\()mm\c, 0x4e
    vpshufd \w\()mm\d, \w\()mm\d, 0x93
.endm
.macro rows_columns w, a, b, c, d
    vpshufd \w\()mm\b, \w\()mm\b, 0x93
    vpshufd \w\()mm\c, \w\()mm\c, 0x4e
    vpshufd \w\()mm\d, \w\()mm\d, 0x39
.endm
.macro rows_start w, a, b, c, d
    vmovdqa64 zmm\a, zmm18
    vmovdqa64 zmm\b, zmm19
    vmovdqa64 zmm\c, zmm20
    vpaddd zmm\d, zmm21, [rip + FC_L(quad) + \a * 16]
.endm
.macro rows_finish w, a, b, c, d
    vpaddd zmm\a, zmm\a, zmm18
    vpaddd zmm\b, zmm\b, zmm19
    vpaddd zmm\c, zmm\c, zmm20
    vpaddd zmm16, zmm21, [rip + FC_L(quad) + \a * 16]
    vpaddd zmm\d, zmm\d, zmm16
    wide_transpose_lanes \a, \b, \c, \d
.endm
.macro rows_each sets, step, w
    \step \w, 0, 1, 2, 3
    .if \sets > 1
    \step \w, 4, 5, 6, 7
    .endif
    .if \sets > 2
    \step \w, 8, 9, 10, 11
    .endif
.endm
.macro rows_quarters sets, w
    rows_each \sets, rows_step1, \w
    rows_each \sets, rows_step2, \w
    rows_each \sets, rows_step3, \w
    rows_each \sets, rows_step4, \w
.endm
.macro rows_rounds sets, w              /* r11d rounds, at least 2, even */
2:
    rows_quarters \sets, \w
    rows_each \sets, rows_diagonals, \w
    rows_quarters \sets, \w
    rows_each \sets, rows_columns, \w
    sub r11d, 2
    jnz 2b
.endm

/* One block of keystream: to block0 if that is still to do, else in ^ keystream; less than 64 bytes
 * left: to the masked end at 8. */
.macro emit n, first=0
    .if \first
    test rsi, rsi
    jz 6f
    vmovdqu64 [rsi], zmm\n
    xor esi, esi
    jmp 7f
6:
    .endif
    vmovdqa64 zmm31, zmm\n
    sub r8, 64
    jb 8f
    vpxord zmm31, zmm31, [rdx]
    vmovdqu64 [rcx], zmm31
    add rdx, 64
    add rcx, 64
7:
.endm

/* ---- fc_chacha20_avx512 -------------------------------------------------------------------------*/
fc_func fc_chacha20_avx512
    fc_enter 0, 6
    mov eax, [rdi + 48]                 /* counter */
    vbroadcasti32x4 zmm18, [rdi]
    vbroadcasti32x4 zmm19, [rdi + 16]
    vbroadcasti32x4 zmm20, [rdi + 32]

3:
    xor r10d, r10d                      /* bytes left, block 0 counted */
    test rsi, rsi
    setnz r10b
    shl r10d, 6
    add r10, r8
    jz 9f
    mov r11d, r9d
    cmp r10, 768
    jbe 4f

    /* more than twelve blocks left: sixteen at a time */
    wide_init rdi, eax
    .p2align 5
2:
    wide_double_round
    sub r11d, 2
    jnz 2b
    wide_finish rdi, eax
    emit 0, 1
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    emit \n
    .endr
    add eax, 16
    jmp 3b

4:  /* at most twelve blocks */
    vmovdqu xmm0, [rdi + 48]
    vpinsrd xmm0, xmm0, eax, 0
    vshufi32x4 zmm21, zmm0, zmm0, 0
    cmp r10, 256
    ja 5f
    rows_each 1, rows_start, z
    rows_rounds 1, z
    rows_each 1, rows_finish, z
    emit 0, 1
    .irp n, 1, 2, 3
    emit \n
    .endr
    jmp 9f
5:
    cmp r10, 512
    ja 5f
    rows_each 2, rows_start, z
    rows_rounds 2, z
    rows_each 2, rows_finish, z
    emit 0, 1
    .irp n, 1, 2, 3, 4, 5, 6, 7
    emit \n
    .endr
    jmp 9f
5:
    rows_each 3, rows_start, z
    rows_rounds 3, z
    rows_each 3, rows_finish, z
    emit 0, 1
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    emit \n
    .endr
    jmp 9f

8:  /* the last 0 to 63 bytes; what the mask leaves out is not accessed */
    add r8, 64
    mov rax, -1
    bzhi rax, rax, r8
    kmovq k1, rax
    vmovdqu8 zmm30{k1}{z}, [rdx]
    vpxord zmm30, zmm30, zmm31
    vmovdqu8 [rcx]{k1}, zmm30
9:
    fc_clear_vectors
    fc_clear_upper_vectors
    xor eax, eax
    fc_leave
fc_endfunc fc_chacha20_avx512

/* ---- fc_hchacha20_avx512 ------------------------------------------------------------------------*/
fc_func fc_hchacha20_avx512
    fc_enter 0, 3
    mov r11d, edx
    vmovdqu xmm0, [rsi]
    vmovdqu xmm1, [rsi + 16]
    vmovdqu xmm2, [rsi + 32]
    vmovdqu xmm3, [rsi + 48]
    rows_rounds 1, x
    vmovdqu [rdi], xmm0
    vmovdqu [rdi + 16], xmm3
    fc_clear_vectors
    fc_leave
fc_endfunc fc_hchacha20_avx512
#endif

#include "../fc_asm.h" /* the stack note, where this file is empty too */
