/* ChaCha20 and HChaCha20 with AVX2.
 *
 *   void fc_chacha20_avx2(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
 *                         uint8_t *out, size_t len, unsigned rounds);
 *   void fc_hchacha20_avx2(uint32_t out[8], const uint32_t state[16], unsigned rounds);
 *
 * Contract: csrc/backend.h. ISA: AVX2.
 *
 * Shape: more than six blocks left (block 0 counted): eight, one a lane (avx2.h). The last one to six:
 * in sets of two, a row of the state a register, one, two or three sets side by side. Full stretches of
 * eight go straight from input to output; all other keystream goes by way of the stack, block 0 with
 * the data blocks in one pass.
 *
 * Registers, live throughout:
 *   rdi state   rsi block0 or 0   rdx in   rcx out   r8 bytes left, block 0 counted   r9d rounds
 *   eax block counter   r10 keystream on the stack   r11d its bytes (before: rounds left)
 *   ymm0-15: avx2.h (eight blocks), narrow_* below (sets)
 * Clobbers: rax, rcx, rdx, rsi, r8-r11, ymm0-15 (cleared); on Windows xmm6-15 are restored.
 * Stack: 640 bytes aligned to 64: 128 of spilled words, 512 of keystream; what was used is cleared.
 *
 * Cost, AMD Zen 3, cycles (bench/kernels.c): up to 128 bytes 321, 256 bytes 408, 512 bytes 499, 1 KiB
 * 995, then 0.97 a byte. A double round is 128 vector operations for eight blocks: 32 cycles on four
 * pipes, measured 46.6; what is outside the rounds hides under them but for 28 cycles.
 * Tried and lost: two of x8-x11 spilled at a time, and four quarter rounds side by side with two of
 * them in memory (the same within 0.3 %); the two quarter rounds of a pair one after the other (2 %
 * slower).
 */
#if defined(__x86_64__)
#include "arch.h"
#include "avx2.h"

fc_avx2_constants
    fc_rodata
    .p2align 5
FC_L(pair):                     /* counter offsets of the two blocks of each set */
    .long 0, 0, 0, 0, 1, 0, 0, 0
    .long 2, 0, 0, 0, 3, 0, 0, 0
    .long 4, 0, 0, 0, 5, 0, 0, 0
    .text

/* ---- up to six blocks: sets of two --------------------------------------------------------------
 * A set is the four rows of the state, one register each, block 2 i in the low halves and block
 * 2 i + 1 in the high ones. Set 0 in ymm0-3, set 1 in ymm4-7, set 2 in ymm8-11; ymm12 temporary,
 * ymm13 the initial fourth row, ymm14-15 the shuffles of rotl 16 and 8.
 */
.macro narrow_step1 a, b, c, d          /* a += b; d = rotl(d ^ a, 16) */
    vpaddd ymm\a, ymm\a, ymm\b
    vpxor ymm\d, ymm\d, ymm\a
    vpshufb ymm\d, ymm\d, ymm14
.endm
.macro narrow_step3 a, b, c, d          /* a += b; d = rotl(d ^ a, 8) */
    vpaddd ymm\a, ymm\a, ymm\b
    vpxor ymm\d, ymm\d, ymm\a
    vpshufb ymm\d, ymm\d, ymm15
.endm
.macro narrow_shift a, b, c, d, n       /* c += d; b = rotl(b ^ c, n) */
    vpaddd ymm\c, ymm\c, ymm\d
    vpxor ymm\b, ymm\b, ymm\c
    vpslld ymm12, ymm\b, \n
    vpsrld ymm\b, ymm\b, 32 - \n
    vpor ymm\b, ymm\b, ymm12
.endm
.macro narrow_step2 a, b, c, d
    narrow_shift \a, \b, \c, \d, 12
.endm
.macro narrow_step4 a, b, c, d
    narrow_shift \a, \b, \c, \d, 7
.endm
.macro narrow_diagonals a, b, c, d      /* columns become diagonals: rows turn by 1, 2, 3 words */
    vpshufd ymm\b, ymm\b, 0x39
    vpshufd ymm\c, ymm\c, 0x4e
    vpshufd ymm\d, ymm\d, 0x93
