"""Constant time on every architecture: the same instructions and addresses whatever the secrets.

Runs tests/ct (built with FC_CT_TRACE) under QEMU, one instruction at a time, with the registers
before each, and compares three runs of all kernels of a row with different secrets: random bytes,
all zeros, all ones. What is executed must be the same, and so must each register that an executed
instruction's address, stride or vector length comes from. That is a check and no proof: what no
run of the three does is not seen.
"""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

from cost.trace import Disassembly, entries, symbol

from testbed import build, targets
from testbed.common import ROOT, Failure, say
from testbed.targets import Cpu, Target

SOURCE = ROOT / "tests/ct/ct.c"
VARIANTS = 3


class Arm64:
    """AArch64: registers in brackets."""

    label = staticmethod(lambda name: " SP" if name == "sp" else f"X{int(name[1:]):02}")

    @staticmethod
    def registers(text):
        """The registers that an instruction's addresses come from."""
        inside = re.findall(r"\[([^]]*)\]", text)
        return re.findall(r"\b[xw]\d+\b|\bsp\b", " ".join(inside))


class Arm32:
    """ARMv7: registers in brackets, or the base of a multiple load or store."""

    @staticmethod
    def label(name):
        """The register's name in QEMU's trace."""
        names = {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "sp": 13, "lr": 14, "pc": 15}
        return f"R{names.get(name) or int(name[1:]):02}"

    @staticmethod
    def registers(text):
        """The registers that an instruction's addresses come from."""
        if re.match(r"v?(push|pop)", text):
            return ["sp"]
        if found := re.match(r"v?(?:ldm|stm)\w* (\w+)", text):
            return [found[1]]
        inside = re.findall(r"\[([^]]*)\]", text)
        return re.findall(r"\b(?:r\d+|sb|sl|fp|ip|sp|lr|pc)\b", " ".join(inside))


class RiscV:
    """RV64: registers in parentheses, strides, and the length asked for."""

    label = staticmethod(lambda name: f"/{name} ")

    @staticmethod
    def registers(text):
        """The registers that an instruction's addresses and vector lengths come from."""
        mnemonic, _, operands = text.partition(" ")
        if re.match(r"v[ls][uo]x", mnemonic):
            raise Failure(f"{text}: addresses from a vector, which cannot be followed")
        found = re.findall(r"\((\w+)\)", operands)
        if re.match(r"v[ls]s(seg\d)?e?\d*\.v", mnemonic):
            found.append(operands.replace(" ", "").split(",")[2])
        if mnemonic in ("vsetvli", "vsetvl"):
            found += [r for r in operands.replace(" ", "").split(",")[1:] if r[0] in "ast"]
        return [r for r in found if r != "zero" and not re.fullmatch(r"e\d+|m\w+|t[au]", r)]


class Power:
    """Power: displacement and register, or the last two operands of indexed instructions."""

    label = staticmethod(lambda name: name)

    @staticmethod
    def registers(text):
        """The registers that an instruction's addresses come from; 0 as a base is the number."""
        mnemonic, _, operands = text.partition(" ")
        if found := re.search(r"\((\d+)\)", operands):
            return [found[1]] if found[1] != "0" else []
        if re.match(r"(l|st|dcb|icb)\w*x\w*$|dcb|icb|lv|stv|s?txvl|lxvl", mnemonic):
            *_, base, index = ["0", *operands.replace(" ", "").split(",")]
            return [r for r in (base if base != "0" else "", index) if r.isdigit()]
        return []


class S390X:
    """s390x: registers in parentheses."""

    label = staticmethod(lambda name: f"R{int(name[2:]):02}")

    @staticmethod
    def registers(text):
        """The registers that an instruction's addresses come from; `la` only adds."""
        if re.match(r"lay? ", text):
            return []
        inside = re.findall(r"\(([^)]*)\)", text)
        return re.findall(r"%r\d+", " ".join(inside))


ARCHITECTURES = {"aarch64": Arm64, "arm": Arm32, "riscv64": RiscV, "ppc": Power, "s390x": S390X}
"""x86 is valgrind's (tests/ct/test_ct.py)."""


def _value(arch, dump: bytes, name: str) -> bytes:
    """A register's value in QEMU's dump before an instruction."""
    if arch is Power:
        line, column = divmod(int(name), 4)
        row = re.search(rb"^GPR%02d (.*)$" % (line * 4), dump, re.MULTILINE)
        return row[1].split()[column]
    found = re.search(re.escape(arch.label(name)).encode() + rb"[ =]*([0-9a-f]+)", dump)
    if not found:
        raise Failure(f"QEMU's trace has no register {name}:\n{dump.decode()}")
    return found[1]


