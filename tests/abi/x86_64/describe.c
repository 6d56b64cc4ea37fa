/* x86-64: System V psABI, section 3.2, and the Windows x64 calling convention. */
#if defined(__x86_64__) || defined(_M_X64)
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
    return (uintptr_t)c->uc_mcontext->__ss.__rsp;
#else
    return (uintptr_t)c->uc_mcontext.gregs[REG_RSP];
#endif
}
#endif

static const struct abi_register registers[] = {
    {"rbx", 1, ~(uintptr_t)0, 0},
    {"rbp", 2, ~(uintptr_t)0, 0},
    {"r12", 3, ~(uintptr_t)0, 0},
    {"r13", 4, ~(uintptr_t)0, 0},
    {"r14", 5, ~(uintptr_t)0, 0},
    {"r15", 6, ~(uintptr_t)0, 0},
#if defined(_WIN32)
    {"rdi", 7, ~(uintptr_t)0, 0},
    {"rsi", 8, ~(uintptr_t)0, 0},
#endif
    {"mxcsr's control bits", 9, 0xffc0, 1},
    {"x87 control word", 10, 0xffff, 1},
    {"direction flag", 11, 0x400, 1},
};

void abi_read_control(uintptr_t before[32]) {
    uint32_t mxcsr;
    uint16_t cw;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(cw));
    before[9] = mxcsr;
    before[10] = cw;
    before[11] = 0;
}

#define CHEATS(X)                                                                                  \
    X(honest, "", 0)                                                                               \
    X(rbx, "rbx", 0)                                                                               \
    X(rbp, "rbp", 0)                                                                               \
    X(r12, "r12", 0)                                                                               \
    X(r13, "r13", 0)                                                                               \
    X(r14, "r14", 0)                                                                               \
    X(r15, "r15", 0)                                                                               \
    X(rsp, "stack pointer", 0)                                                                     \
    X(above_stack, "wrote 64 bytes above", 0)                                                      \
    X(below_stack, "wrong result", 0)                                                              \
    X(direction, "direction flag", 0)                                                              \
    X(mxcsr, "mxcsr", 0)                                                                           \
    X(x87, "x87", 0)                                                                               \
    X(upper_bits, "wrong result", 0)                                                               \
    X(expects_zero, "wrong result", 0)                                                             \
    X(expects_zero_xmm, "wrong result", 0)
#define WINDOWS_CHEATS(X)                                                                          \
    X(rdi, "rdi", 0)                                                                               \
    X(rsi, "rsi", 0)                                                                               \
    X(xmm6, "xmm6", 0)                                                                             \
    X(xmm11, "xmm11", 0)                                                                           \
    X(xmm15, "xmm15", 0)

CHEATS(ABI_CHEAT_DECLARE)
#if defined(_WIN32)
WINDOWS_CHEATS(ABI_CHEAT_DECLARE)
#endif
static const struct abi_cheat cheats[] = {
    CHEATS(ABI_CHEAT_ROW)
#if defined(_WIN32)
    WINDOWS_CHEATS(ABI_CHEAT_ROW)
#endif
};

const struct abi_arch abi_arch = {
    .registers = registers,
    .register_count = LENGTH_OF(registers),
    .vec_name = "xmm",
    .vec_bytes = 16,
#if defined(_WIN32)
    .vec_saved = 0xffc0,
    .register_args = 4,
    .stack_args = 32,
    .may_write = 32, /* the home space of the register arguments */
#else
    .register_args = 6,
    .red_zone = 128,
#endif
    .rubbish_above_32 = 1,
    .cheats = cheats,
    .cheat_count = LENGTH_OF(cheats),
};
#endif
