"""What a kernel costs: executed instructions per byte and modelled cycles per byte.

Instructions are those of one whole call, counted by QEMU: of the second of two calls, which is the
difference between two calls and one. Cycles are llvm-mca's, for what the same trace shows: one
steady-state iteration of the main loop or, where no loop makes up nearly all of the call, the whole
call. docs/testing.md says how far to trust them.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

from testbed import build, common, targets  # noqa: E402
from testbed.common import ROOT, Failure  # noqa: E402

from cost import model, trace  # noqa: E402

LARGEST = 1 << 18
"""Bytes that the driver's buffers hold."""
OPERATIONS = ("chacha20", "poly1305", "aead")
_VLEN = re.compile(r"^[a-z]+(\d+)$")


def _vlen(cpu: targets.Cpu) -> int:
    found = _VLEN.match(cpu.name) if "v" in cpu.features else None
    return int(found[1]) if found else 0


def _cpus(target: targets.Target, needs: set[str], vlens) -> list[targets.Cpu]:
    """The CPU models to count on: for RISC-V vectors one for each VLEN, else the one with most
    features."""
    able = [c for c in target.cpus if c.model and needs <= c.features]
    if not able:
        raise Failure(f"no emulated CPU of {target.name} has {', '.join(sorted(needs))}")
    able.sort(key=lambda c: len(c.features), reverse=True)
    if target.arch != "riscv64" or "v" not in needs:
        return able[:1]
    by_vlen = {}
    for cpu in able:
        if _vlen(cpu):
            by_vlen.setdefault(_vlen(cpu), cpu)
    wanted = vlens or sorted(by_vlen)
    if unknown := set(wanted) - set(by_vlen):
        raise Failure(f"QEMU has no VLEN {unknown}; it has {sorted(by_vlen)}")
    return [by_vlen[v] for v in sorted(wanted)]


class Bench:
    """The driver of one target and backend, and what its calls execute."""

    def __init__(self, target: targets.Target, backend: str):
        here = Path(__file__).parent
        self.target, self.backend = target, backend
        self.program = build.build(
            target, [here / "driver.c", *build.library_sources()], name="cost"
        )
        self.code = trace.Disassembly(target, self.program)
        self.mark = trace.symbol(self.program, "cost_mark")
        able = next((c for c in target.cpus if c.model), None)
        if able is None:
            raise Failure(f"target {target.name} is not run by QEMU: nothing counts there")
        result = build.run(target, able, self.program, ["needs", backend])
        if result.returncode:
            raise Failure(result.stderr.strip())
        self.needs = set(result.stdout.split())

    def call(self, cpu: targets.Cpu, op: str, size: int) -> list[int]:
        """What the second of two calls executes, from its mark to the next."""
        args = ["run", self.backend, op, size, 2]
        return trace.executed(self.target, cpu, self.program, args, self.mark)[1]

    def region(self, cpu: targets.Cpu, op: str, size: int) -> "Region":
        """What to model: one iteration of the main loop if nearly all of the call is spent there,
        else the whole call (of a smaller size where it is too long for llvm-mca)."""
        called = self.call(cpu, op, size)
        loop = trace.main_loop(called)
        if loop and loop.share >= 0.95:
            return Region("loop", self._bytes(cpu, op, size, loop), loop.addresses, loop.before)
        while len(called) * model.LEAST > model.LONGEST:
            size //= 2
            called = self.call(cpu, op, size)
        return Region("call", size, called, ())

    def _bytes(self, cpu: targets.Cpu, op: str, size: int, loop: trace.Loop) -> int:
        """Bytes of one iteration, by the iterations that twice the size adds: that is off by part
        of an iteration, and whole blocks are what an iteration does."""
        while 2 * size <= LARGEST:
            longer = trace.main_loop(self.call(cpu, op, 2 * size))
            if not longer or longer.addresses != loop.addresses:
                raise Failure(f"the main loop is not the same at {size} and at {2 * size} bytes")
            more = longer.iterations - loop.iterations
            if more >= 32 or 4 * size > LARGEST:
                block = 16 if op == "poly1305" else 64
                return max(1, round(size / more / block)) * block
            size, loop = 2 * size, longer
        raise Failure(f"a --size of at most {LARGEST // 2} is needed to model a loop")


@dataclass(frozen=True)
class Region:
    """A stretch of executed instructions to model."""

    kind: str
    bytes: int
    addresses: Sequence[int]
    before: Sequence[int]


