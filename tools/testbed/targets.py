"""The targets table: what can be built and run here, on which CPU models, with which features.

Feature names are those of csrc/features.def. The table says what each CPU model has by its
documentation, independently of what detection finds, so that a row of backends.def which should
have run and did not is noticed.
"""

from dataclasses import dataclass, field
from pathlib import Path

from testbed.common import Failure


@dataclass(frozen=True)
class Cpu:
    """A CPU model to run programs on."""

    name: str
    """What --cpu takes and reports show."""
    model: str | None
    """QEMU's -cpu argument; None: the machine's own CPU, without QEMU."""
    features: frozenset[str] = frozenset()
    """What it has, in features.def's names. For the machine's own CPU: see host_features()."""
    note: str = ""


@dataclass(frozen=True)
class Target:
    """One combination of architecture, byte order, calling convention and toolchain."""

    name: str
    arch: str
    """The token of backends.def and of the folder below asm/."""
    bits: int
    """Size of a pointer in bits."""
    order: str
    """Byte order: "little" or "big"."""
    triple: str
    """zig's target triple, or the prefix of Debian's cross gcc."""
    cpus: tuple[Cpu, ...] = ()
    """Empty: assembled and linked only."""
    flags: tuple[str, ...] = ()
    """Compiler flags beyond the target's own."""
    compiler: str = "zig"
    """"zig", or "gcc": Debian's cross compiler."""
    packages: tuple[str, ...] = ()
    """The Debian packages of the cross gcc and its libc."""
    runner: str | None = None
    """QEMU's program name; "wine", "bochs"; None: native, or nothing runs it (no cpus)."""
    support: tuple[str, ...] = ()
    """Files beside this one that every program of the target needs."""
    root: str | None = None
    """The foreign Python root (roots.py), if there is one."""
    suffix: str = field(default="")
    """Of a program's file name."""

    def cpu(self, name: str) -> Cpu:
        """The CPU model of this name, or a Failure that lists the names."""
        for cpu in self.cpus:
            if cpu.name == name:
                return cpu
        known = ", ".join(c.name for c in self.cpus) or "none: it is assembled and linked only"
        raise Failure(f"target {self.name} has no CPU model {name!r}; it has: {known}")


def _riscv_cpus():
    """With and without V, Zvkb and Zbb, at every VLEN that QEMU has.

    Agnostic elements are filled with ones, so that code which relies on their old values fails.
    """

    def cpu(name, *, vlen=0, zbb=False, zvkb=False, half=False):
        flags = {"v": vlen > 0, "zvkb": zvkb, "zba": zbb, "zbb": zbb}
        model = "rv64," + ",".join(f"{k}={str(v).lower()}" for k, v in flags.items())
        if vlen:
            model += f",vlen={vlen},rvv_ta_all_1s=true,rvv_ma_all_1s=true"
        if half:
            model += ",rvv_vl_half_avl=true"
        return Cpu(name, model, frozenset(k for k, v in flags.items() if v))

    yield cpu("rv64gc")
    yield cpu("zbb", zbb=True)
    for vlen in 128, 256, 512, 1024:
        yield cpu(f"rvv{vlen}", vlen=vlen)
        yield cpu(f"zvkb{vlen}", vlen=vlen, zbb=True, zvkb=True)
    # vl = ceil(AVL / 2) between VLMAX and twice VLMAX, which the V specification (6.3) allows.
    yield cpu("zvkb128half", vlen=128, zbb=True, zvkb=True, half=True)
    yield cpu("rvv256half", vlen=256, half=True)


def _features(*names):
    return frozenset(names)


_NEON = _features("neon")
_ALTIVEC = _features("altivec")
_POWER7 = _ALTIVEC | {"vsx"}
_POWER8 = _POWER7 | {"arch_2_07"}
_POWER9 = _POWER8 | {"arch_3_00"}
_POWER10 = _POWER9 | {"arch_3_1"}

_CORTEX_A7 = Cpu("cortex-a7", "cortex-a7", _NEON)
_CORTEX_A15 = Cpu("cortex-a15", "cortex-a15", _NEON)
_CORTEX_A53 = Cpu("cortex-a53", "cortex-a53", _NEON)
_CORTEX_A76 = Cpu("cortex-a76", "cortex-a76", _NEON)
_HOST = Cpu("host", None)
_970 = Cpu("970", "970fx", _ALTIVEC)

