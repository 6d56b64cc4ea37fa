"""`python -m fastchacha`: what runs here, and does it compute the right thing?"""

import argparse
import json
import platform
import sys
import warnings

from . import _core, _selftest


def report() -> dict[str, object]:
    """Version, CPU features and every backend with its self-test, the chosen one left in use."""
    chosen = _core.backend()
    rows: list[dict[str, object]] = []
    for row in _core.backends():
        failed = None
        if row.available:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # asked for, by name
                _core._use(row.name)
                failed = _selftest.run()
        rows.append(
            {
                "name": row.name,
                "chacha20": row.chacha20,
                "poly1305": row.poly1305,
                "features": sorted(row.features),
                "available": row.available,
                "reason": row.reason,
                "failed": failed,
            }
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        _core._use(chosen)
    return {
        "version": _core.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        "cpu_features": sorted(_core.cpu_features()),
        "backend": chosen,
        "checks": len(_selftest.CHECKS),
        "backends": rows,
        "passed": not any(row["failed"] for row in rows),
    }


def show(found: dict) -> None:
    print(
        f"fastchacha {found['version']}, Python {found['python']}, "
        f"{found['system']} {found['machine']}"
    )
    print(f"CPU features: {', '.join(found['cpu_features']) or 'none that matter here'}")
    print(f"backend in use: {found['backend']}")
    print()
    width = max(len(row["name"]) for row in found["backends"])
    for row in found["backends"]:
        if not row["available"]:
            state = f"not available: {row['reason']}"
        elif row["failed"]:
            state = f"self-test FAILED: {'; '.join(row['failed'])}"
        else:
            state = f"self-test passed, {found['checks']} checks"
        kernels = f"ChaCha20 {row['chacha20']}, Poly1305 {row['poly1305']}"
        print(f"  {row['name']:<{width}}  {kernels:<36}  {state}")
    if not found["passed"]:
        print("\nA backend computes wrong results: do not use this build.", file=sys.stderr)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m fastchacha",
        description="Show the version, the CPU's features and the backends, each with a self-test. "
        "Exit status 1 if one fails. `python -m fastchacha bench` measures speed.",
    )
    parser.add_argument("--json", action="store_true", help="print for programs")
    commands = parser.add_subparsers(dest="command", metavar="bench")
    bench_parser = commands.add_parser("bench", help="measure throughput and time per call")
    from . import bench

    bench.add_arguments(bench_parser)
    options = parser.parse_args(arguments)
    if options.command == "bench":
        return bench.main(bench_parser, options)
    found = report()
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        show(found)
    return 0 if found["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
