"""Runs the check programs of tests/kernel and tests/abi on every target and CPU model.

A check program is built from all C and assembly files of its folder, those of the folder's
subfolder for the architecture, and the library's own sources. It understands:

``--list``
    one JSON object a line for each row of backends.def that this build has:
    ``{"name": "zvkb", "features": ["v", "zvkb"], "available": true}``
``[--thorough] [--row NAME]...``
    checks the rows (default: each that is available) and prints for each
    ``zvkb: ran 1,234,567 checks`` (more may follow on the line); exit status 0 if all hold.

``--self-test``
    checks code that is wrong on purpose; exit status 0 if each was caught

Which rows must run is computed from the features that the targets table gives the CPU model, not
from what the program's detection found: where the two differ, the check fails.

The quick form runs a row on the CPU models that have no more than it needs (so that an instruction
which its declared features do not cover is caught): on one, or for RISC-V vectors at every VLEN;
and on the machine itself; Bochs runs only what nothing else can. The thorough form runs every row
on every model that can.
"""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from testbed import build, provision, targets
from testbed.common import ROOT, Failure, say
from testbed.targets import Cpu, Target

_RAN = re.compile(r"^(\w+): ran ([\d,]+) checks", re.MULTILINE)


@dataclass
class Outcome:
    """What the checks of one target on one CPU model gave."""

    target: Target
    cpu: Cpu | None = None
    ran: dict[str, int] = field(default_factory=dict)
    """Checks that ran, by row."""
    missing: dict[str, list[str]] = field(default_factory=dict)
    """Rows that cannot run here, with the features that the CPU lacks."""
    problems: list[str] = field(default_factory=list)
    passed: int = 0
    """Rows that passed; 1 where linking is all that can be tried."""
    failed: int = 0
    """Rows that failed; 1 where nothing could be tried."""
    seconds: float = 0.0

    @property
    def place(self) -> str:
        """Target and CPU model, as the summary names them."""
        return f"{self.target.name}/{self.cpu.name if self.cpu else 'linked only'}"


def sources(kind: str, target: Target) -> list:
    """The files that the program tests/KIND is made of for a target."""
    folder = ROOT / "tests" / kind
    own = [
        path
        for place in (folder, folder / target.arch)
        for suffix in ("*.c", "*.S")
        for path in sorted(place.glob(suffix))
    ]
    if not own:
        raise Failure(f"no C or assembly files in {folder.relative_to(ROOT)}")
    return own + build.library_sources()


def _features(cpu: Cpu) -> frozenset[str]:
    return targets.host_features() if cpu.model is None else cpu.features


def _listing(target: Target, cpu: Cpu, program) -> dict[str, dict]:
    """The rows of a build by name, as `--list` gives them."""
    result = build.run(target, cpu, program, ["--list"], timeout=120)
    if result.returncode:
        raise Failure(f"--list: exit status {result.returncode}\n{result.stdout}{result.stderr}")
    rows = [json.loads(line) for line in result.stdout.splitlines() if line.strip()]
    if not rows:
        raise Failure("--list printed no row")
    return {row["name"]: row for row in rows}


def _elsewhere(target: Target, features: set[str]) -> bool:
    """Can another target of the architecture run what needs these features?"""
    others = [t for t in targets.TARGETS if t.arch == target.arch and t is not target]
    return any(features <= c.features for t in others for c in t.cpus if c.model)


def _plan(target: Target, rows: dict[str, dict], options) -> dict[str, set[str]]:
    """On which CPU models each row is to run."""
    plan = {}
    for name, row in rows.items():
        able = [c for c in target.cpus if set(row["features"]) <= _features(c)]
        if not (options.thorough or options.cpu):
            real = [c for c in able if c.model is None]
            least = min((len(_features(c)) for c in able), default=0)
            able = [c for c in able if len(_features(c)) == least]
            if "v" not in row["features"]:
                able = able[:1]  # where VLEN plays no part, one such model is as good as another
            able += real  # the machine itself costs next to nothing
            if target.runner == "bochs" and _elsewhere(target, set(row["features"])):
                able = []  # fifty times slower than QEMU
        plan[name] = {c.name for c in able}
    return plan


def _check(target: Target, cpu: Cpu, program, options) -> Outcome:
    """Checks the rows of a program on one CPU model."""
    outcome = Outcome(target, cpu)
    start = time.monotonic()
    try:
        listing = _listing(target, cpu, program)
    except Failure as failure:
        outcome.problems.append(str(failure))
        outcome.failed = 1
        return outcome
    plan = _plan(target, listing, options)
    expected = []
    for name, row in listing.items():
        if options.row and name not in options.row:
            continue
        lacking = sorted(set(row["features"]) - _features(cpu))
        if lacking:
            outcome.missing[name] = lacking
        elif cpu.name in plan[name]:
            expected.append(name)
        if row["available"] == bool(lacking):
            found = "available" if row["available"] else "not available"
            has = f"lacks {', '.join(lacking)}" if lacking else "has all that it needs"
            outcome.problems.append(f"{name}: detection says {found}, but the CPU {has}")
            outcome.failed += 1
    if expected:
        args = ["--thorough"] if options.thorough else []
        args += [part for name in expected for part in ("--row", name)]
        _run(outcome, expected, program, args, options)
    outcome.seconds = time.monotonic() - start
    return outcome