.endm
.macro narrow_columns a, b, c, d
    vpshufd ymm\b, ymm\b, 0x93
    vpshufd ymm\c, ymm\c, 0x4e
    vpshufd ymm\d, ymm\d, 0x39
.endm
.macro narrow_start a, b, c, d
    vbroadcasti128 ymm\a, [rdi]
    vbroadcasti128 ymm\b, [rdi + 16]
    vbroadcasti128 ymm\c, [rdi + 32]
    vpaddd ymm\d, ymm13, [rip + FC_L(pair) + \a * 8]
.endm
.macro narrow_store a, b, c, d          /* add the initial state; keystream to the buffer */
    vbroadcasti128 ymm12, [rdi]
    vpaddd ymm\a, ymm\a, ymm12
    vbroadcasti128 ymm12, [rdi + 16]
    vpaddd ymm\b, ymm\b, ymm12
    vbroadcasti128 ymm12, [rdi + 32]
    vpaddd ymm\c, ymm\c, ymm12
    vpaddd ymm12, ymm13, [rip + FC_L(pair) + \a * 8]
    vpaddd ymm\d, ymm\d, ymm12
    vperm2i128 ymm12, ymm\a, ymm\b, 0x20 /* the first block of the set */
    vmovdqa [r10 + \a * 32], ymm12
    vperm2i128 ymm12, ymm\c, ymm\d, 0x20
    vmovdqa [r10 + \a * 32 + 32], ymm12
    vperm2i128 ymm\a, ymm\a, ymm\b, 0x31 /* the second */
    vmovdqa [r10 + \a * 32 + 64], ymm\a
    vperm2i128 ymm\c, ymm\c, ymm\d, 0x31
    vmovdqa [r10 + \a * 32 + 96], ymm\c
.endm
.macro narrow_each sets, step
    \step 0, 1, 2, 3
    .if \sets > 1
    \step 4, 5, 6, 7
    .endif
    .if \sets > 2
    \step 8, 9, 10, 11
    .endif
.endm
.macro narrow_quarters sets
    narrow_each \sets, narrow_step1
    narrow_each \sets, narrow_step2
    narrow_each \sets, narrow_step3
    narrow_each \sets, narrow_step4
.endm
.macro narrow_rounds sets               /* r9d rounds, at least 2, even */
2:
    narrow_quarters \sets
    narrow_each \sets, narrow_diagonals
    narrow_quarters \sets
    narrow_each \sets, narrow_columns
    sub r9d, 2
    jnz 2b
.endm

/* ---- fc_chacha20_avx2 ---------------------------------------------------------------------------*/
#define SPILL rsp
#define BUFFER rsp + 128
#define FRAME (128 + 512)

.macro emit_xor t, block, at, free
    .if \block == 0
    test rsi, rsi
    jz 6f
    vmovdqu [rsi + \at], \t
    jmp 7f
6:
    .endif
    vpxor \t, \t, [rdx + 64 * \block + \at]
    vmovdqu [rcx + 64 * \block + \at], \t
7:
.endm
.macro emit_buffer t, block, at, free
    vmovdqa [BUFFER + 64 * \block + \at], \t
.endm
.macro wide_rounds
    mov r11d, r9d
    .p2align 5
2:
    wide_double_round SPILL
    sub r11d, 2
    jnz 2b
.endm

fc_func fc_chacha20_avx2
    fc_enter FRAME, 6
    mov eax, [rdi + 48]                 /* counter */
    test rsi, rsi
    jz 2f
    sub rdx, 64                         /* block 0 is block 0 of the data too, with no data there */
    sub rcx, 64
    add r8, 64
2:
    cmp r8, 384
    jbe 5f

3:  /* more than six blocks left: eight at a time */
    wide_init rdi, eax, SPILL
    wide_rounds
    cmp r8, 512
    jb 4f
    wide_finish rdi, eax, SPILL, emit_xor
    xor esi, esi                        /* block 0 is done */
    add eax, 8
    add rdx, 512
    add rcx, 512
    sub r8, 512
    cmp r8, 384
    ja 3b
    vpxor xmm0, xmm0, xmm0
    .irp n, 0, 32, 64, 96
    vmovdqa [SPILL + \n], ymm0
    .endr
    jmp 5f
