"""What a call of a kernel executes, instruction by instruction, by QEMU's execution trace."""

import os
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from testbed import build
from testbed.common import Failure, call
from testbed.provision import llvm
from testbed.targets import Cpu, Target

LLVM_TRIPLE = {
    ("riscv64", "little"): "riscv64",
    ("aarch64", "little"): "aarch64",
    ("aarch64", "big"): "aarch64_be",
    ("arm", "little"): "armv7",
    ("arm", "big"): "armebv7",
    ("ppc", "little"): "powerpc64le",
    ("ppc", "big"): "powerpc64",
    ("s390x", "big"): "s390x",
    ("i686", "little"): "i686",
    ("x86_64", "little"): "x86_64",
}
LABEL = ".Lcost"
LLVM_ATTRIBUTES = {
    "riscv64": "+m,+a,+f,+d,+c,+zba,+zbb,+v,+zvkb",
    "arm": "+neon",
    "ppc": "+altivec,+vsx,+power8-vector,+power9-vector,+power10-vector",
}


def llvm_triple(target: Target) -> str:
    """The machine whose code LLVM's tools read."""
    triple = "powerpc" if target.name == "ppc32" else LLVM_TRIPLE[target.arch, target.order]
    return f"{triple}-linux-gnu"


def entries(target: Target, cpu: Cpu, program: Path, args, log: str = "exec"):
    """Each instruction that a program executes: (its address, the lines that QEMU logged with it).

    log: what QEMU is to log; with "exec,cpu" the lines are the registers before the instruction.
    """
    if cpu.model is None:
        raise Failure(f"{target.name}/{cpu.name} runs without QEMU: nothing to trace")
    reader, writer = os.pipe()
    options = ["-one-insn-per-tb", "-d", f"{log},nochain", "-D", f"/dev/fd/{writer}"]
    line = build.command(target, cpu, program, [str(a) for a in args], qemu_args=options)
    with subprocess.Popen(
        line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, pass_fds=[writer], text=True
    ) as process:
        os.close(writer)
        address, lines = None, []
        with open(reader, "rb", buffering=1 << 20) as file:
            for entry in file:
                if not entry.startswith(b"Trace"):
                    lines.append(entry)
                    continue
                if address is not None:
                    yield address, lines
                # Trace 0: host address [.../guest address/flags/...] symbol
                address, lines = int(entry.split(b"/", 2)[1], 16), []
        if address is not None:
            yield address, lines
        message = process.stderr.read()
    if process.returncode:
        raise Failure(f"{' '.join(line)}: exit status {process.returncode}\n{message}")


def executed(target: Target, cpu: Cpu, program: Path, args, mark: int) -> list[list[int]]:
    """The addresses of the instructions executed between one passage of `mark` and the next.

    One list for each two passages; what comes before the first and after the last is left out.
    """
    stretches: list[list[int]] = []
    for address, _ in entries(target, cpu, program, args):
        if address == mark:
            stretches.append([])
        elif stretches:
            stretches[-1].append(address)
    return stretches[:-1]


@dataclass(frozen=True)
class Loop:
    """The steady-state iteration of a call's main loop."""

    addresses: tuple[int, ...]
    """What one iteration executes, inner loops unrolled."""
    iterations: int
    share: float
    """Of all that the call executed, the part that these iterations are."""
    before: tuple[int, ...]
    """What was executed before the first of these iterations."""


def main_loop(executed: list[int]) -> Loop | None:
    """The loop whose most frequent iteration makes up most of what was executed.

    Iterations are cut at each passage of a loop's first instruction (one that is reached by a
    jump backwards). None where no iteration repeats twice at least.
    """
    heads = {b for a, b in pairwise(executed) if b <= a}
    passages = defaultdict(list)
    for position, address in enumerate(executed):
        if address in heads:
            passages[address].append(position)
    best, weight = None, 0
    for positions in passages.values():
        if len(positions) < 3:
            continue
        kinds = defaultdict(list)
        for start, end in pairwise(positions):
            kinds[tuple(executed[start:end])].append(start)
        body, starts = max(kinds.items(), key=lambda kind: len(kind[0]) * len(kind[1]))
        covered = len(body) * len(starts)
        # Of loops that cover the same, the shortest iteration.
        if len(starts) >= 2 and (covered, -len(body)) > (weight, -len(best[0]) if best else 0):
            best, weight = (body, starts), covered
    if best is None:
        return None
    body, starts = best
    return Loop(body, len(starts), weight / len(executed), tuple(executed[: starts[0]]))


_LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S.*)$")
_COMMENT = re.compile(r"\s+(//|[@#;])\s.*$")
_REMARK = re.compile(r"\s<[^>]*>$")
_PLACE = re.compile(r"(-?0x)?[0-9a-f]+ <[^>]*>")


class Disassembly:
    """A program's instructions as text that LLVM's assembler reads."""

    def __init__(self, target: Target, program: Path):
        self._text = {}
        listing = call(
            [llvm("objdump"), "-d", "--no-show-raw-insn", "--no-print-imm-hex",
             f"--triple={llvm_triple(target)}",
             f"--mattr={LLVM_ATTRIBUTES.get(target.arch, '')}", program],
            what=f"disassembling {program.name}",
        )  # fmt: skip
        for line in listing.splitlines():
            if found := _LINE.match(line):
                text = _COMMENT.sub("", found[2].replace("\t", " "))
                # A jump's target means nothing in a piece of text: any label will do.
                text = _REMARK.sub("", _PLACE.sub(LABEL, text))
                self._text[int(found[1], 16)] = text.strip()

    def __getitem__(self, address: int) -> str:
        return self._text[address]


def symbol(program: Path, name: str) -> int:
    """The address of a symbol."""
    listing = call([llvm("nm"), program], what=f"reading the symbols of {program.name}")
    for line in listing.splitlines():
        address, *_, found = line.split()
        if found == name:
            return int(address, 16)
    raise Failure(f"{program.name} has no symbol {name}")