def _run(outcome: Outcome, expected: list[str], program, args: list[str], options) -> None:
    """Runs the checks of these rows and puts what came of it into the outcome."""
    limit = 7200 if options.thorough else 900
    try:
        result = build.run(outcome.target, outcome.cpu, program, args, timeout=limit)
    except Failure as failure:
        outcome.problems.append(str(failure))
        outcome.failed += len(expected)
        return
    found = {name: int(count.replace(",", "")) for name, count in _RAN.findall(result.stdout)}
    outcome.ran = {name: found[name] for name in expected if found.get(name)}
    for name in expected:
        if name not in outcome.ran:
            outcome.problems.append(f"{name}: should have run and did not")
            outcome.failed += 1
    outcome.passed = len(outcome.ran)
    if result.returncode:
        # Which row failed is the program's to say: none of them counts as passed.
        outcome.passed, outcome.failed = 0, max(outcome.failed, len(expected))
        tail = "\n".join((result.stdout + result.stderr).splitlines()[-30:])
        outcome.problems.append(f"exit status {result.returncode}\n{tail}")
    if options.verbose:
        print(result.stdout, end="", flush=True)


def _self_test(kind: str, target: Target, program, options) -> Outcome | None:
    """Does the program catch what is wrong on purpose? The wrong code of tests/abi is another for
    each architecture; that of tests/kernel is the same C, tried on one target in the quick form."""
    if kind == "kernel" and not options.thorough and target.name != "x86_64":
        return None
    cpu = target.cpu(options.cpu[0]) if options.cpu else target.cpus[0]
    outcome = Outcome(target, cpu)
    start = time.monotonic()
    try:
        result = build.run(target, cpu, program, ["--self-test"], timeout=900)
    except Failure as failure:
        outcome.problems.append(str(failure))
    else:
        if result.returncode:
            tail = "\n".join((result.stdout + result.stderr).splitlines()[-30:])
            outcome.problems.append(f"self-test: exit status {result.returncode}\n{tail}")
    outcome.failed, outcome.passed = (1, 0) if outcome.problems else (0, 1)
    outcome.seconds = time.monotonic() - start
    return outcome


def _target(kind: str, target: Target, options) -> list[Outcome]:
    """Builds a check program for a target and runs it on its CPU models."""
    try:
        program = build.build(target, sources(kind, target), [f"-I{ROOT}/tests"], name=kind)
        chosen = [target.cpu(name) for name in options.cpu or ()] or target.cpus
    except Failure as failure:
        say(f"{'FAILED':<7}{target.name}")
        return [Outcome(target, problems=[str(failure)], failed=1)]
    if not chosen:
        say(f"{'ok':<7}{target.name + '/linked only'}")
        return [Outcome(target, passed=1)]
    outcomes = []
    if tested := _self_test(kind, target, program, options):
        outcomes.append(tested)
        verdict = "FAILED" if tested.problems else "ok"
        say(f"{verdict:<7}{tested.place:<26}{tested.seconds:6.1f} s  self-test")
    for cpu in chosen:
        outcome = _check(target, cpu, program, options)
        outcomes.append(outcome)
        counts = ", ".join(f"{name} {count:,}" for name, count in outcome.ran.items())
        verdict = "FAILED" if outcome.problems else "ok"
        say(f"{verdict:<7}{outcome.place:<26}{outcome.seconds:6.1f} s  {counts or 'detection'}")
    return outcomes


def run(kind: str, options) -> int:
    """Builds tests/KIND for each chosen target, runs it on each CPU model and sums up."""
    chosen = targets.select(options.target)
    if options.cpu and not options.target:
        chosen = [t for t in chosen if {c.name for c in t.cpus} & set(options.cpu)]
        if not chosen:
            raise Failure(f"no target has a CPU model {' or '.join(options.cpu)}")
    if any(t.runner == "wine" for t in chosen):
        provision.prepare_wine()
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = [
            outcome
            for found in pool.map(lambda t: _target(kind, t, options), chosen)
            for outcome in found
        ]

    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    for outcome in outcomes:
        for problem in outcome.problems:
            print(f"\nFAILED {outcome.place}: {problem}")
    print()
    ran = {(o.target.arch, name) for o in outcomes for name in o.ran}
    for name in options.row or ():
        if not any(row == name for _, row in ran):
            failed += 1
            print(f"FAILED: no target here ran the row {name}")
    left = {
        (o.target.arch, name): lacking
        for o in outcomes
        for name, lacking in o.missing.items()
        if (o.target.arch, name) not in ran
    }
    for (arch, name), lacking in sorted(left.items()):
        print(f"NOT RUN: {name} ({arch}): no CPU here has {', '.join(lacking)}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
