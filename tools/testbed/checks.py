"""Runs the check programs of tests/kernel and tests/abi on every target and CPU model.

A check program is built from all C and assembly files of its folder, those of the folder's
subfolder for the architecture, and the library's own sources. It understands:

``--list``
    one JSON object a line for each row of backends.def that this build has:
    ``{"name": "zvkb", "features": ["v", "zvkb"], "available": true}``
``[--thorough] [--row NAME]...``
    checks the rows (default: each that is available) and prints for each
    ``zvkb: ran 1,234,567 checks`` (more may follow on the line); exit status 0 if all hold.

Which rows must run is computed from the features that the targets table gives the CPU model, not
from what the program's detection found: where the two differ, the check fails.
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


def _check(kind: str, target: Target, cpu: Cpu, program, options) -> Outcome:
    outcome = Outcome(target, cpu)
    start = time.monotonic()
    try:
        listing = _listing(target, cpu, program)
    except Failure as failure:
        outcome.problems.append(str(failure))
        outcome.failed = 1
        return outcome
    expected = []
    for name, row in listing.items():
        if options.row and name not in options.row:
            continue
        lacking = sorted(set(row["features"]) - _features(cpu))
        if lacking:
            outcome.missing[name] = lacking
        else:
            expected.append(name)
        if row["available"] == bool(lacking):
            found = "available" if row["available"] else "not available"
            has = f"lacks {', '.join(lacking)}" if lacking else "has all that it needs"
            outcome.problems.append(f"{name}: detection says {found}, but the CPU {has}")
            outcome.failed += 1
    if not expected:
        outcome.seconds = time.monotonic() - start
        return outcome
    args = ["--thorough"] if options.thorough else []
    args += [part for name in options.row or () for part in ("--row", name) if name in expected]
    try:
        result = build.run(target, cpu, program, args, timeout=7200 if options.thorough else 900)
    except Failure as failure:
        outcome.problems.append(str(failure))
        outcome.failed += len(expected)
        return outcome
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
    outcome.seconds = time.monotonic() - start
    return outcome


def _target(kind: str, target: Target, options) -> list[Outcome]:
    try:
        program = build.build(target, sources(kind, target), [f"-I{ROOT}/tests"], name=kind)
        chosen = [target.cpu(name) for name in options.cpu or ()] or target.cpus
    except Failure as failure:
        return [Outcome(target, problems=[str(failure)], failed=1)]
    outcomes = []
    for cpu in chosen:
        outcome = _check(kind, target, cpu, program, options)
        outcomes.append(outcome)
        counts = ", ".join(f"{name} {count:,}" for name, count in outcome.ran.items())
        verdict = "FAILED" if outcome.problems else "ok" if outcome.ran else "no row"
        say(f"{verdict:<7}{outcome.place:<26}"
            f"{outcome.seconds:6.1f} s  {counts}")  # fmt: skip
    if not chosen:
        outcomes.append(Outcome(target, passed=1))
        say(f"{'ok':<7}{outcomes[0].place}")
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
