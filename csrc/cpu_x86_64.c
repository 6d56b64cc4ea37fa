/* CPU features of x86-64: cpuid for what the CPU has, xgetbv for what the operating system saves.
 */
#define FC_PROBE_x86_64 FC_FOUND
#include "cpu.h"

#if defined(__x86_64__) || defined(_M_X64) || defined(FC_CPU_TEST)

/* ---- the words of features.def --------------------------------------------------------------- */
#define CPUID(n, reg, position) (raw->leaf##n.reg >> (position) & 1)
#define SAVED(mask) (CPUID(1, ecx, 27) && (raw->xcr0 & (mask)) == (mask))
#define YMM SAVED(0x06u)
#define ZMM SAVED(0xe6u)

uint64_t fc_cpu_decode_x86_64(const struct fc_cpu_raw_x86_64 *raw) {
    uint64_t found = 0;
#define FC_FEATURE(arch, bit, name, probe, trial) FC_PROBE_##arch(bit, probe)
#include "features.def"
#undef FC_FEATURE
    return found;
}
#endif

#if defined(__x86_64__) || defined(_M_X64)

#if defined(_MSC_VER)
#include <intrin.h>
static struct fc_cpu_regs cpuid(int leaf) {
    int r[4];
    __cpuidex(r, leaf, 0);
    return (struct fc_cpu_regs){(uint32_t)r[0], (uint32_t)r[1], (uint32_t)r[2], (uint32_t)r[3]};
}
static uint64_t xgetbv(void) { return _xgetbv(0); }
#else
#include <cpuid.h>
static struct fc_cpu_regs cpuid(int leaf) {
    struct fc_cpu_regs r;
    __cpuid_count(leaf, 0, r.eax, r.ebx, r.ecx, r.edx);
    return r;
}
static uint64_t xgetbv(void) {
    uint32_t lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return lo | (uint64_t)hi << 32;
}
#endif

uint64_t fc_cpu_detect(void) {
    struct fc_cpu_raw_x86_64 raw = {0};
    raw.leaf0 = cpuid(0);
    raw.leaf1 = cpuid(1);
    if (raw.leaf0.eax >= 7) raw.leaf7 = cpuid(7);
    if (raw.leaf1.ecx >> 27 & 1) raw.xcr0 = xgetbv();
    return fc_cpu_decode_x86_64(&raw);
}
#endif
