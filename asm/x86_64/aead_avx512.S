/* ChaCha20-Poly1305 in one pass: ChaCha20 with AVX-512, Poly1305 with mulx beside it.
 *
 *   void fc_aead_avx512(const uint32_t state[16], struct fc_poly1305 *p, const uint8_t *in,
 *                       uint8_t *out, size_t len, int decrypt);
 *
 * Contract: csrc/backend.h. ISA: AVX-512 F, VL, BW, DQ; AVX2, BMI2.
 *
 * Shape: that of aead_avx2.S with stretches of sixteen blocks: six Poly1305 blocks to a double round,
 * four after the last. Poly1305 of the last stretch is fc_poly1305_blocks_avx2's.
 *
 * Registers, live throughout:
 *   rdi state   rcx in   rax bytes left   r8-r10 h   r11, rbx, r12, r13 products   r14 r[0]
 *   r15 5/4 r[1]   rsi copy of the ciphertext   rdx multiplicand   k1 all ones when encrypting
 *   zmm0-15 words   zmm16-17 temporary   zmm22 counter   zmm23 out - in
 * Clobbers: rax, rcx, rdx, rsi, r8-r11, k1, zmm0-31 (cleared); callee-saved ones are restored.
 * Stack: 1088 bytes aligned to 64, cleared where it held key; the ciphertext stays.
 *
 * Cost: not measured on silicon yet, run on an emulated CPU (tools/bochs). 64 Poly1305 blocks a stretch
 * are a chain of 15.2 cycles each on Zen 3 (poly1305_avx2.S): 0.95 cycles a byte, in whose shadow
 * ChaCha20's about 0.6 fit. Half of Poly1305 in vector lanes beside it would shorten that.
 */
#if defined(__x86_64__)
#include "arch.h"
#include "avx512.h"
#define R1 [rsp + 1024]
#include "poly1305.h"

/* Stack, from rsp: COPY is the ciphertext of the last stretch as it was loaded or made. */
#define COPY rsp
#define POLY [rsp + 1032]
#define FRAME 1088

fc_avx512_constants

/* Block \n: rcx in, rdx out, k1 all ones when encrypting. The ciphertext goes to COPY: the result when
 * encrypting, what was loaded when decrypting. */
.macro emit n
    vmovdqu64 zmm16, [rcx + 64 * \n]
    vpxord zmm\n, zmm\n, zmm16
    vmovdqu64 [rdx + 64 * \n], zmm\n
    vmovdqa32 zmm16{k1}, zmm\n
    vmovdqa64 [COPY + 64 * \n], zmm16
.endm

fc_func fc_aead_avx512
    fc_enter FRAME, 6, rbx, r12, r13, r14, r15
    mov POLY, rsi
    mov rax, r8                         /* bytes left */
    mov r8d, [rdi + 48]
    vmovd xmm22, r8d                    /* counter */
    sub rcx, rdx
    vmovq xmm23, rcx                    /* out - in */
    mov rcx, rdx
    xor edx, edx
    sub edx, r9d                        /* decrypt: 0 or a carry */
    sbb edx, edx
    not edx
    kmovw k1, edx
    mov H0, [rsi]
    mov H1, [rsi + 8]
    mov H2, [rsi + 16]
    mov R0, [rsi + 24]
    mov rdx, [rsi + 32]
    mov R1, rdx
    mov S1, rdx
    shr S1, 2
    add S1, rdx

    /* the first stretch: there is nothing to authenticate yet */
    vmovd edx, xmm22
    wide_init rdi, edx
    mov edx, 10
    .p2align 5
2:
    wide_double_round
    dec edx
    jnz 2b
    jmp 4f

3:  /* a stretch: its rounds, and Poly1305 of the stretch before */
    vmovd edx, xmm22
    wide_init rdi, edx
    poly_first COPY
    mov dword ptr [rsp + 1040], 10
    .p2align 5
2:
    wide_double_round_poly
    add rsi, 96
    dec dword ptr [rsp + 1040]
    jnz 2b
    poly_block H0, H1, H2, T0, T1, T2, T3, R0, R1, S1, [rsi + 16], [rsi + 24], 1
    poly_block T0, T2, H2, H0, T1, H1, T3, R0, R1, S1, [rsi + 32], [rsi + 40], 1
    poly_block H0, H1, H2, T0, T1, T2, T3, R0, R1, S1, [rsi + 48], [rsi + 56], 1
    poly_block T0, T2, H2, H0, T1, H1, T3, R0, R1, S1

4:  /* a stretch's output */
    vmovd edx, xmm22
    wide_finish rdi, edx
    add edx, 16
    vmovd xmm22, edx
    vmovq rdx, xmm23
    add rdx, rcx
    cmp rax, 1024
    jb 5f
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    emit \n
    .endr
    mov edx, 64                         /* blocks to authenticate */
    add rcx, 1024
    sub rax, 1024
    jnz 3b
    jmp 6f

5:  /* the last stretch, of less than sixteen blocks */
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
    emit \n
    .if \n < 14
    cmp rax, 64 * (\n + 1)
    jbe 5f
    .endif
    .endr
5:
    mov rdx, rax
    shr edx, 4

6:  /* Poly1305 of the last stretch, edx blocks, by the kernel that does nothing else */
    mov rdi, POLY
    mov [rdi], H0
    mov [rdi + 8], H1
    mov [rdi + 16], H2
    lea rsi, [COPY]
    mov ecx, 1
    fc_call4 fc_poly1305_blocks_avx2

    fc_clear_vectors
    fc_clear_upper_vectors
    xor eax, eax
    mov R1, rax
    .irp reg, edx, r8d, r9d, r10d, r11d
    xor \reg, \reg
    .endr
    fc_leave rbx, r12, r13, r14, r15
fc_endfunc fc_aead_avx512
#endif

#include "../fc_asm.h" /* the stack note, where this file is empty too */
