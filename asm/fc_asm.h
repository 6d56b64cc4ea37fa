/* What every assembly file needs and no file should repeat: symbols, function frames, notes.
 *
 * Use, in asm/<arch>/<file>.S:
 *     #if defined(__riscv) && __riscv_xlen == 64
 *     #include "arch.h"            // includes this file
 *     fc_func fc_chacha20_rv64
 *         ...
 *     fc_endfunc fc_chacha20_rv64
 *     #endif
 *     #include "../fc_asm.h"       // the note about the stack, where the file is empty too
 *
 * Assembler macros, not preprocessor ones: the statement separator differs between assemblers.
 * arch.h may define, before it includes this file, the preprocessor symbol FC_ARCH_FUNC if it brings
 * macros fc_func and fc_endfunc of its own (function descriptors, local entry points), and the
 * assembler macro fc_landing after it (endbr64, bti c); without FC_HAVE_LANDING there is none. With
 * FC_HAVE_SEH its functions describe their frames to the Windows unwinder (.seh_*).
 */
#ifndef FC_ASM_H
#define FC_ASM_H

#if defined(__APPLE__)
#define FC_MACHO 1
#define FC_SYM(name) _##name
#elif defined(_WIN32)
#define FC_COFF 1
#define FC_SYM(name) name
#else
#define FC_ELF 1
#define FC_SYM(name) name
#endif

#ifndef FC_ARCH_FUNC
/* Begins a function: hidden global symbol (a module exports its init alone), 64-byte alignment, CFI. */
.macro fc_func name
    .text
#if FC_MACHO
    .globl _\name
    .private_extern _\name
    .p2align 6
_\name:
    .cfi_startproc
#elif FC_COFF
    .globl \name
    .def \name
    .scl 2
    .type 32
    .endef
    .p2align 6
\name:
#ifdef FC_HAVE_SEH
    .seh_proc \name
#endif
#else
    .globl \name
    .hidden \name
    .type \name, %function
    .p2align 6
\name:
    .cfi_startproc
#endif
#ifdef FC_HAVE_LANDING
    fc_landing
#endif
.endm

.macro fc_endfunc name
#if FC_MACHO
    .cfi_endproc
#elif FC_ELF
    .cfi_endproc
    .size \name, . - \name
#elif defined(FC_HAVE_SEH)
    .seh_endproc
#endif
.endm
#endif

/* Read-only data: constants that are not secret. */
.macro fc_rodata
#if FC_MACHO
    .section __TEXT,__const
#elif FC_COFF
    .section .rdata,"dr"
#else
    .section .rodata
#endif
.endm

/* The stack need not be executable. */
#if FC_ELF
    .section .note.GNU-stack,"",%progbits
    .text
#endif

#endif
