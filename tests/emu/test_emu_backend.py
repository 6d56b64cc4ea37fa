"""The glue behind the `*_emu` backends, called as the C library calls it."""

import random
import subprocess
import sys
import threading
from array import array

import pytest

from fastchacha.rvvemu import MemoryFault, _backend, kernels

KERNEL = "zvkb"


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Every test reads the environment anew and makes its own machines."""
    monkeypatch.delenv("FASTCHACHA_EMU_VLEN", raising=False)
    _backend.vlen.cache_clear()
    monkeypatch.setattr(_backend, "_local", threading.local())
    yield
    _backend.vlen.cache_clear()


@pytest.mark.parametrize("text", ["", "128", "256", "65536"])
def test_vlen(monkeypatch, text):
    monkeypatch.setenv("FASTCHACHA_EMU_VLEN", text)
    assert _backend.vlen() == int(text or 128)
    _backend.prepare()


@pytest.mark.parametrize(
    "text", ["0", "64", "127", "131072", "abc", "0x80", "-128", " 128", "1_28"]
)
def test_bad_vlen(monkeypatch, text):
    monkeypatch.setenv("FASTCHACHA_EMU_VLEN", text)
    with pytest.raises(ValueError, match="FASTCHACHA_EMU_VLEN"):
        _backend.prepare()


def expected(state, data):
    machine = kernels.machine_for("rv64")
    out = bytearray(len(data))
    kernels.chacha20(machine, "rv64", state, None, data, out)
    return out


def test_chacha20_with_memoryviews():
    rng = random.Random(1)
    state, data = rng.randbytes(64), rng.randbytes(700)
    out = bytearray(700)
    _backend.chacha20(KERNEL, memoryview(state), None, memoryview(data), memoryview(out), 20)
    assert out == expected(state, data)
    buffer = bytearray(data)
    view = memoryview(buffer)
    _backend.chacha20(KERNEL, memoryview(state), None, view, view, 20)
    assert buffer == out
    _backend.chacha20(KERNEL, memoryview(state), None, memoryview(b""), memoryview(bytearray()), 20)


def test_a_fault_is_raised_and_the_next_call_works():
    rng = random.Random(2)
    state, data, out = rng.randbytes(64), rng.randbytes(256), bytearray(256)
    with pytest.raises(MemoryFault):
        _backend.chacha20(KERNEL, state[:60], None, data, out, 20)
    _backend.chacha20(KERNEL, state, None, data, out, 20)
    assert out == expected(state, data)


def test_threads():
    rng = random.Random(3)
    state = rng.randbytes(64)
    inputs = [rng.randbytes(300 + i) for i in range(8)]
    outputs = [bytearray(len(data)) for data in inputs]

    def work(i):
        for _ in range(3):
            _backend.chacha20(KERNEL, state, None, inputs[i], outputs[i], 20)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outputs == [expected(state, data) for data in inputs]


def swap(data, size):
    values = array({4: "I", 8: "Q"}[size], data)
    values.byteswap()
    return bytearray(values.tobytes())


def test_big_endian_hosts(monkeypatch):
    """There the C structures hold words the other way round; bytes are bytes."""
    rng = random.Random(4)
    state, data = rng.randbytes(64), rng.randbytes(160)
    poly = bytearray(kernels.POLY1305_SIZE)
    poly[24:56] = (int.from_bytes(rng.randbytes(16), "little") & CLAMP).to_bytes(16, "little") * 2
    little = [bytearray(160), bytearray(32), bytearray(poly)]
    _backend.chacha20("rv64", state, None, data, little[0], 20)
    _backend.hchacha20("rv64", little[1], state, 20)
    _backend.poly1305_blocks("rv64", little[2], data, 1)
    monkeypatch.setattr(sys, "byteorder", "big")
    big = [bytearray(160), bytearray(32), swap(poly, 8)]
    _backend.chacha20("rv64", swap(state, 4), None, data, big[0], 20)
    _backend.hchacha20("rv64", big[1], swap(state, 4), 20)
    _backend.poly1305_blocks("rv64", big[2], data, 1)
    assert big == [little[0], swap(little[1], 4), swap(little[2], 8)]


CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF  # RFC 8439 section 2.5


@pytest.mark.parametrize(
    "function, kernel", [("chacha20", KERNEL), ("hchacha20", "rv64"), ("poly1305_blocks", "rvv")]
)
def test_kernel_command(function, kernel):
    done = subprocess.run(
        [sys.executable, "-m", "fastchacha.rvvemu", "kernel", function, kernel, "--length", "2000",
         "--count", "--vlen", "256", "--secrets"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"kernel: fc_{function}_{kernel}" in done.stdout
    assert "vsetvli" in done.stdout or function == "hchacha20"
