"""What a kernel costs: executed instructions per byte and modelled cycles per byte.

Instructions are those of one whole call, counted by QEMU (the call before it warms nothing up but
the caches of the kernel itself). Cycles are llvm-mca's for one steady-state iteration of the main
loop, taken from the same trace. docs/testing.md says how far to trust them.
"""

import argparse
import json
import re
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

from cost import model, trace
from testbed import build, common, targets
from testbed.common import ROOT, Failure

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
            target, [here / "driver.c", *build.library_sources(target)], name="cost"
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

    def loop(self, cpu: targets.Cpu, op: str, size: int) -> tuple[trace.Loop, float]:
        """The main loop and the bytes of one iteration: by the iterations that twice the size
        adds."""
        short, long = (trace.main_loop(self.call(cpu, op, n)) for n in (size, 2 * size))
        if not short or not long or long.iterations <= short.iterations:
            raise Failure(f"no loop repeats in {size} bytes: ask for a larger --size")
        if short.addresses != long.addresses:
            raise Failure(f"the main loop is not the same at {size} and at {2 * size} bytes")
        return long, size / (long.iterations - short.iterations)


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
                        help="bytes in one call (default 16384, at most 524288)")  # fmt: skip
    parser.add_argument("--vlen", type=_numbers, metavar="N[,N...]",
                        help="RISC-V: vector lengths in bits (default: all of QEMU's)")  # fmt: skip
    parser.add_argument("--cpu", type=_names, metavar="C[,C...]",
                        help="llvm-mca's CPU models; none: instructions only")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()

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
        loops = {}
        print(f"\n{'llvm-mca ' + version:<16}{'VLEN':>6}{'bytes':>8}{'instr.':>8}{'cycles':>9}"
              f"{'per byte':>10}")  # fmt: skip
        for cpu_model in model.models(target, options.cpu):
            vlen = cpu_model.vlen if "v" in bench.needs else 0
            try:
                if "v" in bench.needs and not vlen:
                    raise Failure(f"{cpu_model.name} has no vectors")
                if vlen not in loops:
                    cpu = _cpus(target, bench.needs, [vlen] if vlen else None)[0]
                    loops[vlen] = bench.loop(cpu, options.op, size)
                loop, size_of_iteration = loops[vlen]
                name = f"cost-{options.backend}-{options.op}{f'-vlen{vlen}' if vlen else ''}.s"
                source = common.BUILD / target.name / name
                source.write_text(model.region(target, loop, bench.code))
                modelling = model.cycles(target, cpu_model, source)
            except Failure as failure:
                problems.append(str(failure))
                continue
            cycles = modelling.cycles
            row = {"model": cpu_model.name, "vlen": vlen or None, "bytes": size_of_iteration,
                   "instructions": len(loop.addresses), "cycles": cycles,
                   "per_byte": cycles / size_of_iteration, "ignored": modelling.ignored,
                   "region": str(source)}  # fmt: skip
            modelled.append(row)
            print(f"{row['model']:<16}{vlen or '':>6}{size_of_iteration:>8.0f}"
                  f"{row['instructions']:>8}{cycles:>9.1f}{row['per_byte']:>10.3f}"
                  f"{_ignored(modelling.ignored)}")  # fmt: skip
        for row in sorted({r["region"] for r in modelled}):
            print(f"region: {Path(row).relative_to(ROOT)}")
        for problem in problems:
            print(f"not modelled: {problem}")
        title["llvm"] = version
    if options.json:
        figures = {**title, "instructions": instructions, "cycles": modelled,
                   "not_modelled": problems}  # fmt: skip
        for row in modelled:
            del row["region"]
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


common.main(main)