def _runs(target: Target, cpu: Cpu, program: Path, listing, name: str) -> list[list[tuple]]:
    """For each run between two marks: (address, values of the registers that matter)."""
    arch, mark = ARCHITECTURES[target.arch], symbol(program, "ct_mark")
    wanted: dict[int, list[str]] = {}
    runs: list[list[tuple]] = []
    inside = False
    for address, lines in entries(target, cpu, program, [name], "exec,cpu"):
        if address == mark:
            inside = not inside
            if inside:
                runs.append([])
        if not inside:
            continue
        if (names := wanted.get(address)) is None:
            names = wanted[address] = arch.registers(listing[address])
        dump = b"".join(lines) if names else b""
        runs[-1].append((address, *(_value(arch, dump, name) for name in names)))
    if len(runs) != VARIANTS or inside:
        raise Failure(f"{program.name} {name}: {len(runs)} runs instead of {VARIANTS}")
    return runs


def _difference(runs: list[list[tuple]], listing) -> str:
    """Where the runs first differ; "" if they do not."""
    first, *others = runs
    for number, other in enumerate(others, 1):
        for step, (a, b) in enumerate(zip_longest(first, other)):
            if a != b:
                where = (a or b)[0]
                before = listing[first[step - 1][0]] if step else ""
                what = (
                    f"the address {[v.decode() for v in a[1:]]} is {[v.decode() for v in b[1:]]}"
                    if a and b and a[0] == b[0]
                    else f"another instruction runs (after `{before}`)"
                )
                return (
                    f"with the secrets of run {number}, at step {step}, {where:#x}"
                    f" `{listing[where]}`: {what}"
                )
    return ""


def _row(target: Target, cpu: Cpu, program: Path, listing, name: str) -> tuple[bool, str]:
    """Checks one row (or --leak, which must be found) and says how it went."""
    begin = time.monotonic()
    leaking = name == "--leak"
    try:
        runs = _runs(target, cpu, program, listing, name)
        found = _difference(runs, listing)
    except Failure as failure:
        ok, told = False, str(failure)
    else:
        ok = bool(found) == leaking
        if leaking:
            told = "the leak was found" if found else "THE LEAK WAS NOT FOUND"
        else:
            told = found or f"{len(runs[0]):,} instructions, three secrets, one trace"
    say(
        f"{'ok' if ok else 'FAILED':<7}{target.name + '/' + cpu.name:<26}"
        f"{time.monotonic() - begin:6.1f} s  {name}: {told}"
    )
    return ok, name


def _jobs(target: Target, options):
    """The arguments of _row for all that is to be checked on a target: each row on the least CPU
    model that has what it needs, and the leak."""
    flags = ["-DFC_CT_TRACE", "-Wno-unused-function"]
    program = build.build(target, [SOURCE, *build.library_sources()], flags, name="ct")
    models = [target.cpu(name) for name in options.cpu or ()] or target.cpus
    models = sorted((c for c in models if c.model), key=lambda cpu: len(cpu.features))
    jobs = {"--leak": models[0]}
    for cpu in models:
        told = build.run(target, cpu, program, timeout=120)
        if told.returncode:
            raise Failure(f"{program.name} on {cpu.name}: exit status {told.returncode}")
        for name in re.findall(r"^row (\w+)$", told.stdout, re.MULTILINE):
            if not options.row or name in options.row:
                jobs.setdefault(name, cpu)
    listing = Disassembly(target, program)
    return [(target, cpu, program, listing, name) for name, cpu in jobs.items()]


def run(options) -> int:
    """Checks every row on every target that QEMU runs and this file knows; sums up."""
    chosen = [t for t in targets.select(options.target) if t.arch in ARCHITECTURES]
    chosen = [t for t in chosen if (t.runner or "").startswith("qemu")]
    if not chosen:
        raise Failure(f"none of these targets has one of: {', '.join(ARCHITECTURES)}")
    with ThreadPoolExecutor(options.jobs) as pool:
        jobs = [job for jobs in pool.map(lambda t: _jobs(t, options), chosen) for job in jobs]
        outcomes = list(pool.map(lambda job: _row(*job), jobs))
    passed, ran = sum(ok for ok, _ in outcomes), {name for _, name in outcomes}
    missing = [name for name in options.row or () if name not in ran]
    for name in missing:
        print(f"FAILED: no target here ran the row {name}")
    print(f"{passed} passed, {len(outcomes) - passed + len(missing)} failed")
    return int(passed < len(outcomes) or bool(missing))