TARGETS = (
    Target(
        "riscv64",
        "riscv64",
        64,
        "little",
        "riscv64-linux-musl",
        runner="qemu-riscv64",
        cpus=tuple(_riscv_cpus()),
        root="riscv64",
    ),
    Target(
        "aarch64",
        "aarch64",
        64,
        "little",
        "aarch64-linux-musl",
        runner="qemu-aarch64",
        cpus=(_CORTEX_A53, _CORTEX_A76),
        root="arm64",
    ),
    Target(
        "aarch64_be",
        "aarch64",
        64,
        "big",
        "aarch64_be-linux-musl",
        runner="qemu-aarch64_be",
        cpus=(_CORTEX_A53,),
    ),
    Target(
        "armv7",
        "arm",
        32,
        "little",
        "arm-linux-musleabihf",
        flags=("-mcpu=cortex_a7",),
        runner="qemu-arm",
        cpus=(_CORTEX_A7, _CORTEX_A15),
        root="armhf",
    ),
    Target(
        # ARMv7 without NEON; zig's libc for this triple uses NEON registers, Debian's does not.
        "armv7-vfp",
        "arm",
        32,
        "little",
        "arm-linux-gnueabihf",
        compiler="gcc",
        packages=("gcc-arm-linux-gnueabihf", "libc6-dev-armhf-cross"),
        flags=("-march=armv7-a+fp",),
        runner="qemu-arm",
        cpus=(Cpu("cortex-a9-vfp", "cortex-a9,neon=off,vfp-d32=off"),),
    ),
    Target(
        "armeb",
        "arm",
        32,
        "big",
        "armeb-linux-musleabihf",
        flags=("-mcpu=cortex_a7",),
        runner="qemu-armeb",
        cpus=(_CORTEX_A7,),
    ),
    Target(
        "ppc64le",
        "ppc",
        64,
        "little",
        "powerpc64le-linux-musl",
        flags=("-mcpu=pwr8",),
        runner="qemu-ppc64le",
        root="ppc64el",
        cpus=(
            Cpu("power8", "power8", _POWER8),
            Cpu("power9", "power9", _POWER9),
            Cpu("power10", "power10", _POWER10),
        ),
    ),
    Target(
        # zig and musl: the ELFv2 calling convention.
        "ppc64",
        "ppc",
        64,
        "big",
        "powerpc64-linux-musl",
        flags=("-mcpu=970",),
        runner="qemu-ppc64",
        cpus=(
            _970,
            Cpu("power7", "power7", _POWER7),
            Cpu("power8", "power8", _POWER8),
            Cpu("power9", "power9", _POWER9),
            Cpu("power10", "power10", _POWER10),
        ),
    ),
    Target(
        # Debian's gcc and glibc: ELFv1, with function descriptors.
        "ppc64-elfv1",
        "ppc",
        64,
        "big",
        "powerpc64-linux-gnu",
        compiler="gcc",
        packages=("gcc-powerpc64-linux-gnu", "libc6-dev-ppc64-cross"),
        flags=("-mcpu=970",),
        support=("memset.c",),
        runner="qemu-ppc64",
        cpus=(
            _970,
            Cpu("power7", "power7", _POWER7),
            Cpu("power8", "power8", _POWER8),
            Cpu("power9", "power9", _POWER9),
            Cpu("power10", "power10", _POWER10),
        ),
    ),
    Target(
        "ppc32",
        "ppc",
        32,
        "big",
        "powerpc-linux-musleabihf",
        flags=("-mcpu=750",),
        runner="qemu-ppc",
        cpus=(Cpu("7450", "7450", _ALTIVEC), Cpu("750", "750")),
    ),
    Target(
        "s390x",
        "s390x",
        64,
        "big",
        "s390x-linux-musl",
        runner="qemu-s390x",
        cpus=(Cpu("z14", "max"),),
        root="s390x",
    ),
    Target(
        "i686",
        "i686",
        32,
        "little",
        "x86-linux-musl",
        runner="qemu-i386",
        cpus=(Cpu("max", "max"),),
    ),
    Target(
        "x86_64",
        "x86_64",
        64,
        "little",
        "x86_64-linux-musl",
        runner="qemu-x86_64",
        cpus=(
            _HOST,
            Cpu("haswell", "Haswell-noTSX", _features("avx2", "bmi2")),
            Cpu("nehalem", "Nehalem"),
        ),
    ),
    Target(
        "x86_64-avx512",
        "x86_64",
        64,
        "little",
        "x86_64-linux-musl",
        runner="bochs",
        cpus=(
            Cpu(
                "icelake",
                "corei7_icelake_u",
                _features(
                    "avx2", "bmi2", "avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512ifma"
                ),
                "an emulated machine without an operating system: tools/bochs",
            ),
        ),
    ),
    Target(
        "x86_64-windows",
        "x86_64",
        64,
        "little",
        "x86_64-windows-gnu",
        runner="wine",
        cpus=(_HOST,),
        suffix=".exe",
    ),
    Target("aarch64-macos", "aarch64", 64, "little", "aarch64-macos"),
    Target("x86_64-macos", "x86_64", 64, "little", "x86_64-macos"),
)


def target(name: str) -> Target:
    """The target of this name, or a Failure that lists the names."""
    for t in TARGETS:
        if t.name == name:
            return t
    raise Failure(f"no target {name!r}; there are: {', '.join(t.name for t in TARGETS)}")


def select(names) -> list[Target]:
    """The targets of these names in the table's order; all for None or "all"."""
    if not names or "all" in names:
        return list(TARGETS)
    wanted = {target(name).name for name in names}
    return [t for t in TARGETS if t.name in wanted]


def host_features() -> frozenset[str]:
    """What this machine's own CPU and operating system offer, from /proc/cpuinfo.

    Linux names a flag there only where both the CPU and the kernel's XSAVE support allow its use,
    and uses features.def's names for x86-64.
    """
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return frozenset(line.split(":", 1)[1].split())
    raise Failure("/proc/cpuinfo shows no CPU flags: is this an x86-64 Linux machine?")
