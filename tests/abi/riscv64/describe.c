/* RISC-V: psABI, "Procedure Calling Convention" (LP64D). 32-bit arguments come sign-extended, and no
 * vector register, vl or vtype is preserved. */
#if defined(__riscv) && __riscv_xlen == 64
#define _GNU_SOURCE
#include "../abi.h"

#include <signal.h>
#include <ucontext.h>

uintptr_t abi_interrupted(const void *context) {
    const ucontext_t *c = context;
    return c->uc_mcontext.__gregs[2];
}

#define ALL ~(uintptr_t)0
static const struct abi_register registers[] = {
    {"s0", 1, ALL, 0},  {"s1", 2, ALL, 0},   {"s2", 3, ALL, 0},   {"s3", 4, ALL, 0},
    {"s4", 5, ALL, 0},  {"s5", 6, ALL, 0},   {"s6", 7, ALL, 0},   {"s7", 8, ALL, 0},
    {"s8", 9, ALL, 0},  {"s9", 10, ALL, 0},  {"s10", 11, ALL, 0}, {"s11", 12, ALL, 0},
    {"gp", 13, ALL, 1}, {"tp", 14, ALL, 1},  {"frm", 15, 7, 1},
};

void abi_read_control(uintptr_t before[32]) {
    __asm__ volatile("mv %0, gp" : "=r"(before[13]));
    __asm__ volatile("mv %0, tp" : "=r"(before[14]));
    __asm__ volatile("frrm %0" : "=r"(before[15]));
}

#define CHEATS(X)                                                                                  \
    X(honest, "", 0)                                                                               \
    X(s0, "s0", 0)                                                                                 \
    X(s1, "s1", 0)                                                                                 \
    X(s2, "s2", 0)                                                                                 \
    X(s3, "s3", 0)                                                                                 \
    X(s4, "s4", 0)                                                                                 \
    X(s5, "s5", 0)                                                                                 \
    X(s6, "s6", 0)                                                                                 \
    X(s7, "s7", 0)                                                                                 \
    X(s8, "s8", 0)                                                                                 \
    X(s9, "s9", 0)                                                                                 \
    X(s10, "s10", 0)                                                                               \
    X(s11, "s11", 0)                                                                               \
    X(gp, "gp", 0)                                                                                 \
    X(tp, "tp", 0)                                                                                 \
    X(fs0, "f8", 0)                                                                                \
    X(fs1, "f9", 0)                                                                                \
    X(fs2, "f18", 0)                                                                               \
    X(fs11, "f27", 0)                                                                              \
    X(frm, "frm", 0)                                                                               \
    X(sp, "stack pointer", 0)                                                                      \
    X(above_stack, "wrote 0 bytes above", 0)                                                       \
    X(below_stack, "wrong result", 0)                                                              \
    X(expects_zero, "wrong result", 0)                                                             \
    X(expects_vtype, "SIGILL", 1)                                                                  \
    X(expects_vl, "wrong result", 1)                                                               \
    X(expects_zero_vector, "wrong result", 1)

CHEATS(ABI_CHEAT_DECLARE)
static const struct abi_cheat cheats[] = {CHEATS(ABI_CHEAT_ROW)};

const struct abi_arch abi_arch = {
    .registers = registers,
    .register_count = LENGTH_OF(registers),
    .fp_saved = 0x0ffc0300, /* fs0, fs1 = f8, f9; fs2 to fs11 = f18 to f27 */
    .fp_name = "f",
    .vec_name = "v",
    .vec_feature = "v",
    .register_args = 8,
    .cheats = cheats,
    .cheat_count = LENGTH_OF(cheats),
};
#endif
