"""The shipped kernels in the emulator, against `cryptography` and plain arithmetic.

Every vector length, every vl policy; buffers at the least alignment the contract allows and
exact to the byte; registers full of rubbish on entry, saved registers compared on return,
agnostic elements all ones.  Above VLEN 128 an everyday run takes every seventh length, and
`--thorough` all.
"""

import random
import struct

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

from fastchacha.rvvemu import kernels

VLENS = (128, 256, 512, 1024, 4096, 65536)
POLICIES = ("max", "half", "random")
P = 2**130 - 5
SYMBOLS = kernels.symbols()
SCALAR = ("rv64", "zbb")


def tokens(function):
    """The kernels that have `fc_<function>_<token>`."""
    prefix = f"fc_{function}_"
    return [s.removeprefix(prefix) for s in SYMBOLS if s.startswith(prefix)]


def cases(function):
    """(kernel, vlen, policy): scalar kernels do not depend on the last two."""
    return [
        (kernel, vlen, policy)
        for kernel in tokens(function)
        for vlen in VLENS
        for policy in POLICIES
        if kernel not in SCALAR or (vlen, policy) == (128, "max")
    ]


@pytest.fixture
def thorough(pytestconfig):
    return pytestconfig.getoption("--thorough")


def lengths(kernel, vlen, policy, thorough, step=1):
    """Message lengths in bytes (multiples of `step`).

    Up to VLEN 1024 all to two vectors' worth of blocks; above it 0, 1 and 63 past multiples of
    the lane count up to 16 KiB, and two vectors' worth.
    """
    lanes = 4 if kernel in SCALAR else vlen // 32
    two = 2 * lanes * 64
    if vlen <= 1024:
        every = 1 if thorough or two <= 512 else 7
        wanted = [*range(0, two + 65, every), two - 1, two, two + 1]
    else:
        stride = lanes if lanes >= 512 or thorough else lanes * 7
        wanted = [n + d for n in range(0, 16384 + 1, stride) for d in (0, 1, 63)] + [two]
    return sorted({n - n % step for n in wanted})


def make_state(rng, counter=1):
    """(64 bytes of state, key, the 16 bytes of counter and nonce)."""
    key, nonce = rng.randbytes(32), struct.pack("<I", counter) + rng.randbytes(12)
    return b"expand 32-byte k" + key + nonce, key, nonce


def keystream(key, nonce16, size):
    """ChaCha20 keystream by `cryptography`."""
    return Cipher(algorithms.ChaCha20(key, nonce16), None).encryptor().update(bytes(size))


def xor(a, b):
    size = len(a)
    mixed = int.from_bytes(a, "little") ^ int.from_bytes(b[:size], "little")
    return mixed.to_bytes(size, "little")


