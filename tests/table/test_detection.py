"""Detection, with made-up answers of kernels and CPUs: the decode functions of csrc/cpu_<arch>.c.

They are pure and compile on every machine (FC_CPU_TEST), so that each architecture's is tested
here, wrong answers included.
"""

import ctypes

import native
import pytest


class Regs(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("eax", "ebx", "ecx", "edx")]


class X86_64(ctypes.Structure):
    _fields_ = [("leaf0", Regs), ("leaf1", Regs), ("leaf7", Regs), ("xcr0", ctypes.c_uint64)]


class Aarch64(ctypes.Structure):
    _fields_ = [("hwcap", ctypes.c_uint64), ("always", ctypes.c_int)]


class Arm(ctypes.Structure):
    _fields_ = [("hwcap", ctypes.c_uint64)]


class Ppc(ctypes.Structure):
    _fields_ = [("hwcap", ctypes.c_uint64), ("hwcap2", ctypes.c_uint64), ("is64", ctypes.c_int)]


class Riscv64(ctypes.Structure):
    _fields_ = [
        ("hwcap", ctypes.c_uint64),
        ("has_hwprobe", ctypes.c_int),
        ("ima_ext_0", ctypes.c_uint64),
        ("vset_legal", ctypes.c_int),
        ("cpuinfo", ctypes.c_char_p),
    ]


@pytest.fixture(scope="module")
def decode(tmp_path_factory, features):
    """A function (raw answers) -> set of feature names."""
    path = native.build(
        tmp_path_factory.mktemp("detection") / "detection.so",
        sorted(native.ROOT.glob("csrc/cpu_[!t]*.c")),
        "-DFC_CPU_TEST",
        "-shared",
        "-fPIC",
    )
    library = ctypes.CDLL(str(path))

    def decode(raw):
        arch = type(raw).__name__.lower()
        function = getattr(library, f"fc_cpu_decode_{arch}")
        function.restype = ctypes.c_uint64
        mask = function(ctypes.byref(raw))
        names = {name for name, bit in features[arch].items() if mask >> bit & 1}
        assert mask == sum(1 << features[arch][name] for name in names), "a bit without a name"
        return names

    return decode


def test_every_architecture_with_features_is_covered(features):
    assert set(features) == {c.__name__.lower() for c in (X86_64, Aarch64, Arm, Ppc, Riscv64)}


# ---- x86-64 (Intel SDM volume 2A, CPUID; volume 1, 13.3) -----------------------------------------
OSXSAVE = 1 << 27
YMM, ZMM = 0b110, 0b11100110
BITS = {
    "bmi2": 8, "avx2": 5, "avx512f": 16, "avx512dq": 17, "avx512ifma": 21, "avx512bw": 30,
    "avx512vl": 31,
}  # fmt: skip
AVX512 = {name for name in BITS if name.startswith("avx512")}


def x86(*names, osxsave=True, xcr0=ZMM, highest=7):
    ebx = sum(1 << BITS[name] for name in names)
    return X86_64(
        Regs(eax=highest),
        Regs(ecx=OSXSAVE if osxsave else 0),
        Regs(ebx=ebx),
        xcr0 if osxsave else 0,
    )


def test_x86_64_has_what_it_says(decode):
    assert decode(x86(*BITS)) == set(BITS)
    assert decode(x86("bmi2", "avx2")) == {"bmi2", "avx2"}
    assert decode(x86()) == set()


def test_x86_64_without_the_operating_systems_support(decode):
    """cpuid says AVX-512, but not all of its registers are saved."""
    assert decode(x86(*BITS, xcr0=YMM)) == {"bmi2", "avx2"}
    assert decode(x86(*BITS, xcr0=0b010)) == {"bmi2"}
    assert decode(x86(*BITS, xcr0=0b11100010)) == {"bmi2"}
    assert decode(x86(*BITS, osxsave=False)) == {"bmi2"}
    for missing in (0b100000, 0b1000000, 0b10000000):
        assert decode(x86(*BITS, xcr0=ZMM & ~missing)) == {"bmi2", "avx2"}


def test_x86_64_xcr0_does_not_count_without_osxsave(decode):
    raw = x86(*BITS, osxsave=False)
    raw.xcr0 = ZMM
    assert decode(raw) == {"bmi2"}


def test_x86_64_avx512f_without_ifma(decode, rows):
    """The early cores: the row avx512 is then not for them, avx2 is."""
    found = decode(x86(*(set(BITS) - {"avx512ifma"})))
    assert found == set(BITS) - {"avx512ifma"}
    by_name = {row.name: row for row in rows if row.arch == "x86_64"}
    assert by_name["avx2"].features <= found
    if "avx512" in by_name:
        assert by_name["avx512"].features == AVX512 | by_name["avx512"].features - AVX512
        assert not by_name["avx512"].features <= found


# ---- RISC-V (Linux Documentation/arch/riscv/hwprobe.rst) -----------------------------------------
HWCAP_V = 1 << (ord("v") - ord("a"))
V, ZBA, ZBB, ZVBB, ZVKB = 1 << 2, 1 << 3, 1 << 4, 1 << 17, 1 << 19


