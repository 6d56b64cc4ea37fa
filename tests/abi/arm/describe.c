/* 32-bit Arm: AAPCS32, sections 6.1.1 and 6.1.2, with floating-point registers for arguments. */
#if defined(__arm__)
#define _GNU_SOURCE
#include "../abi.h"

#include <signal.h>
#include <ucontext.h>

uintptr_t abi_interrupted(const void *context) {
    const ucontext_t *c = context;
    return c->uc_mcontext.arm_sp;
}

#define ALL ~(uintptr_t)0
static const struct abi_register registers[] = {
    {"r4", 1, ALL, 0}, {"r5", 2, ALL, 0}, {"r6", 3, ALL, 0},  {"r7", 4, ALL, 0},
    {"r8", 5, ALL, 0}, {"r9", 6, ALL, 0}, {"r10", 7, ALL, 0}, {"r11", 8, ALL, 0},
    {"fpscr's control bits", 9, 0x07f79f00, 1},
};

void abi_read_control(uintptr_t before[32]) {
    __asm__ volatile("vmrs %0, fpscr" : "=r"(before[9]));
}

#define CHEATS(X)                                                                                  \
    X(honest, "", 0)                                                                               \
    X(r4, "r4", 0)                                                                                 \
    X(r5, "r5", 0)                                                                                 \
    X(r6, "r6", 0)                                                                                 \
    X(r7, "r7", 0)                                                                                 \
    X(r8, "r8", 0)                                                                                 \
    X(r9, "r9", 0)                                                                                 \
    X(r10, "r10", 0)                                                                               \
    X(r11, "r11", 0)                                                                               \
    X(d8, "d8", 0)                                                                                 \
    X(d9, "d9", 0)                                                                                 \
    X(d10, "d10", 0)                                                                               \
    X(d11, "d11", 0)                                                                               \
    X(d12, "d12", 0)                                                                               \
    X(d13, "d13", 0)                                                                               \
    X(d14, "d14", 0)                                                                               \
    X(d15, "d15", 0)                                                                               \
    X(fpscr, "fpscr", 0)                                                                           \
    X(sp, "stack pointer", 0)                                                                      \
    X(above_stack, "wrote 8 bytes above", 0)                                                       \
    X(below_stack, "wrong result", 0)                                                              \
    X(expects_zero, "wrong result", 0)

CHEATS(ABI_CHEAT_DECLARE)
static const struct abi_cheat cheats[] = {CHEATS(ABI_CHEAT_ROW)};

const struct abi_arch abi_arch = {
    .registers = registers,
    .register_count = LENGTH_OF(registers),
    .fp_saved = 0xff00, /* d8 to d15 */
    .fp_name = "d",
    .vec_name = "q",
    .vec_feature = "neon",
    .register_args = 4,
    .cheats = cheats,
    .cheat_count = LENGTH_OF(cheats),
};
#endif