def _ignored(mnemonics: dict[str, int]) -> str:
    names = ", ".join(f"{count} {name}" for name, count in mnemonics.items())
    return f"  without {names}" if names else ""


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _names(text: str) -> list[str]:
    return text.split(",")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tools/cost", description=__doc__)
    parser.add_argument("--target", "-t", required=True)
    parser.add_argument("--backend", "-b", required=True)
    parser.add_argument("--op", choices=OPERATIONS, default="chacha20")
    parser.add_argument("--size", type=_numbers, default=[16384], metavar="N[,N...]",
                        help=f"bytes in one call (default 16384, at most {LARGEST})")  # fmt: skip
    parser.add_argument("--vlen", type=_numbers, metavar="N[,N...]",
                        help="RISC-V: vector lengths in bits (default: all of QEMU's)")  # fmt: skip
    parser.add_argument("--cpu", type=_names, metavar="C[,C...]",
                        help="llvm-mca's CPU models; none: instructions only")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    if not all(0 <= size <= LARGEST for size in options.size):
        parser.error(f"--size: 0 to {LARGEST}")

    target = targets.target(options.target)
    bench = Bench(target, options.backend)
    title = {"target": target.name, "backend": options.backend, "op": options.op}
    instructions = []
    for cpu in _cpus(target, bench.needs, options.vlen):
        for size in options.size:
            count = len(bench.call(cpu, options.op, size))
            instructions.append({"cpu": cpu.name, "vlen": _vlen(cpu) or None, "size": size,
                                 "instructions": count})  # fmt: skip

    print(f"{target.name} {options.backend} {options.op}")
    print(f"\n{'emulated CPU':<16}{'bytes':>8}{'instructions':>14}{'per byte':>10}")
    for row in instructions:
        row["per_byte"] = row["instructions"] / row["size"] if row["size"] else None
        shown = f"{row['per_byte']:>10.3f}" if row["size"] else ""
        print(f"{row['cpu']:<16}{row['size']:>8}{row['instructions']:>14}{shown}")

    modelled, problems = [], []
    if options.cpu != ["none"]:
        version = model.llvm_version()
        size = max(options.size)
        regions = {}
        print(f"\n{'llvm-mca ' + version:<16}{'VLEN':>6}{'bytes':>8}{'instr.':>8}{'of a':>7}"
              f"{'cycles':>9}{'per byte':>10}")  # fmt: skip
        for cpu_model in model.models(target, options.cpu):
            vlen = cpu_model.vlen if "v" in bench.needs else 0
            try:
                if "v" in bench.needs and not vlen:
                    raise Failure(f"{cpu_model.name} has no vectors")
                if vlen not in regions:
                    cpu = _cpus(target, bench.needs, [vlen] if vlen else None)[0]
                    regions[vlen] = bench.region(cpu, options.op, size)
                region = regions[vlen]
                name = f"cost-{options.backend}-{options.op}{f'-vlen{vlen}' if vlen else ''}.s"
                source = common.BUILD / target.name / name
                source.write_text(model.region(target, region.addresses, region.before, bench.code))
                modelling = model.cycles(target, cpu_model, source)
            except Failure as failure:
                problems.append(str(failure))
                continue
            cycles = modelling.cycles
            row = {"model": cpu_model.name, "vlen": vlen or None, "bytes": region.bytes,
                   "instructions": len(region.addresses), "region": region.kind, "cycles": cycles,
                   "per_byte": cycles / region.bytes, "ignored": modelling.ignored,
                   "source": str(source)}  # fmt: skip
            modelled.append(row)
            print(f"{row['model']:<16}{vlen or '':>6}{region.bytes:>8}"
                  f"{row['instructions']:>8}{region.kind:>7}{cycles:>9.1f}{row['per_byte']:>10.3f}"
                  f"{_ignored(modelling.ignored)}")  # fmt: skip
        for row in sorted({r["source"] for r in modelled}):
            print(f"modelled: {Path(row).relative_to(ROOT)}")
        for problem in problems:
            print(f"not modelled: {problem}")
        title["llvm"] = version
    if options.json:
        figures = {**title, "instructions": instructions, "cycles": modelled,
                   "not_modelled": problems}  # fmt: skip
        for row in modelled:
            del row["source"]
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


common.main(main)
