"""Compiled and automatically vectorised C runs too: code from outside this project."""

import random
import struct
from pathlib import Path

import pytest

from fastchacha.rvvemu import Machine
from fastchacha.rvvemu.buffers import Buffer, call_with_buffers

SOURCE = Path(__file__).with_name("compiled_sample.c")
LENGTHS = (0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100)


@pytest.fixture(scope="module", params=["-O3", "-O0"])
def code(request, target):
    from testbed.build import build

    cpu = "generic_rv64+m+v+zba+zbb+zvbb-c" if request.param == "-O3" else "generic_rv64+m-c"
    flags = [f"-mcpu={cpu}", request.param, "-g0", "-ffreestanding", "-fno-sanitize=all"]
    name = f"compiled_sample{request.param}"
    return build(target, [SOURCE], [*flags, "-mabi=lp64"], name=name, link=False).read_bytes()


@pytest.fixture(params=[128, 512])
def machine(request, code):
    machine = Machine(request.param, max_steps=200_000)
    machine.load_elf(code)
    return machine


def ints(rng, code, n):
    """n random integers of a struct code, and their bytes."""
    size = 8 * struct.calcsize(code)
    low = -(1 << size - 1) if code.islower() else 0
    values = [rng.randrange(low, low + (1 << size)) for _ in range(n)]
    return values, struct.pack(f"<{n}{code}", *values)


def call(machine, function, inputs, out_code=None, count=0, before=None, length=None):
    """The values in the output buffer, or a0 if there is none."""
    buffers = [Buffer(f"in{i}", data, alignment=8) for i, data in enumerate(inputs)]
    if out_code is None:
        return call_with_buffers(machine, function, *buffers, length)
    out = bytearray(before if before is not None else count * struct.calcsize(out_code))
    call_with_buffers(
        machine, function, *buffers, Buffer("out", out, writable=True, alignment=8), length
    )
    return list(struct.unpack(f"<{count}{out_code}", out))


@pytest.mark.parametrize("n", LENGTHS)
def test_loops(machine, n):
    rng = random.Random(n)
    a, a_bytes = ints(rng, "i", n)
    b, b_bytes = ints(rng, "i", n)
    total = sum(x * y for x, y in zip(a, b, strict=True)) % (1 << 64)
    assert call(machine, "dot", [a_bytes, b_bytes], length=n) == total
    h, h_bytes = ints(rng, "h", n)
    assert call(machine, "largest", [h_bytes], length=n) == max([-32768, *h]) % (1 << 64)
    q, q_bytes = ints(rng, "Q", n)
    swapped = [int.from_bytes(x.to_bytes(8, "little"), "big") for x in q]
    assert call(machine, "reverse_bytes", [q_bytes], "Q", n, length=n) == swapped
    w, w_bytes = ints(rng, "I", n)
    turned = [((x << 7 | x >> 25) + i) % (1 << 32) for i, x in enumerate(w)]
    assert call(machine, "rotate", [w_bytes], "I", n, length=n) == turned
    small = [rng.randrange(-300, 600) for _ in range(n)]
    clipped = [min(max(x, 0), 255) for x in small]
    small_bytes = struct.pack(f"<{n}i", *small)
    assert call(machine, "saturate", [small_bytes], "B", n, length=n) == clipped
    divisors = [rng.choice([0, 1, 2, 3, -5, 1000]) for _ in range(n)]
    wanted = [
        w if d == 0 else int(abs(x) // abs(d)) * (1 if (x < 0) == (d < 0) else -1)
        for x, d, w in zip(a, divisors, small, strict=True)
    ]
    divisor_bytes = struct.pack(f"<{n}i", *divisors)
    got = call(machine, "divide", [a_bytes, divisor_bytes], "i", n, small_bytes, length=n)
    assert got == wanted
    s, s_bytes = ints(rng, "H", n)
    t, t_bytes = ints(rng, "H", n)
    woven = [x for pair in zip(s, t, strict=True) for x in pair]
    assert call(machine, "interleave", [s_bytes, t_bytes], "H", 2 * n, length=n) == woven
    nibbles, nibble_bytes = ints(rng, "B", n)
    letters = [ord("0123456789abcdef"[x & 15]) for x in nibbles]
    assert call(machine, "gather", [nibble_bytes], "B", n, length=n) == letters


def test_switch(machine):
    x = 0x123456789ABCDEF
    results = [machine.call("classify", kind, x) for kind in range(8)]
    assert results == [
        x + 1, x * 3 % (1 << 64), x ^ 0xFF, x.bit_count(), 64 - x.bit_length(), x // 7, x % 10, 0,
    ]  # fmt: skip


def test_the_compiler_did_vectorise(code, request):
    """Or these would be tests of the scalar instructions alone."""
    machine = Machine(256)
    machine.load_elf(code)
    _, data = ints(random.Random(1), "I", 64)
    call(machine, "rotate", [data], "I", 64, length=64)
    vectors = [name for name in machine.counts()[0] if name.startswith("v")]
    assert bool(vectors) == ("-O3" in request.node.callspec.id)
