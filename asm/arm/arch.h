/* 32-bit Arm: what its assembly files share. Include it inside `#if defined(__arm__)`.
 *
 * Everything is in ARM state (callers in Thumb state reach it through the linker, bx returns to
 * them). Armv7-A with Advanced SIMD is switched on here for the assembler alone; no function runs
 * unless detection found NEON.
 *
 * Byte order: user data are moved with vld1.8/vst1.8 (vld4.32 with vrev32.8 on big-endian), which give
 * a register the same image on both byte orders; words of `state` and of struct fc_poly1305 are in
 * host order and are moved with 32-bit elements. No alignment is assumed of user data: neither
 * alignment hints nor ldrd, ldm, strd, stm on them.
 */
#ifndef FC_ARM_ARCH_H
#define FC_ARM_ARCH_H

    .syntax unified
    .arch armv7-a
    .fpu neon
    .arm
    .cfi_sections .debug_frame

#include "../fc_asm.h"

/* After push {r4-r11, lr} */
.macro fc_cfi_pushed
    .cfi_def_cfa_offset 36
    .cfi_offset r4, -36
    .cfi_offset r5, -32
    .cfi_offset r6, -28
    .cfi_offset r7, -24
    .cfi_offset r8, -20
    .cfi_offset r9, -16
    .cfi_offset r10, -12
    .cfi_offset r11, -8
    .cfi_offset lr, -4
.endm

/* Pushes r4-r11, lr and d8-d15. */
.macro fc_enter
    push {r4-r11, lr}
    fc_cfi_pushed
    vpush {d8-d15}
    .cfi_def_cfa_offset 100
.endm

/* Undoes fc_enter and returns. */
.macro fc_leave
    vpop {d8-d15}
    pop {r4-r11, lr}
    bx lr
.endm

/* The rest of the line if \on is 1 */
.macro fc_if on, line:vararg
.if \on
    \line
.endif
.endm

/* Zeros q registers: fc_qclear q0, q1, ... */
.macro fc_qclear q:vararg
    .irp reg, \q
    vmov.i32 \reg, #0
    .endr
.endm

#endif
