"""What is in the objects, compiled C included: instructions of the declared features and no others.

A kernel may use the features that every row which names it needs; everything else only what its
target has anyway. csrc/cpu_trial.c, which tries one instruction of each feature in a child process,
is exempt.
"""

import re

import native
import pytest
from sources import TARGETS, disassemble, llvm_objdump

EXEMPT = "csrc/cpu_trial.c"


def allowed_features(rows, arch):
    """{kernel symbol: the features that every row which names it needs}."""
    allowed = {}
    for row in rows:
        if row.arch == arch:
            for symbol in row.symbols:
                allowed[symbol] = allowed.get(symbol, row.features) & row.features
    return {s: f for s, f in allowed.items() if not s.endswith("_generic")}


# ---- disassemblers that can be told what a CPU has -----------------------------------------------

RISCV = {"v": "+v", "zvkb": "+zvkb", "zba": "+zba", "zbb": "+zbb"}
POWER = (  # from the newest; GNU's names
    ("arch_3_1", "power10"),
    ("arch_3_00", "power9"),
    ("arch_2_07", "power8"),
    ("vsx", "power7"),
)


def command(name, arch, features, is_c, path):
    """The command line that disassembles for a CPU with these features."""
    if arch == "riscv64":
        known = "+m,+a,+f,+d,+c,+zicsr,+zifencei"
        extra = "".join(f",{RISCV[f]}" for f in sorted(features))
        return [llvm_objdump(), "-d", "--no-show-raw-insn", f"--mattr={known}{extra}", path]
    if arch == "aarch64":
        # Advanced SIMD belongs to the base architecture as compilers see it.
        return [llvm_objdump(), "-d", "--no-show-raw-insn", "--mcpu=generic", path]
    if arch == "arm":
        # Compiled for Cortex-A7, C may use NEON as well: the target says so, no row does.
        neon = "+neon,+d32" if "neon" in features or is_c else "-neon,-d32,+vfp3d16"
        return [
            *(llvm_objdump(), "-d", "--no-show-raw-insn", "--triple=armv7a"),
            *(f"--mattr={neon}", path),
        ]
    if arch == "ppc":
        options = {"ppc32": "ppc,32", "ppc64": "ppc64,64", "ppc64le": "ppc64,64"}[name]
        if is_c and name == "ppc64le":
            options = "power8,64"  # the target's own baseline
        elif is_c and name == "ppc64":
            options += ",altivec"  # a 970
        for feature, cpu in POWER:
            if feature in features:
                options = f"{cpu},{options[-2:]}"
                break
        else:
            if "altivec" in features:
                options += ",altivec"
        objdump = native.tool("powerpc64-linux-gnu-objdump")
        return [objdump, "-d", "--no-show-raw-insn", f"-M{options}", path]
    assert arch == "x86_64"
    return [llvm_objdump(), "-d", "--no-show-raw-insn", path]


UNKNOWN = re.compile(
    r"<unknown>|^\.(long|word|insn|inst|4byte|2byte|short|byte)\b|\(bad\)|undefined"
)


# ---- x86-64: disassemblers decode everything, so mnemonics and registers tell --------------------

