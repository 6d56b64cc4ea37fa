/* The calling-convention check: what main.c and each architecture's folder share.
 *
 * abi_call (tests/abi/<arch>/stub.S) switches to a stack of the checker's, puts given values into all
 * registers, calls a kernel and notes all registers afterwards. main.c compares, by the description of
 * the architecture in tests/abi/<arch>/describe.c. All registers that a callee may change hold
 * rubbish on entry too, so that a kernel which expects zeros there gives wrong results.
 */
#ifndef FC_ABI_H
#define FC_ABI_H

/* ---- struct abi_frame: offsets for the assembly, in machine words, then in bytes -------------- */
#define ABI_FN 0       /* the kernel (a descriptor's address on ELFv1) */
#define ABI_SP 1       /* the stack pointer at the call */
#define ABI_SAVED 2    /* for the stub: its own stack pointer */
#define ABI_FLAGS 3    /* ABI_VECTORS: the vector registers exist */
#define ABI_ARGS 4     /* 8 argument registers */
#define ABI_BEFORE 12  /* 32 general registers and control words, numbered by describe.c */
#define ABI_AFTER 44   /* the same */
#define ABI_WORDS 76
#define ABI_VECTORS 1

#if defined(__LP64__) || defined(_WIN64) || defined(__powerpc64__)
#define ABI_W 8
#else
#define ABI_W 4
#endif
#define ABI_FP_BEFORE (ABI_W * ABI_WORDS)   /* 32 floating-point registers of 8 bytes */
#define ABI_FP_AFTER (ABI_FP_BEFORE + 256)
#define ABI_VEC_BEFORE (ABI_FP_BEFORE + 512) /* 32 vector registers of 16 bytes */
#define ABI_VEC_AFTER (ABI_FP_BEFORE + 1024)

#ifndef __ASSEMBLER__
#include "backend.h"

struct abi_frame {
    uintptr_t fn, sp, saved, flags;
    uintptr_t args[8];
    uintptr_t before[32], after[32];
    uint8_t fp_before[256], fp_after[256];
    _Alignas(16) uint8_t vec_before[512]; /* vector stores that round their address down */
    uint8_t vec_after[512];
};

/* The frame in use: the stub finds it again by this, whatever the kernel did to the stack pointer. */
extern struct abi_frame *abi_current;
void abi_call(struct abi_frame *f);

/* A register or control word that must come back. */
struct abi_register {
    const char *name;
    int index;       /* in before[] and after[] */
    uintptr_t mask;  /* the bits that count */
    int keep;        /* cannot be given another value for the call: compared only */
};

/* A kernel that breaks a rule, and the words by which it must be caught ("" : it is honest). */
struct abi_cheat {
    const char *name;
    fc_chacha20_fn *fn;
    const char *caught;
    int vectors; /* needs the vector registers */
};

struct abi_arch {
    const struct abi_register *registers;
    size_t register_count;
    uint32_t fp_saved;       /* bit n: floating-point register n is callee-saved */
    const char *fp_name;     /* "d": d8 */
    uint32_t vec_saved;      /* bit n: vector register n is callee-saved */
    const char *vec_name;
    unsigned vec_bytes;      /* its first bytes that count */
    const char *vec_feature; /* the CPU feature without which there are no vector registers, or NULL */
    unsigned register_args;  /* the others go to the stack, */
    unsigned stack_args;     /* from this many bytes above the stack pointer */
    unsigned may_write;      /* bytes from the stack pointer up that belong to the callee */
    unsigned red_zone;       /* bytes below the stack pointer that an interruption leaves alone */
    int rubbish_above_32;    /* are the upper halves of 32-bit arguments undefined? */
    const struct abi_cheat *cheats;
    size_t cheat_count;
};
extern const struct abi_arch abi_arch;

/* The control words as they are, for registers that must keep their meaning during the call. */
void abi_read_control(uintptr_t before[32]);

/* The stack pointer in a signal handler's context (POSIX). */
uintptr_t abi_interrupted(const void *context);

/* For describe.c: the cheats as declarations and as a table, from CHEATS(X) with one
 * X(name, words by which it is caught, needs the vector registers) each. */
#define ABI_CHEAT_DECLARE(name, caught, vectors) fc_chacha20_fn cheat_##name;
#define ABI_CHEAT_ROW(name, caught, vectors) {#name, cheat_##name, caught, vectors},

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))
#else
/* ---- for the assembly ------------------------------------------------------------------------ */
#if defined(__APPLE__)
#define ABI_SYM(name) _##name
#else
#define ABI_SYM(name) name
#endif
#if defined(__powerpc64__) && (!defined(_CALL_ELF) || _CALL_ELF != 2)
#define ABI_DESCRIPTORS 1 /* ELFv1: a function's symbol is its descriptor */
#endif

/* Begins a function. */
.macro abi_func name
    .globl \name
#if ABI_DESCRIPTORS
    .section .opd, "aw"
    .balign 8
\name:
    .quad .Lentry_\name, .TOC.@tocbase, 0
    .text
    .p2align 2
.Lentry_\name:
#else
    .p2align 2
\name:
#endif
.endm

#if defined(__ELF__)
    .section .note.GNU-stack,"",%progbits
#endif
    .text
#endif
#endif
