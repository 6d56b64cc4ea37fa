"""`python -m fastchacha bench`: throughput and time per call, side by side in one run.

All contestants take turns, in short batches, so that a machine whose speed drifts drifts for all
of them alike. A figure is the median of its batches; a ratio is the median of the ratios of batches
that stood next to each other.
"""

import argparse
import json
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

from . import _core

SIZES = (16, 64, 256, 1024, 1350, 4096, 16384, 1048576)
OPERATIONS = ("encrypt", "decrypt", "encrypt_into", "chacha20", "poly1305")
PEERS = ("cryptography", "pycryptodome", "pynacl")
DISTRIBUTIONS = {"cryptography": "cryptography", "pycryptodome": "pycryptodome", "pynacl": "PyNaCl"}

KEY = bytes(range(32))
NONCE = bytes(range(12))

Call = Callable[[], object]


def fastchacha_call(operation: str, size: int) -> Call:
    data = bytes(size)
    aead = _core.ChaCha20Poly1305(KEY)
    if operation == "encrypt":
        return lambda: aead.encrypt(NONCE, data, None)
    if operation == "decrypt":
        sealed = aead.encrypt(NONCE, data, None)
        return lambda: aead.decrypt(NONCE, sealed, None)
    if operation == "encrypt_into":
        buf = bytearray(size + 16)
        return lambda: aead.encrypt_into(NONCE, data, None, buf)
    if operation == "chacha20":
        return lambda: _core.ChaCha20(KEY, NONCE).encrypt(data)
    return lambda: _core.Poly1305.generate_tag(KEY, data)


def cryptography_call(operation: str, size: int) -> Call | None:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from cryptography.hazmat.primitives.poly1305 import Poly1305

    data = bytes(size)
    aead = ChaCha20Poly1305(KEY)
    if operation == "encrypt":
        return lambda: aead.encrypt(NONCE, data, None)
    if operation == "decrypt":
        sealed = aead.encrypt(NONCE, data, None)
        return lambda: aead.decrypt(NONCE, sealed, None)
    if operation == "encrypt_into":
        if not hasattr(aead, "encrypt_into"):
            return None
        buf = bytearray(size + 16)
        return lambda: aead.encrypt_into(NONCE, data, None, buf)
    if operation == "chacha20":
        nonce = bytes(4) + NONCE
        return lambda: Cipher(algorithms.ChaCha20(KEY, nonce), None).encryptor().update(data)
    return lambda: Poly1305.generate_tag(KEY, data)


def pycryptodome_call(operation: str, size: int) -> Call | None:
    from Crypto.Cipher import ChaCha20, ChaCha20_Poly1305

    data = bytes(size)
    if operation == "encrypt":
        return lambda: ChaCha20_Poly1305.new(key=KEY, nonce=NONCE).encrypt_and_digest(data)
    if operation == "decrypt":
        sealed, tag = ChaCha20_Poly1305.new(key=KEY, nonce=NONCE).encrypt_and_digest(data)
        return lambda: ChaCha20_Poly1305.new(key=KEY, nonce=NONCE).decrypt_and_verify(sealed, tag)
    if operation == "chacha20":
        return lambda: ChaCha20.new(key=KEY, nonce=NONCE).encrypt(data)
    return None  # its Poly1305 takes no one-time key


def pynacl_call(operation: str, size: int) -> Call | None:
    from nacl import bindings

    data = bytes(size)
    if operation == "encrypt":
        encrypt = bindings.crypto_aead_chacha20poly1305_ietf_encrypt
        return lambda: encrypt(data, None, NONCE, KEY)
    if operation == "decrypt":
        decrypt = bindings.crypto_aead_chacha20poly1305_ietf_decrypt
        sealed = bindings.crypto_aead_chacha20poly1305_ietf_encrypt(data, None, NONCE, KEY)
        return lambda: decrypt(sealed, None, NONCE, KEY)
    return None  # it has neither by itself


PEER_CALLS = {
    "cryptography": cryptography_call,
    "pycryptodome": pycryptodome_call,
    "pynacl": pynacl_call,
}


def batch(call: Call, calls: int) -> float:
    """Nanoseconds for each of so many calls."""
    repeat = range(calls)
    begin = time.perf_counter_ns()
    for _ in repeat:
        call()
    return (time.perf_counter_ns() - begin) / calls


def contestants(
    operation: str, size: int, rows: list[str], peers: list[str]
) -> Iterator[tuple[str, str | None, Call]]:
    """(name, backend to use or None, call) of everybody who has the operation."""
    for row in rows:
        yield f"fastchacha[{row}]", row, fastchacha_call(operation, size)
    for peer in peers:
        call = PEER_CALLS[peer](operation, size)
        if call is not None:
            yield peer, None, call


def measure(
    operation: str, size: int, rows: list[str], peers: list[str], seconds: float, rounds: int
) -> list[dict]:
    field = list(contestants(operation, size, rows, peers))
    slice_ns = seconds * 1e9 / rounds / len(field)
    counts = []
    for _, row, call in field:
        if row:
            _core._use(row)
        once = min(batch(call, 1) for _ in range(5))
        counts.append(max(1, int(slice_ns / max(once, 1))))
    times: list[list[float]] = [[] for _ in field]
    for _ in range(rounds):
        for i, (_, row, call) in enumerate(field):
            if row:
                _core._use(row)
            times[i].append(batch(call, counts[i]))
    results = []
    for i, (name, _, _) in enumerate(field):
        ns = statistics.median(times[i])
        results.append(
            {
                "operation": operation,
                "size": size,
                "who": name,
                "ns": ns,
                "ns_min": min(times[i]),
                "MB_per_s": size / ns * 1e3,
                # how many times the first contestant's time
                "ratio": statistics.median(
                    t / base for t, base in zip(times[i], times[0], strict=True)
                ),
            }
        )
    return results


def cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.lower().startswith(("model name", "cpu\t", "uarch", "hardware")):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def plot(results: list[dict], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    operations = list(dict.fromkeys(r["operation"] for r in results))
    figure, axes = pyplot.subplots(
        1, len(operations), figsize=(5 * len(operations), 4), squeeze=False, layout="constrained"
    )
    for axis, operation in zip(axes[0], operations, strict=True):
        for who in dict.fromkeys(r["who"] for r in results):
            points = [r for r in results if r["operation"] == operation and r["who"] == who]
            if points:
                sizes, speeds = zip(*((r["size"], r["MB_per_s"]) for r in points), strict=True)
                axis.plot(sizes, speeds, marker="o", markersize=3, label=who)
        axis.set(title=operation, xscale="log", yscale="log", xlabel="bytes", ylabel="MB/s")
        axis.grid(True, which="major", alpha=0.3)
        axis.legend(fontsize="small")
    figure.savefig(path)


def words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sizes",
        default=",".join(map(str, SIZES)),
        help="message sizes in bytes, comma-separated (default: %(default)s)",
    )
    parser.add_argument(
        "--operations",
        default=",".join(OPERATIONS),
        help="which operations, comma-separated (default: %(default)s)",
    )
    parser.add_argument(
        "--backends",
        default="auto",
        help="fastchacha's own: names, comma-separated, or `all` that work here (default: the one "
        "in use); the first is what ratios refer to",
    )
    parser.add_argument(
        "--against",
        default="",
        help=f"other packages to measure beside it: {', '.join(PEERS)}",
    )
    parser.add_argument(
        "--seconds", type=float, default=0.5, help="time for each line group (default: %(default)s)"
    )
    parser.add_argument(
        "--rounds", type=int, default=15, help="batches for each figure (default: %(default)s)"
    )
    parser.add_argument("--json", metavar="FILE", dest="json_file", help="write the figures there")
    parser.add_argument(
        "--plot", metavar="FILE.svg", help="draw throughput over size (needs matplotlib)"
    )


def check_arguments(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Turns the words into lists; everything that could fail fails before anything is measured."""
    try:
        options.sizes = [int(size) for size in words(options.sizes)]
    except ValueError as error:
        parser.error(f"--sizes: {error}")
    if not options.sizes or min(options.sizes) < 0:
        parser.error("--sizes: needs sizes of 0 bytes or more")
    options.operations = words(options.operations)
    for operation in options.operations:
        if operation not in OPERATIONS:
            parser.error(f"--operations: {operation!r} is none of {', '.join(OPERATIONS)}")
    if not options.operations or options.rounds < 1 or not options.seconds > 0:
        parser.error("needs at least one operation, one round and some time")
    options.against = words(options.against)
    for peer in options.against:
        if peer not in PEERS:
            parser.error(f"--against: {peer!r} is none of {', '.join(PEERS)}")
        try:
            PEER_CALLS[peer]("encrypt", 0)
        except ImportError:
            parser.error(f"--against: {peer} is not installed (pip install {DISTRIBUTIONS[peer]})")
    available = [row.name for row in _core.backends() if row.available]
    if options.backends == "auto":
        options.backends = [_core.backend()]
    elif options.backends == "all":
        options.backends = available
    else:
        options.backends = words(options.backends)
    for name in options.backends:
        if name not in available:
            parser.error(
                f"--backends: {name!r} does not run here; these do: {', '.join(available)}"
            )
    if not options.backends:
        parser.error("--backends: names none")
    if options.plot:
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            parser.error("--plot: needs matplotlib (pip install 'fastchacha[plot]')")
    for path in filter(None, (options.json_file, options.plot)):
        if not Path(path).resolve().parent.is_dir():
            parser.error(f"{path}: its folder does not exist")


def main(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    check_arguments(parser, options)
    versions = {
        "python": platform.python_version(),
        "fastchacha": _core.__version__,
        **{peer: version(DISTRIBUTIONS[peer]) for peer in options.against},
    }
    machine = {"cpu": cpu_model(), "system": platform.system(), "machine": platform.machine()}
    print(f"{machine['cpu']}, {machine['system']} {machine['machine']}; ", end="")
    print(", ".join(f"{name} {number}" for name, number in versions.items()))
    print(
        f"{'operation':<13} {'bytes':>9}  {'who':<26} {'ns/call':>12} {'MB/s':>9} "
        f"{'time ratio':>11}"
    )
    chosen = _core.backend()
    results: list[dict] = []
    cases = [(operation, size) for operation in options.operations for size in options.sizes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # emulated ones, asked for by name
        for done, (operation, size) in enumerate(cases):
            if sys.stderr.isatty():
                left = (len(cases) - done) * options.seconds
                print(
                    f"\r{done}/{len(cases)}: {operation}, {size} bytes; {left:.0f} s left\033[K",
                    end="\r",
                    file=sys.stderr,
                    flush=True,
                )
            rows = measure(
                operation, size, options.backends, options.against, options.seconds, options.rounds
            )
            if sys.stderr.isatty():
                print("\033[K", end="\r", file=sys.stderr, flush=True)
            for row in rows:
                print(
                    f"{operation:<13} {size:>9}  {row['who']:<26} {row['ns']:>12.1f} "
                    f"{row['MB_per_s']:>9.1f} {row['ratio']:>11.2f}",
                    flush=True,
                )
            results += rows
        _core._use(chosen)
    if options.json_file:
        document = {"machine": machine, "versions": versions, "results": results}
        Path(options.json_file).write_text(json.dumps(document, indent=2) + "\n")
    if options.plot:
        plot(results, options.plot)
    return 0
