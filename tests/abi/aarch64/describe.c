/* AArch64: AAPCS64, sections 6.1.1 and 6.1.2. */
#if defined(__aarch64__) || defined(_M_ARM64)
#if defined(__APPLE__)
#define _XOPEN_SOURCE 700
#define _DARWIN_C_SOURCE
#else
#define _GNU_SOURCE
#endif
#include "../abi.h"

#if !defined(_WIN32)
#include <signal.h>
#include <ucontext.h>

uintptr_t abi_interrupted(const void *context) {
    const ucontext_t *c = context;
#if defined(__APPLE__)
    return (uintptr_t)c->uc_mcontext->__ss.__sp;
#else
    return c->uc_mcontext.sp;
#endif
}
#endif

#define ALL ~(uintptr_t)0
static const struct abi_register registers[] = {
    {"x19", 1, ALL, 0},  {"x20", 2, ALL, 0}, {"x21", 3, ALL, 0}, {"x22", 4, ALL, 0},
    {"x23", 5, ALL, 0},  {"x24", 6, ALL, 0}, {"x25", 7, ALL, 0}, {"x26", 8, ALL, 0},
    {"x27", 9, ALL, 0},  {"x28", 10, ALL, 0}, {"x29", 11, ALL, 0},
    {"x18 (the platform's)", 12, ALL, 1}, {"fpcr", 13, 0xffffffff, 1},
};

void abi_read_control(uintptr_t before[32]) {
    __asm__ volatile("mov %0, x18" : "=r"(before[12]));
    __asm__ volatile("mrs %0, fpcr" : "=r"(before[13]));
}

#define CHEATS(X)                                                                                  \
    X(honest, "", 0)                                                                               \
    X(x18, "x18", 0)                                                                               \
    X(x19, "x19", 0)                                                                               \
    X(x20, "x20", 0)                                                                               \
    X(x21, "x21", 0)                                                                               \
    X(x22, "x22", 0)                                                                               \
    X(x23, "x23", 0)                                                                               \
    X(x24, "x24", 0)                                                                               \
    X(x25, "x25", 0)                                                                               \
    X(x26, "x26", 0)                                                                               \
    X(x27, "x27", 0)                                                                               \
    X(x28, "x28", 0)                                                                               \
    X(x29, "x29", 0)                                                                               \
    X(d8, "d8", 0)                                                                                 \
    X(d9, "d9", 0)                                                                                 \
    X(d10, "d10", 0)                                                                               \
    X(d11, "d11", 0)                                                                               \
    X(d12, "d12", 0)                                                                               \
    X(d13, "d13", 0)                                                                               \
    X(d14, "d14", 0)                                                                               \
    X(d15, "d15", 0)                                                                               \
    X(upper_half, "", 0) /* of v8: may be changed */                                               \
    X(fpcr, "fpcr", 0)                                                                             \
    X(sp, "stack pointer", 0)                                                                      \
    X(above_stack, "wrote 0 bytes above", 0)                                                       \
    X(below_stack, "wrong result", 0)                                                              \
    X(upper_bits, "wrong result", 0)                                                               \
    X(expects_zero, "wrong result", 0)                                                             \
    X(expects_zero_vector, "wrong result", 0)

CHEATS(ABI_CHEAT_DECLARE)
static const struct abi_cheat cheats[] = {CHEATS(ABI_CHEAT_ROW)};

const struct abi_arch abi_arch = {
    .registers = registers,
    .register_count = LENGTH_OF(registers),
    .vec_saved = 0xff00, /* v8 to v15, their low halves */
    .vec_name = "d",
    .vec_bytes = 8,
    .register_args = 8,
#if defined(__APPLE__)
    .red_zone = 128,
#endif
    .rubbish_above_32 = 1,
    .cheats = cheats,
    .cheat_count = LENGTH_OF(cheats),
};
#endif
