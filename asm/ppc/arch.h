/* Power: what its assembly files share. Include it inside `#if defined(__powerpc__)`.
 *
 * One source serves ppc32 (System V), ppc64 (ELFv1 and ELFv2) and ppc64le. What differs stands here:
 * the width of a pointer, function descriptors, the stack frame, VRSAVE, and the byte order.
 *   - No red zone: ppc32 has none, so everything lives inside a frame of our own, on all ABIs.
 *   - r2 and r13 are never touched, nor CR2-CR4. No kernel calls a function or needs the TOC.
 *   - r14-r31 and v20-v31 are callee-saved on all ABIs, f14-f31 (the high halves of vs14-vs31) too;
 *     no kernel uses those.
 * Registers are plain numbers to the assembler; the names below make them readable everywhere.
 */
#ifndef FC_PPC_ARCH_H
#define FC_PPC_ARCH_H

#define r0 0
#define r1 1
#define r3 3
#define r4 4
#define r5 5
#define r6 6
#define r7 7
#define r8 8
#define r9 9
#define r10 10
#define r11 11
#define r12 12
#define r14 14
#define r15 15
#define r16 16
#define r17 17
#define r18 18
#define r19 19
#define r20 20
#define r21 21
#define r22 22
#define r23 23
#define r24 24
#define r25 25
#define r26 26
#define r27 27
#define r28 28
#define r29 29
#define r30 30
#define r31 31
#define v0 0
#define v1 1
#define v2 2
#define v3 3
#define v4 4
#define v5 5
#define v6 6
#define v7 7
#define v8 8
#define v9 9
#define v10 10
#define v11 11
#define v12 12
#define v13 13
#define v14 14
#define v15 15
#define v16 16
#define v17 17
#define v18 18
#define v19 19
#define v20 20
#define v21 21
#define v22 22
#define v23 23
#define v24 24
#define v25 25
#define v26 26
#define v27 27
#define v28 28
#define v29 29
#define v30 30
#define v31 31
#define cr1 1
#define cr6 6
#define cr7 7

#if defined(__powerpc64__)
#define FC_PPC64 1
#define WORD 8 /* bytes of a general register */
#define ld_w ld
#define st_w std
#define stu_w stdu
#define cmpli_w cmpldi
#define cmp_w cmpld
#define srli_w srdi
#define srli_w_ srdi.
#else
#define FC_PPC64 0
#define WORD 4
#define ld_w lwz
#define st_w stw
#define stu_w stwu
#define cmpli_w cmplwi
#define cmp_w cmplw
#define srli_w srwi
#define srli_w_ srwi.
#endif

#if defined(__LITTLE_ENDIAN__) || (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define FC_LE 1
#else
#define FC_LE 0
#endif

/* 64-bit ELFv1: the symbol is a descriptor in .opd, the code has a local label. Everywhere else it is
 * fc_asm.h's. ELFv2: no kernel uses r2, so the global and the local entry are one. */
#if FC_PPC64 && !(defined(_CALL_ELF) && _CALL_ELF == 2)
#define FC_ARCH_FUNC 1
.macro fc_func name
    .section .opd, "aw"
    .p2align 3
    .globl \name
    .hidden \name
    .type \name, %function
\name:
    .quad .L.\name, .TOC.@tocbase, 0
    .text
    .p2align 6
.L.\name:
    .cfi_startproc
.endm
.macro fc_endfunc name
    .cfi_endproc
    .size \name, . - .L.\name
.endm
#elif FC_PPC64
    .abiversion 2
#endif

#include "../fc_asm.h"

/* ---- the frame ---------------------------------------------------------------------------------
 * r1 + 0 back chain, LR and CR words of the ABI; r1 + LOCALS \locals bytes (a multiple of 16, 16-byte
 * aligned), then general registers \first to r31.
 */
#define LOCALS 64

.macro fc_enter locals, first
    .set fc_saves, LOCALS + \locals
    .set fc_frame, (fc_saves + (32 - \first) * WORD + 15) & ~15
    stu_w r1, -fc_frame(r1)
    .cfi_def_cfa_offset fc_frame
    .irp reg, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    .if \reg >= \first
    st_w \reg, fc_saves + (\reg - \first) * WORD(r1)
    .cfi_offset \reg, fc_saves + (\reg - \first) * WORD - fc_frame
    .endif
    .endr
.endm

.macro fc_leave locals, first
    .set fc_saves, LOCALS + \locals
    .set fc_frame, (fc_saves + (32 - \first) * WORD + 15) & ~15
    .irp reg, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    .if \reg >= \first
    ld_w \reg, fc_saves + (\reg - \first) * WORD(r1)
    .endif
    .endr
    addi r1, r1, fc_frame
    blr
