/* x86-64: Intel syntax, the two calling conventions, CET.
 *
 * Every function body sees its arguments where the System V ABI has them (rdi, rsi, rdx, rcx, r8,
 * r9d), whatever the platform: on Windows fc_enter moves them there, saves rdi, rsi and xmm6-xmm15,
 * which are callee-saved in that convention, and describes all of it for the unwinder.
 *
 *     fc_func NAME
 *     fc_enter FRAME, ARGUMENTS [, REGISTERS...]   saves REGISTERS (callee-saved ones that the body
 *                                       uses, not rbp), sets rbp, gives FRAME bytes of stack at rsp,
 *                                       aligned to 64
 *     ...
 *     fc_leave REGISTERS...             vzeroupper, the reverse and ret; same REGISTERS as fc_enter
 *     fc_endfunc NAME
 *
 * Numeric labels begin at 2: Intel syntax reads 1b as a binary number.
 */
#ifndef FC_X86_64_ARCH_H
#define FC_X86_64_ARCH_H

    .intel_syntax noprefix

/* Indirect calls (the dispatch's function pointers) land on endbr64 where CET enforces it. Encoded:
 * assemblers without the mnemonic are still in use, and CPUs without CET take it as a nop. */
#define FC_HAVE_LANDING 1
.macro fc_landing
    .byte 0xf3, 0x0f, 0x1e, 0xfa
.endm

#define FC_HAVE_SEH 1
#include "../fc_asm.h"

/* "This object is marked for IBT and SHSTK" (x86-64 psABI, program property). */
#if FC_ELF
    .section .note.gnu.property,"a",%note
    .p2align 3
    .long 4, 16, 5          /* name and descriptor sizes, NT_GNU_PROPERTY_TYPE_0 */
    .asciz "GNU"
    .long 0xc0000002, 4, 3, 0 /* GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK */
    .text
#endif

#if FC_MACHO
#define FC_L(name) L##name
#else
#define FC_L(name) .L##name
#endif

#if FC_COFF
#define FC_CFI(...)
#define FC_SEH(...) __VA_ARGS__
#else
#define FC_CFI(...) __VA_ARGS__
#define FC_SEH(...)
#endif

.macro fc_push reg
    push \reg
    FC_CFI(.cfi_adjust_cfa_offset 8)
    FC_CFI(.cfi_rel_offset \reg, 0)
    FC_SEH(.seh_pushreg \reg)
.endm

.macro fc_enter frame, arguments, saved:vararg
    fc_push rbp
    .set fc_pushed, 1
#if FC_COFF
    fc_push rdi
    fc_push rsi
    .set fc_pushed, 3
#endif
    .irp reg, \saved
    .ifnb \reg
    fc_push \reg
    .set fc_pushed, fc_pushed + 1
    .endif
    .endr
#if FC_COFF
    /* 10 registers of 16 bytes; 8 more bytes where the pushes leave rsp at 8 modulo 16 */
    .set fc_saved, 160 + 8 * ((fc_pushed + 1) & 1)
    sub rsp, fc_saved
    .seh_stackalloc fc_saved
    mov rbp, rsp
    .seh_setframe rbp, 0
    .irp n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovaps [rbp + (\n - 6) * 16], xmm\n
    .seh_savexmm xmm\n, (\n - 6) * 16
    .endr
    .seh_endprologue
    mov rdi, rcx
    mov rsi, rdx
    mov rdx, r8
    mov rcx, r9
    .if \arguments > 4 /* above the return address and the 32 bytes of home space */
    mov r8, [rbp + fc_saved + 8 * fc_pushed + 40]
    .endif
    .if \arguments > 5
    mov r9, [rbp + fc_saved + 8 * fc_pushed + 48]
    .endif
#else
    mov rbp, rsp
    .cfi_def_cfa_register rbp
#endif
    .if \frame
    sub rsp, \frame
    and rsp, -64
    .endif
.endm

.macro fc_pop_reversed first, rest:vararg
    .ifnb \rest
    fc_pop_reversed \rest
    .endif
    .ifnb \first
    pop \first
    .endif
.endm

.macro fc_leave saved:vararg
    vzeroupper
#if FC_COFF
    .irp n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovaps xmm\n, [rbp + (\n - 6) * 16]
    .endr
    lea rsp, [rbp + fc_saved]
#else
    mov rsp, rbp
#endif
    fc_pop_reversed \saved
#if FC_COFF
    pop rsi
    pop rdi
#endif
    pop rbp
    FC_CFI(.cfi_def_cfa rsp, 8)
    ret
.endm

/* Calls a function of four arguments, which stand where the System V ABI has them. */
.macro fc_call4 name
#if FC_COFF
    mov r9, rcx
    mov r8, rdx
    mov rdx, rsi
    mov rcx, rdi
    sub rsp, 32                         /* home space */
    call \name
    add rsp, 32
#elif FC_MACHO
    call _\name
#else
    call \name
#endif
.endm

/* Zeros in all vector registers, to their full width. */
.macro fc_clear_vectors
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vpxor xmm\n, xmm\n, xmm\n           /* the upper half too */
    .endr
.endm

#endif
