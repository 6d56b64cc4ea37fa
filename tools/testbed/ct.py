"""Constant time on every architecture: the same instructions and addresses whatever the secrets.

Runs tests/ct (built with FC_CT_TRACE) under QEMU, one instruction at a time, with the registers
before each, and compares three runs of all kernels of a row with different secrets: random bytes,
all zeros, all ones. What is executed must be the same, and so must each register that an executed
instruction's address, stride or vector length comes from. That is a check and no proof: what no
run of the three does is not seen.
"""

import os
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

from cost.trace import Disassembly, symbol

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


def _stretches(target: Target, cpu: Cpu, program: Path, args) -> list[list[tuple]]:
    """For each run between two marks: (address, values of the registers that matter)."""
    arch = ARCHITECTURES[target.arch]
    listing, mark = Disassembly(target, program), symbol(program, "ct_mark")
    wanted: dict[int, list[str]] = {}
    reader, writer = os.pipe()
    options = ["-one-insn-per-tb", "-d", "exec,cpu,nochain", "-D", f"/dev/fd/{writer}"]
    line = build.command(target, cpu, program, args, qemu_args=options)
    result: list[list[tuple]] = []
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=[writer], text=True
    ) as process:
        os.close(writer)
        address, dump, inside = None, [], False

        def enter():
            """Notes the instruction whose trace has been read."""
            nonlocal inside
            if address == mark:
                inside = not inside
                if inside:
                    result.append([])
            if not inside:
                return
            if (names := wanted.get(address)) is None:
                names = wanted[address] = arch.registers(listing[address])
            text = b"".join(dump) if names else b""
            result[-1].append((address, *(_value(arch, text, name) for name in names)))

        with open(reader, "rb", buffering=1 << 20) as log:
            for entry in log:
                if entry.startswith(b"Trace"):
                    if address is not None:
                        enter()
                    address, dump = int(entry.split(b"/", 2)[1], 16), []
                else:
                    dump.append(entry)
        message = process.stdout.read()
    if process.returncode:
        raise Failure(f"{' '.join(line)}: exit status {process.returncode}\n{message}")
    if len(result) != VARIANTS or inside:
        raise Failure(f"{' '.join(line)}: {len(result)} runs instead of {VARIANTS}")
    return result


def difference(target: Target, cpu: Cpu, program: Path, args) -> tuple[int, str]:
    """How many instructions one run executes, and where runs first differ ("": nowhere)."""
    first, *others = _stretches(target, cpu, program, args)
    for number, other in enumerate(others, 1):
        for step, (a, b) in enumerate(zip_longest(first, other)):
            if a != b:
                listing = Disassembly(target, program)
                where = (a or b)[0]
                before = listing[first[step - 1][0]] if step else ""
                what = (
                    f"the address {[v.decode() for v in a[1:]]} is {[v.decode() for v in b[1:]]}"
                    if a and b and a[0] == b[0]
                    else f"another instruction runs (after `{before}`)"
                )
                return len(first), (
                    f"with the secrets of run {number}, at step {step}, {where:#x}"
                    f" `{listing[where]}`: {what}"
                )
    return len(first), ""


def _row(target: Target, cpu: Cpu, program: Path, name: str) -> tuple[bool, str]:
    """Checks one row (or --leak, which must be found) and says how it went."""
    begin = time.monotonic()
    try:
        count, found = difference(target, cpu, program, [name])
    except Failure as failure:
        count, found, ok = 0, str(failure), False
    else:
        ok = bool(found) == (name == "--leak")
    told = found or f"{count:,} instructions, three secrets, one trace"
    if name == "--leak" and count:
        told = "the leak was found" if found else "THE LEAK WAS NOT FOUND"
    say(
        f"{'ok' if ok else 'FAILED':<7}{target.name + '/' + cpu.name:<26}"
        f"{time.monotonic() - begin:6.1f} s  {name}: {told}"
    )
    return ok, name


def _jobs(target: Target, options):
    """What is to be checked on a target: (CPU, program, row); each row on the least CPU model that
    has what it needs, and the leak."""
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
    return [(target, cpu, program, name) for name, cpu in jobs.items()]


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
