/* AArch64: what its assembly files share. Include it inside `#if defined(__aarch64__)`.
 *
 * Byte order: user data are moved with ld1/st1 of byte elements, which give a register the same
 * image on both byte orders (byte 0 lowest), so 32-bit lanes are little-endian words everywhere;
 * scalar loads and stores of user data are followed or preceded by fc_rev64. Words of `state` and of
 * struct fc_poly1305 are in host order and are moved with element loads of their own size or with
 * ldp/stp of general registers.
 *
 * x18 belongs to the platform (Apple, Windows, Android) and is never touched.
 */
#ifndef FC_AARCH64_ARCH_H
#define FC_AARCH64_ARCH_H

/* Every function may be the target of an indirect call: bti c, a hint that old CPUs skip. */
#define FC_HAVE_LANDING 1
.macro fc_landing
    hint #34
.endm

#include "../fc_asm.h"

#if FC_ELF
/* GNU_PROPERTY_AARCH64_FEATURE_1_AND: BTI and PAC (x30 is signed wherever it is
 * needed from the stack: fc_sign). ELF for
 * the Arm 64-bit Architecture, "Program Property". */
    .section .note.gnu.property,"a",%note
    .p2align 3
    .word 4
    .word 16
    .word 5
    .asciz "GNU"
    .word 0xc0000000
    .word 4
    .word 3
    .word 0
    .text
#endif

/* Little-endian user data in a general register. */
.macro fc_rev64 x:vararg
#if defined(__AARCH64EB__)
    .irp reg, \x
    rev \reg, \reg
    .endr
#endif
.endm

/* Functions that call others sign and authenticate x30 (paciasp, autiasp: hints that old CPUs skip). */
.macro fc_sign
    hint #25
#if FC_ELF
    .cfi_negate_ra_state
#endif
.endm
.macro fc_authenticate
    hint #29
#if FC_ELF
    .cfi_negate_ra_state
#endif
.endm

/* Saves the callee-saved registers that the kernels use (AAPCS64: x19-x29, the low halves of v8-v15)
 * below the stack pointer, together with `size` bytes of scratch at sp. */
.macro fc_enter size
    stp x19, x20, [sp, #-160]!
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    sub sp, sp, #\size
#if !FC_COFF
    .cfi_def_cfa_offset \size + 160
    .cfi_offset x19, -160
    .cfi_offset x20, -152
    .cfi_offset x21, -144
    .cfi_offset x22, -136
    .cfi_offset x23, -128
    .cfi_offset x24, -120
    .cfi_offset x25, -112
    .cfi_offset x26, -104
    .cfi_offset x27, -96
    .cfi_offset x28, -88
    .cfi_offset x29, -80
    .cfi_offset x30, -72
    .cfi_offset d8, -64
    .cfi_offset d9, -56
    .cfi_offset d10, -48
    .cfi_offset d11, -40
    .cfi_offset d12, -32
    .cfi_offset d13, -24
    .cfi_offset d14, -16
    .cfi_offset d15, -8
#endif
.endm

/* Restores what fc_enter saved; loading d8-d15 clears the high halves of v8-v15. */
.macro fc_leave size
    add sp, sp, #\size
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    ldp x19, x20, [sp], #160
#if !FC_COFF
    .cfi_def_cfa_offset 0
#endif
.endm

/* The rest of the line if \on is 1 */
.macro fc_if on, line:vararg
.if \on
    \line
.endif
.endm

/* Zeros registers: fc_clear x0, x1; fc_vclear v0, v1. */
.macro fc_clear x:vararg
    .irp reg, \x
    mov \reg, xzr
    .endr
.endm

.macro fc_vclear v:vararg
    .irp reg, \v
    fc_vclear1 \reg
    .endr
.endm
.macro fc_vclear1 v
    movi \v\().2d, #0
.endm

#endif
