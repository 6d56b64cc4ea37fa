"""Modelled cycles: llvm-mca on what a kernel executed.

The models know no caches, no misalignment, no store forwarding and no branch misses;
docs/testing.md says how far to trust each.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from testbed.common import Failure, call
from testbed.provision import LLVM, llvm
from testbed.targets import Target

from cost.trace import LABEL, Disassembly, llvm_triple

ITERATIONS = 50
LEAST = 3
LONGEST = 200_000
"""Instructions that llvm-mca simulates at most: a very long iteration is repeated less often."""


@dataclass(frozen=True)
class Model:
    """A CPU that llvm-mca has a scheduling model for."""

    name: str
    vlen: int = 0
    """RISC-V: the vector length in bits that the model means; 0: it has no vectors."""


MODELS = {
    "riscv64": (
        Model("spacemit-x60", 256),
        Model("sifive-x280", 512),
        Model("sifive-p470", 128),
        Model("sifive-p670", 128),
        Model("sifive-u74"),
    ),
    # Left out: cortex-a72 and a76, which are the a57 over again, and apple-m1, which issues one
    # scalar operation a cycle (silicon: six).
    "aarch64": tuple(
        map(Model, ("cortex-a53", "cortex-a55", "cortex-a57", "neoverse-n1", "neoverse-n2"))
    ),
    # cortex-a15 is the a9 over again.
    "arm": (Model("cortex-a9"),),
    "ppc": (Model("pwr8"), Model("pwr9"), Model("pwr10")),
    "x86_64": (Model("haswell"), Model("znver3"), Model("znver4"), Model("icelake-server")),
    "i686": (Model("haswell"),),
}


def models(target: Target, names) -> list[Model]:
    """The target's models, or those of these names (any that llvm-mca knows)."""
    known = {m.name: m for m in MODELS.get(target.arch, ())}
    return [known.get(n, Model(n)) for n in names] if names else list(known.values())


def llvm_version() -> str:
    """llvm-mca's version ("22.1.8")."""
    text = call([llvm("mca"), "--version"], what="asking llvm-mca's version")
    found = re.search(rf"version ({LLVM}\.\d+\.\d+)", text)
    if not found:
        raise Failure(f"{llvm('mca')} is not of release {LLVM}:\n{text}")
    return found[1]


def region(target: Target, addresses, before, code: Disassembly) -> str:
    """What was executed at these addresses, after those before, as text for llvm-mca."""
    lines = [f"{LABEL}:"]
    if target.arch == "riscv64":
        # llvm-mca takes the largest LMUL until it meets a vsetvli: tell it the one in force.
        for address in reversed(before):
            if found := re.match(r"vseti?vli .*\b(e\d+), *(mf?\d)", code[address]):
                lines.append(f"# LLVM-MCA-RISCV-LMUL {found[2].upper()}")
                lines.append(f"# LLVM-MCA-RISCV-SEW {found[1].upper()}")
                break
    lines += [code[address] for address in addresses]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Modelled:
    """What llvm-mca says of one iteration."""

    cycles: float
    ignored: dict[str, int]
    """Instructions that the model has no schedule for and that were left out, by mnemonic."""


def cycles(target: Target, model: Model, source: Path) -> Modelled:
    """Models one iteration; Failure where the model cannot do it.

    A model may lack the schedule of some instruction of its CPU (POWER8's lacks mtctr): up to one
    instruction in a hundred is left out for that, and named in the result.
    """
    lines = source.read_text().splitlines()
    count, ignored = len(lines), {}
    iterations = max(LEAST, min(ITERATIONS, LONGEST // count))
    while True:
        status, output = _mca(target, model, lines, iterations)
        if status == 0:
            break
        lacking = re.search(r"^note: instruction:\s+(\S+)", output, re.MULTILINE)
        if "lack-sched" not in output or not lacking:
            reasons = re.findall(r"error: (.*)\n(.*)", output) or [(output.strip(), "")]
            raise Failure(f"{model.name}: {': '.join(reasons[0]).strip()}")
        mnemonic = lacking[1]
        kept = [line for line in lines if line.split()[0] != mnemonic]
        ignored[mnemonic] = len(lines) - len(kept)
        if sum(ignored.values()) * 100 > count or not ignored[mnemonic]:
            raise Failure(f"{model.name}: no schedule for {', '.join(ignored)}")
        lines = kept
    found = re.search(r"^Total Cycles:\s+(\d+)", output, re.MULTILINE)
    if not found:
        raise Failure(f"{model.name}: llvm-mca has no model for it")
    return Modelled(int(found[1]) / iterations, ignored)


def _mca(target: Target, model: Model, lines: list[str], iterations: int) -> tuple[int, str]:
    # No attributes beyond the CPU's own, so that code which it cannot run is refused. (Cortex-A9
    # comes with and without NEON.)
    attributes = ["--mattr=+neon"] if target.arch == "arm" else []
    done = subprocess.run(
        [llvm("mca"), f"--mtriple={llvm_triple(target)}", f"--mcpu={model.name}", *attributes,
         f"--iterations={iterations}", "--instruction-info=false", "--resource-pressure=false"],
        capture_output=True, check=False, input="\n".join(lines) + "\n", text=True,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr
