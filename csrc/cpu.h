/* How detection is built, the same on every architecture, so that it can be tested anywhere:
 *
 *   struct fc_cpu_raw_<arch>        the machine's raw answers (cpuid registers, auxv words, ...)
 *   fc_cpu_decode_<arch>(raw)       features.def's probes over them: pure, compiled on every
 * machine when FC_CPU_TEST is defined, fed with made-up answers by tests/table fc_cpu_detect()
 * reads the machine and decodes
 */
#ifndef FC_CPU_H
#define FC_CPU_H

#include "backend.h"

/* A cpu_<arch>.c defines FC_PROBE_<arch> as FC_FOUND before it includes this file; the lines of
 * other architectures then drop out of its decode function. */
#define FC_FOUND(bit, probe)                                                                       \
    if (probe) found |= UINT64_C(1) << (bit);
#ifndef FC_PROBE_x86_64
#define FC_PROBE_x86_64(bit, probe)
#endif
#ifndef FC_PROBE_aarch64
#define FC_PROBE_aarch64(bit, probe)
#endif
#ifndef FC_PROBE_arm
#define FC_PROBE_arm(bit, probe)
#endif
#ifndef FC_PROBE_ppc
#define FC_PROBE_ppc(bit, probe)
#endif
#ifndef FC_PROBE_riscv64
#define FC_PROBE_riscv64(bit, probe)
#endif

struct fc_cpu_regs {
    uint32_t eax, ebx, ecx, edx;
};

struct fc_cpu_raw_x86_64 {
    struct fc_cpu_regs leaf0; /* eax: the highest leaf */
    struct fc_cpu_regs leaf1; /* ecx bit 27: OSXSAVE */
    struct fc_cpu_regs leaf7; /* subleaf 0; zeros where the CPU has no leaf 7 */
    uint64_t xcr0;            /* 0 without OSXSAVE */
};
uint64_t fc_cpu_decode_x86_64(const struct fc_cpu_raw_x86_64 *raw);

struct fc_cpu_raw_aarch64 {
    uint64_t hwcap; /* AT_HWCAP; 0 where the system has none */
    int always;     /* the platform requires, or reports otherwise, Advanced SIMD */
};
uint64_t fc_cpu_decode_aarch64(const struct fc_cpu_raw_aarch64 *raw);

struct fc_cpu_raw_arm {
    uint64_t hwcap; /* AT_HWCAP; 0 where the system has none */
};
uint64_t fc_cpu_decode_arm(const struct fc_cpu_raw_arm *raw);

struct fc_cpu_raw_ppc {
    uint64_t hwcap, hwcap2; /* AT_HWCAP, AT_HWCAP2; 0 where the system has none */
    int is64;               /* a 64-bit process */
};
uint64_t fc_cpu_decode_ppc(const struct fc_cpu_raw_ppc *raw);

struct fc_cpu_raw_riscv64 {
    uint64_t hwcap;      /* AT_HWCAP */
    int has_hwprobe;     /* the system call exists and knows the key */
    uint64_t ima_ext_0;  /* its answer */
    int vset_legal;      /* without hwprobe: vsetvli with ta, ma left vill clear */
    const char *cpuinfo; /* without hwprobe: /proc/cpuinfo; NULL: none */
};
uint64_t fc_cpu_decode_riscv64(const struct fc_cpu_raw_riscv64 *raw);

#endif