def quarter_rounds(words, rounds):
    """The ChaCha rounds (RFC 8439 section 2.1, 2.3) on 16 words."""
    w = list(words)

    def quarter(a, b, c, d):
        for x, y, z, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            w[x] = (w[x] + w[y]) & 0xFFFFFFFF
            t = w[z] ^ w[x]
            w[z] = (t << n | t >> (32 - n)) & 0xFFFFFFFF

    for _ in range(rounds // 2):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return w


@pytest.mark.parametrize("kernel, vlen, policy", cases("chacha20"))
def test_chacha20(kernel, vlen, policy, thorough):
    machine = kernels.machine_for(kernel, vlen, vl_policy=policy)
    rng = random.Random(f"{kernel}/{vlen}/{policy}")
    state, key, nonce = make_state(rng)
    wanted = lengths(kernel, vlen, policy, thorough)
    data = rng.randbytes(max(wanted))
    stream = keystream(key, nonce, max(wanted) + 64)
    for i, size in enumerate(wanted):
        if i % 3 == 0:  # in place
            out = bytearray(data[:size])
            kernels.chacha20(machine, kernel, state, None, out, out)
            assert out == xor(data[:size], stream), size
        elif i % 3 == 1:
            out = bytearray(size)
            kernels.chacha20(machine, kernel, state, None, data[:size], out)
            assert out == xor(data[:size], stream), size
        else:  # the first block apart
            block0, out = bytearray(64), bytearray(size)
            kernels.chacha20(machine, kernel, state, block0, data[:size], out)
            assert block0 == stream[:64], size
            assert out == xor(data[:size], stream[64:]), size


@pytest.mark.parametrize("kernel", tokens("chacha20"))
@pytest.mark.parametrize("rounds", [8, 12, 20])
def test_chacha20_rounds(kernel, rounds):
    """Reduced rounds, and a call that ends exactly at block 2**32."""
    machine = kernels.machine_for(kernel, 256)
    rng = random.Random(rounds)
    blocks = 19
    state, _, _ = make_state(rng, counter=2**32 - blocks)
    words = struct.unpack("<16I", state)
    stream = b""
    for block in range(blocks):
        start = [*words[:12], words[12] + block, *words[13:]]
        mixed = quarter_rounds(start, rounds)
        added = [(a + b) & 0xFFFFFFFF for a, b in zip(start, mixed, strict=True)]
        stream += struct.pack("<16I", *added)
    out = bytearray(64 * blocks)
    kernels.chacha20(machine, kernel, state, None, bytes(64 * blocks), out, rounds)
    assert out == stream


@pytest.mark.parametrize("kernel", tokens("chacha20"))
def test_chacha20_alignments(kernel):
    machine = kernels.machine_for(kernel, 128)
    rng = random.Random(1)
    state, key, nonce = make_state(rng)
    data = rng.randbytes(300)
    wanted = xor(data, keystream(key, nonce, 300))
    for shift in range(64):
        addresses = {"in": 0x5000_0000_0000 + shift, "out": 0x6000_0000_0000 + shift * 11 % 64}
        out = bytearray(300)
        kernels.chacha20(machine, kernel, state, None, data, out, addresses=addresses)
        assert out == wanted, addresses


@pytest.mark.parametrize("kernel", tokens("hchacha20"))
@pytest.mark.parametrize("rounds", [8, 12, 20])
def test_hchacha20(kernel, rounds):
    machine = kernels.machine_for(kernel, 128)
    state, _, _ = make_state(random.Random(rounds))
    mixed = quarter_rounds(struct.unpack("<16I", state), rounds)
    out = bytearray(32)
    kernels.hchacha20(machine, kernel, out, state, rounds)
    assert out == struct.pack("<8I", *mixed[:4], *mixed[12:])


# --- Poly1305: h as a number, whatever form the kernel leaves it in ---

CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF  # RFC 8439 section 2.5


def make_poly1305(h, r):
    poly = bytearray(kernels.POLY1305_SIZE)
    poly[0:24], poly[24:40] = h.to_bytes(24, "little"), r.to_bytes(16, "little")
    poly[64:] = b"\xa5" * (kernels.POLY1305_SIZE - 64)  # the cache of powers is not initialised
    return poly


def accumulator(poly):
    return int.from_bytes(poly[:24], "little")


def absorb(h, r, data, padbit=1):
    for at in range(0, len(data), 16):
        block = int.from_bytes(data[at : at + 16], "little") + (padbit << 128)
        h = (h + block) * r % P
    return h


def check_state(poly, h):
    assert accumulator(poly) % P == h
    assert accumulator(poly) >> 128 <= 4  # the bound of csrc/backend.h


@pytest.mark.parametrize("kernel, vlen, policy", cases("poly1305_blocks"))
def test_poly1305_blocks(kernel, vlen, policy, thorough):
    machine = kernels.machine_for(kernel, vlen, vl_policy=policy)
    rng = random.Random(f"{kernel}/{vlen}/{policy}")
    for size in lengths(kernel, vlen, policy, thorough, step=16):
        h, r, data = rng.getrandbits(130), rng.getrandbits(128) & CLAMP, rng.randbytes(size)
        poly = make_poly1305(h, r)
        kernels.poly1305_blocks(machine, kernel, poly, data)
        check_state(poly, absorb(h % P, r, data))


@pytest.mark.parametrize("kernel", tokens("poly1305_blocks"))
def test_poly1305_extremes(kernel):
    """h at the ends of its range, r and data all ones, both pad bits."""
    machine = kernels.machine_for(kernel, 128)
    for h in (0, 1, P - 1, P, 2**130 - 1, 5 * 2**128 - 1):
        for r in (0, 1, CLAMP):
            for fill in (b"\0", b"\xff"):
                for blocks in (1, 2, 3, 4, 5, 8, 17, 33):
                    for padbit in (0, 1):
                        poly, data = make_poly1305(h, r), fill * 16 * blocks
                        kernels.poly1305_blocks(machine, kernel, poly, data, padbit)
                        check_state(poly, absorb(h % P, r, data, padbit))


@pytest.mark.parametrize("kernel", tokens("poly1305_blocks"))
def test_poly1305_splits(kernel):
    """One message in two calls, split at every block: the state may be left and entered."""
    machine = kernels.machine_for(kernel, 256)
    rng = random.Random(7)
    r, data = rng.getrandbits(128) & CLAMP, rng.randbytes(16 * 40)
    for split in range(0, 41):
        poly = make_poly1305(0, r)
        kernels.poly1305_blocks(machine, kernel, poly, data[: 16 * split])
        kernels.poly1305_blocks(machine, kernel, poly, data[16 * split :])
        check_state(poly, absorb(0, r, data))


@pytest.mark.parametrize("kernel", [k for k in tokens("poly1305_blocks") if k not in SCALAR])
def test_poly1305_vlen_changes(kernel):
    """Calls on one state at different vector lengths: the cached powers serve all of them, whether
    a call needs fewer than there are or more."""
    machines = [kernels.machine_for(kernel, vlen) for vlen in (512, 128, 65536, 256, 4096)]
    rng = random.Random(11)
    for counts in ((130, 1, 300, 2000, 64), (40, 300, 33000, 7, 2100), (2000, 2000, 40, 300, 3)):
        h, r = rng.getrandbits(130), rng.getrandbits(128) & CLAMP
        poly, wanted = make_poly1305(h, r), h % P
        for machine, blocks in zip(machines, counts, strict=True):
            data = rng.randbytes(16 * blocks)
            kernels.poly1305_blocks(machine, kernel, poly, data)
            wanted = absorb(wanted, r, data)
            check_state(poly, wanted)


@pytest.mark.parametrize("kernel, vlen, policy", cases("aead"))
def test_aead(kernel, vlen, policy, thorough):
    machine = kernels.machine_for(kernel, vlen, vl_policy=policy)
    rng = random.Random(f"{kernel}/{vlen}/{policy}")
    state, key, nonce = make_state(rng)
    for size in lengths(kernel, vlen, policy, thorough, step=64):
        if not size:
            continue  # the contract excludes it
        h, r, data = rng.getrandbits(130), rng.getrandbits(128) & CLAMP, rng.randbytes(size)
        result = xor(data, keystream(key, nonce, size))
        for decrypt in (False, True):
            poly, out = make_poly1305(h, r), bytearray(size)
            kernels.aead(machine, kernel, state, poly, data, out, decrypt)
            assert out == result
            check_state(poly, absorb(h % P, r, data if decrypt else result))


# --- constant time: key, message and state marked secret ---


@pytest.mark.parametrize("vlen", (128, 256, 1024))
@pytest.mark.parametrize("symbol", SYMBOLS)
def test_no_secret_steers(symbol, vlen):
    """No branch, address, vl or variable-latency instruction depends on a secret."""
    function, _, kernel = symbol.removeprefix("fc_").rpartition("_")
    lanes = 4 if kernel in SCALAR else vlen // 32
    if kernel in SCALAR and vlen != 128:
        vlen = 128
    machine = kernels.machine_for(kernel, vlen, secrets=True)
    rng = random.Random(symbol)
    state, _, _ = make_state(rng)
    sizes = (0, 1, 15, 16, 63, 64, 65, 255, 256, 257, 64 * lanes, 64 * lanes + 33, 129 * lanes)
    for size in sizes:
        data = rng.randbytes(size)
        if function == "chacha20":
            for block0 in (None, bytearray(64)):
                kernels.chacha20(machine, kernel, state, block0, data, bytearray(size))
        elif function == "hchacha20":
            kernels.hchacha20(machine, kernel, bytearray(32), state)
        elif function == "poly1305_blocks":
            poly = make_poly1305(rng.getrandbits(130), rng.getrandbits(128) & CLAMP)
            kernels.poly1305_blocks(machine, kernel, poly, data[: size // 16 * 16])
        elif size >= 64:
            assert function == "aead"
            for decrypt in (False, True):
                poly = make_poly1305(rng.getrandbits(130), rng.getrandbits(128) & CLAMP)
                whole = data[: size // 64 * 64]
                kernels.aead(machine, kernel, state, poly, whole, bytearray(len(whole)), decrypt)
