/* CPU features of AArch64: AT_HWCAP on Linux and Android; macOS and Windows require Advanced SIMD.
 */
#define FC_PROBE_aarch64 FC_FOUND
#include "cpu.h"

#if defined(__aarch64__) || defined(_M_ARM64) || defined(FC_CPU_TEST)

/* ---- the words of features.def --------------------------------------------------------------- */
#define HWCAP(position) (raw->hwcap >> (position) & 1)
#define ALWAYS (raw->always)

uint64_t fc_cpu_decode_aarch64(const struct fc_cpu_raw_aarch64 *raw) {
    uint64_t found = 0;
#define FC_FEATURE(arch, bit, name, probe, trial) FC_PROBE_##arch(bit, probe)
#include "features.def"
#undef FC_FEATURE
    return found;
}
#endif

#if defined(__aarch64__) || defined(_M_ARM64)

#if defined(__linux__)
#include <sys/auxv.h>
#elif defined(__FreeBSD__) || defined(__OpenBSD__)
#include <sys/auxv.h>
#elif defined(_WIN32)
#include <windows.h>
#endif

uint64_t fc_cpu_detect(void) {
    struct fc_cpu_raw_aarch64 raw = {0};
#if defined(__linux__)
    raw.hwcap = getauxval(AT_HWCAP);
#elif defined(__FreeBSD__) || defined(__OpenBSD__)
    unsigned long hwcap = 0;
    if (elf_aux_info(AT_HWCAP, &hwcap, sizeof hwcap) == 0) raw.hwcap = hwcap;
#elif defined(__APPLE__)
    raw.always = 1;
#elif defined(_WIN32)
    raw.always = IsProcessorFeaturePresent(PF_ARM_NEON_INSTRUCTIONS_AVAILABLE) != 0;
#endif
    return fc_cpu_decode_aarch64(&raw);
}
#endif