4:  /* seven blocks and a part of the eighth, by way of the buffer */
    wide_finish rdi, eax, SPILL, emit_buffer
    lea r10, [BUFFER]
    mov r11d, FRAME                     /* to be cleared, from rsp on */
    jmp 8f

5:  /* at most six blocks */
    test r8, r8
    jz 20f
    vmovdqa ymm14, [rip + FC_L(rot16)]
    vmovdqa ymm15, [rip + FC_L(rot8)]
    vmovdqu xmm13, [rdi + 48]
    vpinsrd xmm13, xmm13, eax, 0
    vinserti128 ymm13, ymm13, xmm13, 1
    mov r10, rsp
    cmp r8, 128
    ja 6f
    narrow_each 1, narrow_start
    narrow_rounds 1
    narrow_each 1, narrow_store
    mov r11d, 128
    jmp 8f
6:
    cmp r8, 256
    ja 7f
    narrow_each 2, narrow_start
    narrow_rounds 2
    narrow_each 2, narrow_store
    mov r11d, 256
    jmp 8f
7:
    narrow_each 3, narrow_start
    narrow_rounds 3
    narrow_each 3, narrow_store
    mov r11d, 384

8:  /* keystream at r10, its last part: in ^ keystream for r8 bytes */
    test rsi, rsi
    jz 9f
    vmovdqa ymm0, [r10]
    vmovdqa ymm1, [r10 + 32]
    vmovdqu [rsi], ymm0
    vmovdqu [rsi + 32], ymm1
    add r10, 64
    add rdx, 64
    add rcx, 64
    sub r8, 64
9:
    sub r8, 32
    jb 11f
10:
    vmovdqa ymm0, [r10]
    vpxor ymm0, ymm0, [rdx]
    vmovdqu [rcx], ymm0
    add r10, 32
    add rdx, 32
    add rcx, 32
    sub r8, 32
    jae 10b
11:
    test r8d, 16
    jz 12f
    vmovdqa xmm0, [r10]
    vpxor xmm0, xmm0, [rdx]
    vmovdqu [rcx], xmm0
    add r10, 16
    add rdx, 16
    add rcx, 16
12:
    test r8d, 8
    jz 13f
    mov rax, [r10]
    xor rax, [rdx]
    mov [rcx], rax
    add r10, 8
    add rdx, 8
    add rcx, 8
13:
    test r8d, 4
    jz 14f
    mov eax, [r10]
    xor eax, [rdx]
    mov [rcx], eax
    add r10, 4
    add rdx, 4
    add rcx, 4
14:
    and r8d, 3
    jz 16f
15:
    movzx eax, byte ptr [r10]
    xor al, [rdx]
    mov [rcx], al
    inc r10
    inc rdx
    inc rcx
    dec r8d
    jnz 15b
16:
    /* the stack held keystream */
    vpxor xmm0, xmm0, xmm0
17:
    vmovdqa [rsp + r11 - 32], ymm0
    vmovdqa [rsp + r11 - 64], ymm0
    sub r11d, 64
    jnz 17b
20:
    fc_clear_vectors
    xor eax, eax
    fc_leave
fc_endfunc fc_chacha20_avx2

/* ---- fc_hchacha20_avx2 --------------------------------------------------------------------------*/
fc_func fc_hchacha20_avx2
    fc_enter 0, 3
    mov r9d, edx
    xchg rdi, rsi                       /* rsi: out, rdi: state */
    vmovdqa ymm14, [rip + FC_L(rot16)]
    vmovdqa ymm15, [rip + FC_L(rot8)]
    vbroadcasti128 ymm0, [rdi]
    vbroadcasti128 ymm1, [rdi + 16]
    vbroadcasti128 ymm2, [rdi + 32]
    vbroadcasti128 ymm3, [rdi + 48]
    narrow_rounds 1
    vmovdqu [rsi], xmm0
    vmovdqu [rsi + 16], xmm3
    fc_clear_vectors
    fc_leave
fc_endfunc fc_hchacha20_avx2
#endif

#include "../fc_asm.h" /* the stack note, where this file is empty too */