X86_BASE = re.compile(
    r"""^(?:(?:rep|repz|repnz|repe|repne|lock|data16|notrack|cs|ds)\s+)*(?:
    mov[bwlqsz]*|movabsq?|mov[sz][bwl][wlq]|movslq|lea[wlq]|push[fq]*|pop[fq]*|xchg[bwlq]|bswap[lq]
    |add[bwlq]|sub[bwlq]|adc[bwlq]|sbb[bwlq]|inc[bwlq]|dec[bwlq]|neg[bwlq]|not[bwlq]|cmp[bwlq]|test[bwlq]
    |and[bwlq]|or[bwlq]|xor[bwlq]|sh[lr]d?[bwlq]|sa[lr][bwlq]|ro[lr][bwlq]|rc[lr][bwlq]
    |i?mul[bwlq]|i?div[bwlq]|bt[rsc]?[wlq]|bs[fr][wlq]
    |j\w+|call[q*]*|ret[q]?|leave|set\w+|cmov\w+|nop[wlq]?|ud2|int3|endbr64|cpuid|xgetbv|cld|std|clc|stc
    |cltq|cltd|cqto|cwtl|cbtw|stos[bwlq]|movs[bwlq]|lods[bwlq]|pause|fence|[lms]fence|syscall|hlt
    |stmxcsr|ldmxcsr
    |mov(?:aps|ups|apd|upd|dqa|dqu|d|q|ss|sd|hps|lps|hpd|lpd|hlps|lhps|mskps|mskpd|nti|ntdq|ntps)
    |xorps|xorpd|andps|andpd|andnps|orps|orpd|shufps|shufpd|unpck[lh]p[sd]
    |(?:add|sub|mul|div|sqrt|min|max)[sp][sd]|u?comis[sd]|cvt\w+
    |padd[bwdq]|psub[bwdq]|pand|pandn|por|pxor|pmuludq|pmul[lh]u?w|pmaddwd|psadbw|pavg[bw]
    |padd[us]s?[bw]|psub[us]s?[bw]|pmaxub|pmaxsw|pminub|pminsw|pmovmskb|packssdw|packsswb|packuswb
    |ps[lr]l(?:[wdq]|dq)|psra[wd]|pshuf(?:d|lw|hw)|punpck[lh](?:bw|wd|dq|qdq)|pcmp(?:eq|gt)[bwd]
    |pextrw|pinsrw
    )$""",
    re.VERBOSE,
)
X86_BMI2 = re.compile(r"^(mulx|rorx|shlx|shrx|sarx|bzhi|pdep|pext)[lq]?$")
# AVX-512's own mnemonics, whatever registers they name.
X86_EVEX = re.compile(
    r"^v(pro[lr]|pternlog|permt2|permi2|alignd|alignq|shuff\d|shufi\d|pmull?q$|pmadd52|movdqu(8|16|32|64)"
    r"|movdqa(32|64)|p(and|andn|or|xor)[dq]$|extract[fi](32|64)x|insert[fi](32|64)x"
    r"|broadcast[fi](32|64)x|pexpand|pcompress|ptestn?m|psraq|pabsq|pmov[a-z]*2|pmaxs?u?q|pminsuq|blendm"
    r"|pblendm|permb$|permw$|pcmp[us]?[bwdq]$|pcmpu[bwdq]$)"
)


def x86_needs(text):
    """The features, in features.def's names, that an instruction needs; None: it is unknown."""
    mnemonic, _, operands = text.partition("\t")
    mnemonic = mnemonic.strip()
    while prefix := re.match(r"^(\{evex\}|\{vex\}|rep\w*|lock|notrack|data16)\s+", mnemonic):
        mnemonic = mnemonic[prefix.end() :]
    operands = operands.split("#")[0]
    mask = re.search(r"%k[0-7]\b", operands)
    if X86_BMI2.match(mnemonic):
        return {"bmi2"}
    if mnemonic.startswith("k") and mask:
        return {"avx512bw"} if mnemonic[-1] in "dq" else {"avx512f"}
    if mnemonic.startswith("v"):
        wide = "%zmm" in operands
        evex = (
            X86_EVEX.match(mnemonic) or mask or wide
            or re.search(r"%[xy]mm(1[6-9]|2\d|3[01])\b", operands)
            or "{1to" in operands
        )  # fmt: skip
        if not evex:
            return {"avx2"}
        needs = {"avx512f"} if wide else {"avx512f", "avx512vl"}
        if re.match(r"^vpmadd52", mnemonic):
            needs.add("avx512ifma")
        if re.match(r"^(vpmullq|v(extract|insert|broadcast)[fi](64x2|32x8|32x2)$)", mnemonic):
            needs.add("avx512dq")
        if re.match(
            r"^v(movdqu(8|16)|pshuf(b|hw|lw)|permw|permt2w|permi2w|pblendm[bw]|ps[lr]ldq)", mnemonic
        ):
            needs.add("avx512bw")
        if re.match(r"^v(permb|permt2b|permi2b|pmultishift|pexpand[bw]|pcompress[bw])", mnemonic):
            needs.add("avx512vbmi")
        return needs
    return set() if X86_BASE.match(mnemonic) else None


def x86_violation(text, features):
    needs = x86_needs(text)
    if needs is None:
        return "is not in the list of baseline instructions"
    # A CPU with AVX-512F has AVX2 (Intel SDM volume 1, 15.2: software checks both).
    lacking = needs - features - ({"avx2"} if "avx512f" in features else set())
    return f"needs {', '.join(sorted(lacking))}" if lacking else None


# ---- the tests -----------------------------------------------------------------------------------