.endm

/* v20 to \last (none: \last < 20) are kept at r1 + \at, 16-byte aligned, and VRSAVE says that v0 to
 * \last are in use: the word after them keeps what it said. 32-bit only: the 64-bit ABIs have no use for
 * VRSAVE. r0 is lost. */
.macro fc_save_vectors at, last
    .set fc_v, 20
    .rept \last - 19
    li r0, \at + 16 * (fc_v - 20)
    stvx fc_v, r1, r0
    .set fc_v, fc_v + 1
    .endr
#if !FC_PPC64
    mfspr r0, 256
    stw r0, \at + 16 * (\last - 19)(r1)
    oris r0, r0, 0xffff
    ori r0, r0, (0xffff << (31 - \last)) & 0xffff
    mtspr 256, r0
#endif
.endm
.macro fc_restore_vectors at, last
    .set fc_v, 20
    .rept \last - 19
    li r0, \at + 16 * (fc_v - 20)
    lvx fc_v, r1, r0
    .set fc_v, fc_v + 1
    .endr
#if !FC_PPC64
    lwz r0, \at + 16 * (\last - 19)(r1)
    mtspr 256, r0
#endif
.endm

/* Big-endian: the two halves of a transposition that reverses the bytes of words as well. vperm by \h makes x0
 * z0 y0 w0 of x0 y0 x1 y1 and z0 w0 z1 w1, by \l x1 z1 y1 w1. 16 aligned bytes at \at are scratch. */
.macro fc_byte_orders h, l, at, t0, t1
    lis \t0, 0x0302
    ori \t0, \t0, 0x0100
    lis \t1, 0x1312
    ori \t1, \t1, 0x1110
    stw \t0, 0(\at)
    stw \t1, 4(\at)
    addis \t0, \t0, 0x0404
    addis \t1, \t1, 0x0404
    addi \t0, \t0, 0x0404
    addi \t1, \t1, 0x0404
    stw \t0, 8(\at)
    stw \t1, 12(\at)
    lvx \h, 0, \at
    vspltisb \l, 8
    vaddubm \l, \h, \l
.endm

/* \n bytes (a multiple of WORD) at r1 + \at become zero; r0 is lost. */
.macro fc_clear at, n
    li r0, 0
    .set fc_at, \at
    .rept (\n) / WORD
    st_w r0, fc_at(r1)
    .set fc_at, fc_at + WORD
    .endr
.endm

/* out = in ^ key, in pieces of four general registers while \n has them; the four pointers and counts move
 * on, CTR is lost. */
.macro fc_xor_words key, in, out, n, t0, t1, t2, t3
    srli_w_ \t0, \n, 4 + FC_PPC64
    beq 89f
    mtctr \t0
88:
    .set fc_at, 0
    .rept 2
    ld_w \t0, fc_at(\in)
    ld_w \t1, fc_at(\key)
    ld_w \t2, fc_at + WORD(\in)
    ld_w \t3, fc_at + WORD(\key)
    xor \t0, \t0, \t1
    xor \t2, \t2, \t3
    st_w \t0, fc_at(\out)
    st_w \t2, fc_at + WORD(\out)
    .set fc_at, fc_at + 2 * WORD
    .endr
    addi \in, \in, 4 * WORD
    addi \key, \key, 4 * WORD
    addi \out, \out, 4 * WORD
    bdnz 88b
    andi. \n, \n, 4 * WORD - 1
89:
.endm

/* out[0..n) = in[0..n) ^ key[0..n): \n bytes of any alignment; all four registers and CTR move
 * on, \n becomes 0. key, in and out are bytes in memory order, so the byte order does not matter. */
.macro fc_xor_bytes key, in, out, n, t0, t1
    srli_w_ \t0, \n, 2
    beq 91f
    mtctr \t0
90: lwz \t0, 0(\in)
    lwz \t1, 0(\key)
    addi \in, \in, 4
    addi \key, \key, 4
    xor \t0, \t0, \t1
    stw \t0, 0(\out)
    addi \out, \out, 4
    bdnz 90b
91: andi. \n, \n, 3
    beq 93f
    mtctr \n
92: lbz \t0, 0(\in)
    lbz \t1, 0(\key)
    addi \in, \in, 1
    addi \key, \key, 1
    xor \t0, \t0, \t1
    stb \t0, 0(\out)
    addi \out, \out, 1
    bdnz 92b
    li \n, 0
93:
.endm

#endif
