/* CPU features of RISC-V: riscv_hwprobe, AT_HWCAP and, on kernels without hwprobe, /proc/cpuinfo.
 */
#define _GNU_SOURCE /* syscall */
#define FC_PROBE_riscv64 FC_FOUND
#include "cpu.h"

#if (defined(__riscv) && __riscv_xlen == 64) || defined(FC_CPU_TEST)

/* Does every "isa" line of cpuinfo (there is one for each core) name the extension, and is there
 * such a line? A line that was cut off names it only if it was cut behind it. */
static int isa_lines_name(const char *cpuinfo, const char *extension) {
    size_t n = strlen(extension);
    int lines = 0;
    while (cpuinfo && *cpuinfo) {
        size_t length = strcspn(cpuinfo, "\n");
        if (strncmp(cpuinfo, "isa", 3) == 0 && strchr(" \t:", cpuinfo[3])) {
            int named = 0;
            for (const char *at = cpuinfo; at + 1 + n <= cpuinfo + length; at++)
                named |= at[0] == '_' && memcmp(at + 1, extension, n) == 0 &&
                         (at + 1 + n == cpuinfo + length || strchr("_ \t\r", at[1 + n]));
            if (!named) return 0;
            lines++;
        }
        cpuinfo += length;
        cpuinfo += *cpuinfo == '\n';
    }
    return lines > 0;
}

/* ---- the words of features.def ---------------------------------------------------------------
 * HWCAP_V: the kernel saves vector state for this task (hwprobe ignores the per-task control).
 * VSET_LEGAL, ISA_LINE: stand in for a missing hwprobe, and only for a missing one.
 */
#define HWPROBE(position) (raw->has_hwprobe && (raw->ima_ext_0 >> (position) & 1))
#define HWCAP_V (raw->hwcap >> ('v' - 'a') & 1)
#define VSET_LEGAL (!raw->has_hwprobe && raw->vset_legal)
#define ISA_LINE(name) (!raw->has_hwprobe && isa_lines_name(raw->cpuinfo, #name))
#define HAS(name) (found >> BIT_riscv64_##name & 1)

enum {
#define FC_FEATURE(arch, bit, name, probe, trial) BIT_##arch##_##name = bit,
#include "features.def"
#undef FC_FEATURE
};

uint64_t fc_cpu_decode_riscv64(const struct fc_cpu_raw_riscv64 *raw) {
    uint64_t found = 0;
#define FC_FEATURE(arch, bit, name, probe, trial) FC_PROBE_##arch(bit, probe)
#include "features.def"
#undef FC_FEATURE
    return found;
}
#endif

#if defined(__riscv) && __riscv_xlen == 64

#if defined(__linux__)

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux, Documentation/arch/riscv/hwprobe.rst: key 4 is IMA_EXT_0; a cpu set of size 0 means all
 * online cores, and the answer is what they have in common. */
static int hwprobe_ima_ext_0(uint64_t *value) {
    struct {
        int64_t key;
        uint64_t value;
    } pair = {4, 0};
    if (syscall(258, &pair, (size_t)1, (size_t)0, NULL, 0u) != 0 || pair.key != 4) return 0;
    *value = pair.value;
    return 1;
}

/* Does vsetvli e32, m1, ta, ma leave vill clear? The 0.7.1 draft has other bits there and sets it.
 */
static int vset_legal(void) {
    uint64_t vtype;
    __asm__ volatile(".4byte 0x0d0072d7\n\t" /* vsetvli t0, zero, e32, m1, ta, ma */
                     "csrr %0, 0xc21"        /* vtype */
                     : "=r"(vtype)
                     :
                     : "t0");
    return !(vtype >> 63);
}

static void read_text(const char *path, char *text, size_t size) {
    size_t length = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && length < size - 1) {
        ssize_t n = read(file, text + length, size - 1 - length);
        if (n <= 0) break;
        length += (size_t)n;
    }
    text[length] = 0;
    if (file >= 0) close(file);
}

uint64_t fc_cpu_detect(void) {
    struct fc_cpu_raw_riscv64 raw = {0};
    char cpuinfo[32768];
    raw.hwcap = getauxval(AT_HWCAP);
    raw.has_hwprobe = hwprobe_ima_ext_0(&raw.ima_ext_0);
    if (!raw.has_hwprobe) {
        read_text("/proc/cpuinfo", cpuinfo, sizeof cpuinfo);
        raw.cpuinfo = cpuinfo;
        if (raw.hwcap >> ('v' - 'a') & 1) raw.vset_legal = vset_legal();
    }
    return fc_cpu_decode_riscv64(&raw);
}

#else

uint64_t fc_cpu_detect(void) { return 0; } /* no way to ask is known */

#endif
#endif