def violations(name, arch, source, path, allowed):
    """(number of instructions, [what is wrong]) of one object."""
    is_c = source.startswith("csrc/")
    base = disassemble(command(name, arch, frozenset(), is_c, path))
    per_features = None if arch == "x86_64" else {frozenset(): base}
    # What stands under a label of its own in a kernel's file is the kernels': it gets what all of
    # the file's kernels may use together.
    here = [allowed[s] for s, _ in base if s in allowed]
    local = frozenset().union(*here) if here else frozenset()
    wrong = []
    for i, (symbol, text) in enumerate(base):
        features = allowed.get(symbol, local)
        if per_features is None:
            if problem := x86_violation(text, features):
                wrong.append(f"{source} <{symbol}>: {text} {problem}")
            continue
        if features not in per_features:
            listing = disassemble(command(name, arch, features, is_c, path))
            assert len(listing) == len(base), f"{source}: objdump loses its place"
            per_features[features] = listing
        text = per_features[features][i][1]
        if UNKNOWN.search(text) and not data(arch, text):
            may = ", ".join(sorted(features)) or "nothing beyond the target"
            wrong.append(f"{source} <{symbol}>: instruction {i}: {text} with {may}")
    return len(base), wrong


def data(arch, text):
    """Constants among the code: Arm's literal pools, which mapping symbols mark."""
    return arch == "arm" and text.startswith(".word")


@pytest.mark.parametrize("name", TARGETS)
def test_objects_hold_only_what_their_features_allow(name, rows, objects):
    from testbed.targets import target

    arch = target(name).arch
    allowed = allowed_features(rows, arch)
    instructions, wrong, seen = 0, [], set()
    for source, path in objects(name).items():
        if source == EXEMPT:
            continue
        count, found = violations(name, arch, source, path, allowed)
        instructions += count
        wrong += found
        if count:
            seen.add(source)
    assert instructions > 1000, f"{name}: only {instructions} instructions found: no objects?"
    assert "csrc/chacha20_generic.c" in seen
    with_rows = {s for s in seen if s.startswith(f"asm/{arch}/")}
    assert bool(with_rows) == any(row.arch == arch for row in rows)
    assert not wrong, f"{len(wrong)} instructions: " + "; ".join(wrong[:10])


FOREIGN = {
    # one instruction beyond each architecture's baseline
    "x86_64": "vpaddd %ymm0, %ymm1, %ymm2",
    "x86_64-windows": "vpaddd %ymm0, %ymm1, %ymm2",
    "aarch64": ".arch_extension sha2\n sha256h q0, q1, v2.4s",
    "armv7": ".fpu neon\n .arm\n vadd.i32 q0, q1, q2",
    "riscv64": ".option arch, +v, +zvkb\n vror.vi v0, v0, 1",
    "ppc64le": ".long 0x10000023",  # vmsumudm v0, v0, v0, v0
    "ppc64": ".long 0x100000c0",  # vaddudm v0, v0, v0
    "ppc32": ".long 0x10000080",  # vadduwm v0, v0, v0
}


@pytest.mark.parametrize("name", TARGETS)
def test_an_instruction_without_its_feature_is_noticed(name, tmp_path):
    from testbed.build import build
    from testbed.targets import target

    source = tmp_path / "foreign.S"
    source.write_text(f".text\n.globl fc_probe\nfc_probe:\n {FOREIGN[name]}\n")
    path = build(target(name), [source], name=f"foreign-{name}", link=False)
    arch = target(name).arch
    count, wrong = violations(name, arch, "asm/foreign.S", path, {})
    assert count == 1
    assert len(wrong) == 1, "the disassembly lets it pass"


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("addq\t%rax, %rbx", set()),
        ("paddd\t%xmm0, %xmm1", set()),
        ("pshufb\t%xmm0, %xmm1", None),
        ("popcntq\t%rax, %rax", None),
        ("mulxq\t%rax, %rbx, %rcx", {"bmi2"}),
        ("vpaddd\t%ymm0, %ymm1, %ymm2", {"avx2"}),
        ("vpaddd\t%ymm0, %ymm16, %ymm2", {"avx512f", "avx512vl"}),
        ("vprold\t$7, %zmm0, %zmm1", {"avx512f"}),
        ("vprold\t$7, %ymm0, %ymm1", {"avx512f", "avx512vl"}),
        ("vpmadd52luq\t%zmm0, %zmm1, %zmm2", {"avx512f", "avx512ifma"}),
        ("vmovdqu8\t(%rax), %zmm0 {%k1} {z}", {"avx512f", "avx512bw"}),
        ("kmovq\t%rax, %k1", {"avx512bw"}),
    ],
)
def test_what_an_x86_instruction_needs(text, needs):
    assert x86_needs(text) == needs