def riscv(*, hwcap=HWCAP_V, probe=None, vset=False, cpuinfo=None):
    return Riscv64(hwcap, probe is not None, probe or 0, vset, cpuinfo)


@pytest.mark.parametrize(
    "probe, found",
    [
        (0, set()),
        (V, {"v"}),
        (V | ZVKB, {"v", "zvkb"}),
        (V | ZVBB, {"v", "zvkb"}),
        (ZBA | ZBB, {"zba", "zbb"}),
        (V | ZBB | ZVKB, {"v", "zbb", "zvkb"}),
        (ZVKB | ZBB, {"zbb"}),  # Zvkb without V
    ],
)
def test_riscv64_hwprobe(decode, probe, found):
    assert decode(riscv(probe=probe)) == found


def test_riscv64_hwprobe_says_v_and_hwcap_does_not(decode):
    """Vectors switched off for this task (prctl): hwprobe goes on to report them."""
    assert decode(riscv(hwcap=0, probe=V | ZVKB | ZBB)) == {"zbb"}


def test_riscv64_draft_vectors(decode):
    """Kernels for cores with the 0.7.1 draft set the V bit of AT_HWCAP; vsetvli sets vill there."""
    assert decode(riscv(vset=False)) == set()
    assert decode(riscv(probe=0, vset=False)) == set()


def test_riscv64_without_hwprobe(decode):
    """Vendor kernels: the instruction decides. Zvkb cannot be asked for, so it is not assumed."""
    assert decode(riscv(vset=True)) == {"v"}
    assert decode(riscv(hwcap=0, vset=True)) == set()
    assert decode(riscv(probe=0, vset=True)) == set(), "hwprobe's word counts where there is one"


@pytest.mark.parametrize(
    "cpuinfo, found",
    [
        (b"processor\t: 0\nisa\t\t: rv64imafdc_zicsr_zba_zbb_zbs\nmmu\t: sv39\n", {"zba", "zbb"}),
        (b"isa\t\t: rv64imafdc_zbb\n", {"zbb"}),
        (b"isa\t\t: rv64imafdc_zbb", {"zbb"}),
        (b"isa\t\t: rv64imafdc\n", set()),
        (b"isa\t\t: rv64imafdc_zbbx_zbkb\n", set()),
        (b"hart isa\t: rv64imafdc_zbb\n", set()),
        (b"model\t: zbb_zba\nisa\t: rv64imafdc\n", set()),
        # Cores that differ: what all of them have.
        (b"isa\t: rv64i_zba_zbb\n\nprocessor\t: 1\nisa\t: rv64i_zba\n", {"zba"}),
        (b"isa\t: rv64i_zba_zbb\n\nprocessor\t: 1\nisa\t: rv6", set()),
        (b"", set()),
        (None, set()),
    ],
)
def test_riscv64_isa_line(decode, cpuinfo, found):
    assert decode(riscv(hwcap=0, cpuinfo=cpuinfo)) == found


def test_riscv64_isa_line_does_not_count_beside_hwprobe(decode):
    assert decode(riscv(probe=0, cpuinfo=b"isa\t: rv64imafdc_zba_zbb\n")) == set()


# ---- Arm ----------------------------------------------------------------------------------------
def test_aarch64(decode):
    assert decode(Aarch64(1 << 1, 0)) == {"neon"}
    assert decode(Aarch64(0, 1)) == {"neon"}
    assert decode(Aarch64(~(1 << 1) & (1 << 64) - 1, 0)) == set()
    assert decode(Aarch64(0, 0)) == set()


def test_arm(decode):
    assert decode(Arm(1 << 12)) == {"neon"}
    assert decode(Arm(~(1 << 12) & (1 << 64) - 1)) == set()


# ---- Power (Linux arch/powerpc/include/uapi/asm/cputable.h) --------------------------------------
ALTIVEC, VSX = 0x10000000, 0x00000080
ARCH_2_07, ARCH_3_00, ARCH_3_1 = 0x80000000, 0x00800000, 0x00040000


def test_ppc(decode):
    assert decode(Ppc(0, 0, 1)) == set()
    assert decode(Ppc(ALTIVEC, 0, 1)) == {"altivec"}
    assert decode(Ppc(ALTIVEC, 0, 0)) == {"altivec"}
    assert decode(Ppc(ALTIVEC | VSX, 0, 1)) == {"altivec", "vsx"}
    everything = Ppc(ALTIVEC | VSX, ARCH_2_07 | ARCH_3_00 | ARCH_3_1, 1)
    assert decode(everything) == {"altivec", "vsx", "arch_2_07", "arch_3_00", "arch_3_1"}


def test_ppc_32_bit_process_on_a_vector_cpu(decode):
    """Kernels of the 64-bit vector rows are never reachable there."""
    everything = Ppc(ALTIVEC | VSX, ARCH_2_07 | ARCH_3_00 | ARCH_3_1, 0)
    assert decode(everything) == {"altivec"}
