"""What a call costs beyond its kernel, the import, the installed size, the GIL, two threads.

Run it with the installed package: `python bench/overhead.py`. Every ratio comes from batches that
took turns in this one run.
"""

import json
import platform
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import fastchacha
from fastchacha import _core

KEY, NONCE = bytes(32), bytes(12)
ROUNDS = 31


def per_call(function, calls):
    begin = time.perf_counter_ns()
    function(calls)
    return (time.perf_counter_ns() - begin) / calls


def in_turn(*functions, calls):
    """The median nanoseconds per call of each function, measured in turn."""
    times = [[] for _ in functions]
    for _ in range(ROUNDS):
        for taken, function in zip(times, functions, strict=True):
            taken.append(per_call(function, calls))
    return [statistics.median(taken) for taken in times]


def call_overhead():
    aead = fastchacha.ChaCha20Poly1305(KEY)

    def python(calls):
        for _ in range(calls):
            aead.encrypt(NONCE, b"", None)

    def kernel(calls):
        _core._repeat_empty(aead, NONCE, calls)

    def loop(calls):
        for _ in range(calls):
            pass

    whole, inside, empty = in_turn(python, kernel, loop, calls=5000)
    return {"call_ns": whole, "kernel_ns": inside, "overhead_ns": whole - inside - empty}


def gil_cost(size):
    """Releasing and taking the GIL when nobody waits for it, beside the call's own time."""
    aead = fastchacha.ChaCha20Poly1305(KEY)
    data, out = bytes(size), bytearray(size + 16)

    def kept(calls):
        _core._release_from(sys.maxsize)
        for _ in range(calls):
            aead.encrypt_into(NONCE, data, None, out)

    def released(calls):
        _core._release_from(0)
        for _ in range(calls):
            aead.encrypt_into(NONCE, data, None, out)

    without, with_release = in_turn(kept, released, calls=500)
    _core._use(_core.backend())
    return {"size": size, "kept_ns": without, "released_ns": with_release}


def import_cost():
    """Milliseconds that `import fastchacha` takes in a fresh interpreter."""
    program = (
        "import time; t = time.perf_counter_ns(); import fastchacha; "
        "print((time.perf_counter_ns() - t) / 1e6)"
    )
    runs = [
        float(
            subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout
        )
        for _ in range(ROUNDS)
    ]
    return statistics.median(runs)


def installed_bytes():
    folder = Path(fastchacha.__file__).parent
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def thread_gain(size=16 << 20, rounds=9):
    """How many times the throughput of one thread two threads reach."""
    aead = fastchacha.ChaCha20Poly1305(KEY)
    data = bytes(size)
    buffers = [bytearray(size + 16) for _ in range(2)]

    def work(buffer):
        aead.encrypt_into(NONCE, data, None, buffer)

    def wall(count):
        threads = [threading.Thread(target=work, args=(buffers[i],)) for i in range(count)]
        begin = time.perf_counter_ns()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.perf_counter_ns() - begin

    wall(2)
    return statistics.median(2 * wall(1) / wall(2) for _ in range(rounds))


def main():
    found = {
        "python": platform.python_version(),
        "backend": fastchacha.backend(),
        "call": call_overhead(),
        "gil": [gil_cost(size) for size in (256, 1024, 2048, 4096, 16384)],
        "import_ms": import_cost(),
        "installed_bytes": installed_bytes(),
        "two_threads_16_MiB": thread_gain(),
    }
    if "--json" in sys.argv[1:]:
        print(json.dumps(found, indent=2))
        return
    call = found["call"]
    print(f"Python {found['python']}, backend {found['backend']}")
    print(
        f"empty AEAD message: {call['call_ns']:.0f} ns, of which "
        f"kernels {call['kernel_ns']:.0f} ns, call {call['overhead_ns']:.0f} ns"
    )
    for row in found["gil"]:
        cost = row["released_ns"] - row["kept_ns"]
        print(
            f"GIL released and taken again at {row['size']:>5} bytes: {cost:4.0f} ns "
            f"({cost / row['kept_ns']:.1%} of {row['kept_ns']:.0f} ns)"
        )
    print(f"import fastchacha: {found['import_ms']:.2f} ms")
    print(f"installed: {found['installed_bytes'] / 1e6:.2f} MB")
    print(f"two threads on 16 MiB messages: {found['two_threads_16_MiB']:.2f} times one")


if __name__ == "__main__":
    main()
