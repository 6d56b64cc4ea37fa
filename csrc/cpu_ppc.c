/* CPU features of Power: AT_HWCAP and AT_HWCAP2. */
#define FC_PROBE_ppc FC_FOUND
#include "cpu.h"

#if defined(__powerpc__) || defined(FC_CPU_TEST)

/* ---- the words of features.def ---------------------------------------------------------------
 * IS64: a 64-bit process. VSX and what builds on it are for 64-bit processes only: a 32-bit one on
 * such a CPU is rare, and nothing here can run it to show that those kernels are right there. */
#define HWCAP(mask) ((raw->hwcap & (mask)) != 0)
#define HWCAP2(mask) ((raw->hwcap2 & (mask)) != 0)
#define IS64 (raw->is64)

uint64_t fc_cpu_decode_ppc(const struct fc_cpu_raw_ppc *raw) {
    uint64_t found = 0;
#define FC_FEATURE(arch, bit, name, probe, trial) FC_PROBE_##arch(bit, probe)
#include "features.def"
#undef FC_FEATURE
    return found;
}
#endif

#if defined(__powerpc__)

#if defined(__linux__) || defined(__FreeBSD__)
#include <sys/auxv.h>
#endif

uint64_t fc_cpu_detect(void) {
    struct fc_cpu_raw_ppc raw = {0};
#if defined(__powerpc64__)
    raw.is64 = 1;
#endif
#if defined(__linux__)
    raw.hwcap = getauxval(AT_HWCAP);
    raw.hwcap2 = getauxval(AT_HWCAP2);
#elif defined(__FreeBSD__)
    unsigned long word = 0;
    if (elf_aux_info(AT_HWCAP, &word, sizeof word) == 0) raw.hwcap = word;
    if (elf_aux_info(AT_HWCAP2, &word, sizeof word) == 0) raw.hwcap2 = word;
#endif
    return fc_cpu_decode_ppc(&raw);
}
#endif
