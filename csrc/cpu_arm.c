/* CPU features of 32-bit Arm: AT_HWCAP. */
#define FC_PROBE_arm FC_FOUND
#include "cpu.h"

#if defined(__arm__) || defined(FC_CPU_TEST)

/* ---- the words of features.def --------------------------------------------------------------- */
#define HWCAP(position) (raw->hwcap >> (position) & 1)

uint64_t fc_cpu_decode_arm(const struct fc_cpu_raw_arm *raw) {
    uint64_t found = 0;
#define FC_FEATURE(arch, bit, name, probe, trial) FC_PROBE_##arch(bit, probe)
#include "features.def"
#undef FC_FEATURE
    return found;
}
#endif

#if defined(__arm__)

#if defined(__linux__) || defined(__FreeBSD__)
#include <sys/auxv.h>
#endif

uint64_t fc_cpu_detect(void) {
    struct fc_cpu_raw_arm raw = {0};
#if defined(__linux__)
    raw.hwcap = getauxval(AT_HWCAP);
#elif defined(__FreeBSD__)
    unsigned long hwcap = 0;
    if (elf_aux_info(AT_HWCAP, &hwcap, sizeof hwcap) == 0) raw.hwcap = hwcap;
#endif
    return fc_cpu_decode_arm(&raw);
}
#endif
