/* Power: the 64-bit ELF ABIs v1 and v2, and the 32-bit System V one. 64-bit callers extend 32-bit
 * arguments; the 32-bit convention has no red zone. */
#if defined(__powerpc__)
#define _GNU_SOURCE
#include "../abi.h"

#include <signal.h>
#include <ucontext.h>

uintptr_t abi_interrupted(const void *context) {
    const ucontext_t *c = context;
#if defined(__powerpc64__)
    return c->uc_mcontext.gp_regs[1];
#elif defined(__GLIBC__)
    return c->uc_mcontext.uc_regs->gregs[1];
#else
    return c->uc_regs->gregs[1];
#endif
}

#define ALL ~(uintptr_t)0
static const struct abi_register registers[] = {
    {"r14", 1, ALL, 0},  {"r15", 2, ALL, 0},  {"r16", 3, ALL, 0},  {"r17", 4, ALL, 0},
    {"r18", 5, ALL, 0},  {"r19", 6, ALL, 0},  {"r20", 7, ALL, 0},  {"r21", 8, ALL, 0},
    {"r22", 9, ALL, 0},  {"r23", 10, ALL, 0}, {"r24", 11, ALL, 0}, {"r25", 12, ALL, 0},
    {"r26", 13, ALL, 0}, {"r27", 14, ALL, 0}, {"r28", 15, ALL, 0}, {"r29", 16, ALL, 0},
    {"r30", 17, ALL, 0}, {"r31", 18, ALL, 0}, {"r2", 19, ALL, 1},  {"r13", 20, ALL, 1},
    {"cr2", 21, 0x00f00000, 0}, {"cr3", 21, 0x000f0000, 0}, {"cr4", 21, 0x0000f000, 0},
    {"vrsave", 22, 0xffffffff, 1},
};

void abi_read_control(uintptr_t before[32]) {
    __asm__ volatile("mr %0, 2" : "=r"(before[19]));
    __asm__ volatile("mr %0, 13" : "=r"(before[20]));
    /* Given to the stub where there are vector registers: bits of v0 to v31 in use. */
    before[22] = UINT32_C(0xa5a50fff);
}

#define CHEATS(X)                                                                                  \
    X(honest, "", 0)                                                                               \
    X(r14, "r14", 0)                                                                               \
    X(r15, "r15", 0)                                                                               \
    X(r16, "r16", 0)                                                                               \
    X(r17, "r17", 0)                                                                               \
    X(r18, "r18", 0)                                                                               \
    X(r19, "r19", 0)                                                                               \
    X(r20, "r20", 0)                                                                               \
    X(r21, "r21", 0)                                                                               \
    X(r22, "r22", 0)                                                                               \
    X(r23, "r23", 0)                                                                               \
    X(r24, "r24", 0)                                                                               \
    X(r25, "r25", 0)                                                                               \
    X(r26, "r26", 0)                                                                               \
    X(r27, "r27", 0)                                                                               \
    X(r28, "r28", 0)                                                                               \
    X(r29, "r29", 0)                                                                               \
    X(r30, "r30", 0)                                                                               \
    X(r31, "r31", 0)                                                                               \
    X(r2, "r2", 0)                                                                                 \
    X(r13, "r13", 0)                                                                               \
    X(cr2, "cr2", 0)                                                                               \
    X(cr3, "cr3", 0)                                                                               \
    X(cr4, "cr4", 0)                                                                               \
    X(f14, "f14", 0)                                                                               \
    X(f20, "f20", 0)                                                                               \
    X(f31, "f31", 0)                                                                               \
    X(v20, "v20", 1)                                                                               \
    X(v25, "v25", 1)                                                                               \
    X(v31, "v31", 1)                                                                               \
    X(vrsave, "vrsave", 1)                                                                         \
    X(sp, "stack pointer", 0)                                                                      \
    X(above_stack, "wrote 256 bytes above", 0)                                                     \
    X(below_stack, "wrong result", 0)                                                              \
    X(expects_zero, "wrong result", 0)

CHEATS(ABI_CHEAT_DECLARE)
static const struct abi_cheat cheats[] = {CHEATS(ABI_CHEAT_ROW)};

const struct abi_arch abi_arch = {
    .registers = registers,
    .register_count = LENGTH_OF(registers),
    .fp_saved = 0xffffc000, /* f14 to f31 */
    .fp_name = "f",
    .vec_saved = 0xfff00000, /* v20 to v31 */
    .vec_name = "v",
    .vec_bytes = 16,
    .vec_feature = "altivec",
    .register_args = 8,
#if !defined(__powerpc64__)
    .may_write = 8, /* back chain, saved lr */
#elif defined(_CALL_ELF) && _CALL_ELF == 2
    .may_write = 24, /* back chain, saved cr, saved lr */
    .red_zone = 288,
#else
    .may_write = 112, /* the header and the room for eight register arguments */
    .red_zone = 288,
#endif
    .cheats = cheats,
    .cheat_count = LENGTH_OF(cheats),
};
#endif
