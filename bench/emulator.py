"""How fast the emulator runs the Zvkb ChaCha20 kernel: `python bench/emulator.py`."""

import statistics
import time

from fastchacha.rvvemu import kernels

ROUNDS = 7


def throughput(vlen, size):
    """Median bytes per second of calls on `size` bytes, instructions decoded before."""
    machine = kernels.machine_for("zvkb", vlen)
    state, data, out = bytes(64), bytes(size), bytearray(size)
    times = []
    for _ in range(1 + ROUNDS):
        begin = time.perf_counter()
        kernels.chacha20(machine, "zvkb", state, None, data, out)
        times.append(time.perf_counter() - begin)
    return size / statistics.median(times[1:])


def main():
    for vlen, size in ((128, 16384), (256, 16384), (1024, 65536), (4096, 65536), (65536, 65536)):
        print(f"VLEN {vlen:>5}: {throughput(vlen, size) / 1e3:6.0f} KB/s")


if __name__ == "__main__":
    main()
