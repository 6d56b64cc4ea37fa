/* ChaCha20-Poly1305 in one pass: ChaCha20 with AVX2, Poly1305 with mulx beside it.
 *
 *   void fc_aead_avx2(const uint32_t state[16], struct fc_poly1305 *p, const uint8_t *in,
 *                     uint8_t *out, size_t len, int decrypt);
 *
 * Contract: csrc/backend.h. ISA: AVX2, BMI2.
 *
 * Shape: stretches of eight blocks. Between the vector instructions of a stretch's rounds stands the
 * scalar Poly1305 of the stretch before, 32 blocks in 10 double rounds: three for each, and two at the
 * end. Poly1305 reads the ciphertext from a copy on the stack, made when it was loaded (decryption) or
 * computed (encryption), so input and output memory is touched once. Poly1305 of the last stretch is
 * fc_poly1305_blocks_avx2's.
 *
 * Registers, live throughout:
 *   rdi state   rcx in   r8-r10 h   r11, rbx, r12, r13 products   r14 r[0]   r15 5/4 r[1]
 *   rsi copy of the ciphertext   rdx multiplicand   rax rounds left, then out
 *   ymm0-15: avx2.h
 * Clobbers: rax, rcx, rdx, rsi, r8-r11, ymm0-15 (cleared); callee-saved ones are restored.
 * Stack: 704 bytes aligned to 64, cleared where it held keystream or key.
 *
 * Cost, AMD Zen 3, cycles (bench/kernels.c): 512 bytes 758, 1 KiB 1280, 4 KiB 4460 (the powers of r at
 * hand), then 1.04 a byte, where ChaCha20 alone takes 0.97 and the chain of 32 Poly1305 blocks 0.95.
 * Tried and lost: two passes with Poly1305 in vector lanes (1.33); Poly1305 in lanes here would put its
 * 600 vector operations a stretch on the pipes that ChaCha20 fills already.
 */
#if defined(__x86_64__)
#include "arch.h"
#include "avx2.h"
#define R1 [rsp + 640]
#include "poly1305.h"

/* Stack, from rsp. COPY is the ciphertext of the last stretch as it was loaded or made. */
#define SPILL rsp
#define COPY rsp + 128
#define POLY [rsp + 648]
#define OUT [rsp + 656]
#define LEN [rsp + 664]
#define COUNTER dword ptr [rsp + 672]
#define DECRYPT dword ptr [rsp + 676]
#define FRAME 704

fc_avx2_constants

/* rcx: in, rax: out */
.macro emit_encrypt t, block, at, free
    vpxor \t, \t, [rcx + 64 * \block + \at]
    vmovdqa [COPY + 64 * \block + \at], \t
    vmovdqu [rax + 64 * \block + \at], \t
.endm
.macro emit_decrypt t, block, at, free
    vmovdqu \free, [rcx + 64 * \block + \at]
    vmovdqa [COPY + 64 * \block + \at], \free
    vpxor \t, \t, \free
    vmovdqu [rax + 64 * \block + \at], \t
.endm
.macro emit_copy t, block, at, free
    vmovdqa [COPY + 64 * \block + \at], \t
.endm

fc_func fc_aead_avx2
    fc_enter FRAME, 6, rbx, r12, r13, r14, r15
    mov POLY, rsi
    mov OUT, rcx
    mov LEN, r8
    mov DECRYPT, r9d
    mov rcx, rdx                        /* in */
    mov H0, [rsi]
    mov H1, [rsi + 8]
    mov H2, [rsi + 16]
    mov R0, [rsi + 24]
    mov rdx, [rsi + 32]
    mov R1, rdx
    mov S1, rdx
    shr S1, 2
    add S1, rdx
    mov edx, [rdi + 48]
    mov COUNTER, edx

    /* the first stretch: there is nothing to authenticate yet */
    wide_init rdi, edx, SPILL
    mov eax, 10
    .p2align 5
2:
    wide_double_round SPILL
    dec eax
    jnz 2b
    jmp 4f

3:  /* a stretch: its rounds, and Poly1305 of the stretch before */
    mov edx, COUNTER
    wide_init rdi, edx, SPILL
    poly_first COPY
    mov eax, 5
    .p2align 5
2:
    wide_double_round SPILL, odd, 16, even, 32, none, 0, odd, 48
    wide_double_round SPILL, even, 64, none, 0, odd, 80, even, 96
    add rsi, 96
    dec eax
    jnz 2b
    poly_block H0, H1, H2, T0, T1, T2, T3, R0, R1, S1, [rsi + 16], [rsi + 24], 1
    poly_block T0, T2, H2, H0, T1, H1, T3, R0, R1, S1

4:  /* a stretch's output */
    mov rax, OUT
    mov edx, COUNTER
    cmp qword ptr LEN, 512
    jb 8f
    cmp DECRYPT, 0
    jne 5f
    wide_finish rdi, edx, SPILL, emit_encrypt
    jmp 6f
5:
    wide_finish rdi, edx, SPILL, emit_decrypt
6:
    mov edx, 32                         /* blocks to authenticate */
    add rcx, 512
    add rax, 512
    mov OUT, rax
    add COUNTER, 8
    sub qword ptr LEN, 512
    jnz 3b
    jmp 12f

8:  /* the last stretch, of less than eight blocks: keystream to COPY, then in its place ciphertext */
    wide_finish rdi, edx, SPILL, emit_copy
    mov rdx, LEN
    xor esi, esi
    vmovd xmm3, DECRYPT
    vpxor xmm2, xmm2, xmm2
    vpbroadcastd ymm3, xmm3
    vpcmpeqd ymm3, ymm3, ymm2           /* ones when encrypting */
9:
    vmovdqu ymm0, [rcx + rsi]
    vpxor ymm1, ymm0, [COPY + rsi]
    vpblendvb ymm0, ymm0, ymm1, ymm3
    vmovdqu [rax + rsi], ymm1
    vmovdqa [COPY + rsi], ymm0
    add rsi, 32
    cmp rsi, rdx
    jb 9b
    vpxor xmm0, xmm0, xmm0              /* the rest of COPY is keystream */
10:
    vmovdqa [COPY + rsi], ymm0
    add rsi, 32
    cmp rsi, 512
    jb 10b
    shr edx, 4

12: /* Poly1305 of the last stretch, edx blocks, by the kernel that does nothing else */
    mov rdi, POLY
    mov [rdi], H0
    mov [rdi + 8], H1
    mov [rdi + 16], H2
    lea rsi, [COPY]
    mov ecx, 1
    fc_call4 fc_poly1305_blocks_avx2

    fc_clear_vectors
    .irp n, 0, 32, 64, 96
    vmovdqa [SPILL + \n], ymm0
    .endr
    xor eax, eax
    mov R1, rax
    .irp reg, edx, r8d, r9d, r10d, r11d
    xor \reg, \reg
    .endr
    fc_leave rbx, r12, r13, r14, r15
fc_endfunc fc_aead_avx2
#endif

#include "../fc_asm.h" /* the stack note, where this file is empty too */
