"""``python tools/testbed COMMAND``: see docs/testing.md, or --help."""

import argparse
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

from testbed import build, checks, common, ct, freethreaded, provision, roots, targets  # noqa: E402


def _parts(options) -> tuple[list[targets.Target], list[provision.Part]]:
    """The targets chosen and what they, the roots and the cost tool need."""
    chosen = [] if options.targets == ["none"] else targets.select(options.targets)
    cost = options.cost or options.all
    python = roots.select(options.roots) if options.roots or options.all else []
    return chosen, provision.parts(chosen, roots=python, cost=cost) + roots.parts(python)


def _setup(options) -> int:
    chosen, parts = _parts(options)
    provision.install(parts)
    provision.probe(chosen)
    return 0


def _doctor(options) -> int:
    return provision.doctor(_parts(options)[1])


def _targets(options) -> int:
    for t in targets.TARGETS:
        models = " ".join(c.name for c in t.cpus) or "(assembled and linked only)"
        print(f"{t.name:<15} {t.bits}-bit {t.order:<6}  {models}")
    return 0


def _run(options) -> int:
    target = targets.target(options.target)
    cflags = [flag for flags in options.cflags for flag in flags.split()]
    program = build.build(target, options.sources, cflags)
    models = [target.cpu(name) for name in options.cpu] if options.cpu else target.cpus
    failed = 0
    for cpu in models:
        result = build.run(target, cpu, program, options.args)
        sys.stdout.write(result.stdout)
        sys.stderr.write(result.stderr)
        print(f"{target.name}/{cpu.name}: exit status {result.returncode}", file=sys.stderr)
        failed |= result.returncode != 0
    if not models:
        print(f"{target.name}: built {program}; nothing here runs it", file=sys.stderr)
    return int(failed)


def _kernel(options) -> int:
    return checks.run("kernel", options)


def _abi(options) -> int:
    return checks.run("abi", options)


def _ct(options) -> int:
    return ct.run(options)


def _python(options) -> int:
    return roots.run(options)


def _free_threaded(options) -> int:
    return freethreaded.run(options.tests)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python tools/testbed", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(function, name, text):
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(function=function)
        return sub

    for function, name, text in (
        (_setup, "setup", "fetch and install what is missing, then try every target"),
        (_doctor, "doctor", "say what is there and what is missing (exit status 1)"),
    ):
        sub = command(function, name, text)
        sub.add_argument("--targets", nargs="+", metavar="T",
                         help="only these, or none (default: all)")  # fmt: skip
        sub.add_argument("--roots", nargs="+", metavar="R", help="also these foreign Pythons")
        sub.add_argument("--cost", action="store_true", help="also what tools/cost needs")
        sub.add_argument("--all", action="store_true", help="everything there is")

    command(_targets, "targets", "list the targets and their CPU models")

    sub = command(_run, "run", "build a static program for a target and run it")
    sub.add_argument("--target", "-t", required=True, metavar="T")
    sub.add_argument("--cpu", "-c", action="append", metavar="C", help="default: each, in turn")
    sub.add_argument("--cflags", action="append", default=[], metavar="FLAGS",
                     help="compiler flags in one word: --cflags='-O3 -Iinclude'")  # fmt: skip
    sub.add_argument("sources", nargs="+", metavar="SOURCE", help="C and assembly files")

    for function, name, text in (
        (_kernel, "kernel", "run tests/kernel: every backend against known answers and `generic`"),
        (_abi, "abi", "run tests/abi: what kernels must leave as they found it"),
        (_ct, "ct", "run tests/ct: one trace, whatever the secrets"),
    ):
        sub = command(function, name, text)
        sub.add_argument("--target", "-t", action="append", metavar="T", help="default: all")
        sub.add_argument("--cpu", "-c", action="append", metavar="C", help="default: all needed")
        sub.add_argument("--row", "-r", action="append", metavar="R", help="default: all")
        sub.add_argument("--jobs", "-j", type=int, default=2, metavar="N", help="default: 2")
        if function is not _ct:
            sub.add_argument("--thorough", action="store_true", help="every length and alignment")
            sub.add_argument("--verbose", "-v", action="store_true",
                             help="show what programs print")  # fmt: skip

    sub = command(_python, "python", "test cross-built wheels in foreign Pythons")
    sub.add_argument("--root", "-r", action="append", metavar="R", help="default: all")
    sub.add_argument("--cpu", "-c", action="append", metavar="C", help="default: the root's")
    sub.add_argument("--backend", "-b", action="append", metavar="B", help="default: each")
    sub.add_argument("--thorough", action="store_true", help="all tests with every backend")
    sub.add_argument("--verbose", "-v", action="store_true", help="show what pytest prints")
    sub.add_argument("--jobs", "-j", type=int, default=2, metavar="N", help="default: 2")
    sub.add_argument("tests", nargs="*", metavar="TEST",
                     help="files of tests (default: tests/api; see docs/testing.md)")  # fmt: skip

    sub = command(_free_threaded, "free-threaded", "run tests/api in a Python without the GIL")
    sub.add_argument("tests", nargs="*", metavar="TEST", help="files of tests")
    return parser


def main() -> int:
    arguments = sys.argv[1:]
    rest = []
    if "--" in arguments:  # what follows belongs to the program that is run
        cut = arguments.index("--")
        arguments, rest = arguments[:cut], arguments[cut + 1 :]
    parser = _parser()
    options = parser.parse_args(arguments)
    if rest and options.function is not _run:
        parser.error("only `run` passes arguments on")
    options.args = rest
    return options.function(options)


common.main(main)
