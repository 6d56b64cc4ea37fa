"""Poly1305 against a big-integer model, with r and the accumulator h at all edges."""

import random

import model
import pytest
from model import R_MASK, P
from support import KEY, pattern

from fastchacha import InvalidTag, Poly1305

# r: the clamp's extremes, single limbs (of 64, 44, 32 and 26 bits) full and empty.
R_EDGES = {
    "0": 0,
    "1": 1,
    "2": 2,
    "4": 4,
    "max": R_MASK,
    "max-4<<64": R_MASK - (4 << 64),
    "low64": R_MASK & (2**64 - 1),
    "high64": R_MASK & ~(2**64 - 1),
    "low32": R_MASK & (2**32 - 1),
    "2**64": 0x4 << 64,
    "top": 0x0FFFFFFC << 96,
    "limbs26-even": R_MASK & sum((2**26 - 1) << i for i in (0, 52, 104)),
    "limbs26-odd": R_MASK & sum((2**26 - 1) << i for i in (26, 78)),
    "limbs44": R_MASK & ((2**44 - 1) << 44),
    "random": int.from_bytes(pattern(16, "r"), "little") & R_MASK,
}
# h before a block is added: around p, the words' and the limbs' borders, all-ones limbs.
H_EDGES = {
    "0": 0,
    "1": 1,
    "4": 4,
    "5": 5,
    "p-1": P - 1,
    "p-2": P - 2,
    "p-5": P - 5,
    "2**129": 2**129,
    "2**128-1": 2**128 - 1,
    "2**128": 2**128,
    "2**128+2**64-1": 2**128 + 2**64 - 1,
    "3*2**128": 3 * 2**128,
    "3*2**128-1": 3 * 2**128 - 1,
    "2**64-1": 2**64 - 1,
    "2**64": 2**64,
    "ones-high": (2**64 - 1) << 64,
    "2**104-1": 2**104 - 1,
    "2**44-1": 2**44 - 1,
    "limbs26-even": sum((2**26 - 1) << i for i in (0, 52, 104)),
    "limbs26-odd": sum((2**26 - 1) << i for i in (26, 78)),
}
S_EDGES = [0, 1, 5, 2**64 - 1, 2**64, 2**127, 2**128 - 5, 2**128 - 1]


def key_of(r, s=0):
    return r.to_bytes(16, "little") + s.to_bytes(16, "little")


def blocks_to_reach(target, r, before):
    """At least `before` random blocks and one more, after which h mod p is `target`."""
    rng = random.Random(f"{target} {r} {before}")
    inverse = pow(r, -1, P)
    for attempt in range(1, 10000):
        message = rng.randbytes(16 * before)
        h = 0
        for i in range(0, len(message), 16):
            h = (h + int.from_bytes(message[i : i + 16], "little") + 2**128) * r % P
        last = (target * inverse - h - 2**128) % P
        if last < 2**128:  # one time in four
            return message + last.to_bytes(16, "little")
        # Nothing random to vary, or too small an r for so few blocks: one block more.
        before += before == 0 or attempt % 16 == 0
    raise AssertionError("not reached")


def check(key, message):
    expected = model.poly1305(key, message)
    assert Poly1305.generate_tag(key, message) == expected
    for split in {0, 1, 16, 17, len(message) // 2, len(message) - 1, len(message)}:
        if 0 <= split <= len(message):
            mac = Poly1305(key)
            mac.update(message[:split])
            mac.update(message[split:])
            assert mac.finalize() == expected


@pytest.mark.parametrize("h", H_EDGES.values(), ids=H_EDGES)
@pytest.mark.parametrize("r", R_EDGES.values(), ids=R_EDGES)
def test_h_and_r_at_the_edges(r, h):
    # Few blocks, and enough for the widest vector kernels' main loops.
    for before in (0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 39):
        message = blocks_to_reach(h, r, before) if r else pattern(16 * before + 16)
        for rest in (b"", b"\0", b"\xff" * 16, bytes(16), b"\xff" * 15, b"\xfb" + b"\xff" * 15):
            check(key_of(r), message + rest)


@pytest.mark.parametrize("fill", [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF], ids=hex)
@pytest.mark.parametrize("r", R_EDGES.values(), ids=R_EDGES)
def test_uniform_messages(r, fill):
    for s in S_EDGES:
        for n in (0, 1, 15, 16, 17, 32, 64, 100, 128, 240, 256, 257, 512, 1000, 1024):
            key, message = key_of(r, s), bytes([fill]) * n
            assert Poly1305.generate_tag(key, message) == model.poly1305(key, message)


@pytest.mark.parametrize("s", S_EDGES, ids=hex)
def test_addition_of_s_wraps(s):
    for h in H_EDGES.values():
        check(key_of(R_MASK, s), blocks_to_reach(h, R_MASK, 2))


def test_r_is_clamped():
    for r in (2**128 - 1, 2**128 - 1 - R_MASK, int.from_bytes(pattern(16), "little")):
        for n in (16, 100, 1000):
            assert Poly1305.generate_tag(key_of(r), pattern(n)) == Poly1305.generate_tag(
                key_of(r & R_MASK), pattern(n)
            )
            check(key_of(r), pattern(n))


def test_every_length(thorough):
    for n in range(4200 if thorough else 1100):
        message = pattern(n)
        assert Poly1305.generate_tag(KEY, message) == model.poly1305(KEY, message)


def test_every_split_in_two():
    for n in (16, 48, 130, 300):
        message = pattern(n)
        expected = model.poly1305(KEY, message)
        for i in range(n + 1):
            mac = Poly1305(KEY)
            mac.update(message[:i])
            mac.update(message[i:])
            assert mac.finalize() == expected


def test_zeros_in_closed_form(thorough):
    for n in (0, 1, 16, 4095, 65536, 2**20 + 5, *([2**28 + 1] if thorough else [])):
        for r in R_EDGES.values():
            key = key_of(r, 77)
            assert Poly1305.generate_tag(key, bytes(n)) == model.poly1305_zeros(key, n)


# ---- verify -------------------------------------------------------------------------------------
def test_verify():
    for n in (0, 1, 16, 100, 3000):
        message = pattern(n)
        tag = Poly1305.generate_tag(KEY, message)
        assert Poly1305.verify_tag(KEY, message, tag) is None
        mac = Poly1305(KEY)
        mac.update(message)
        assert mac.verify(tag) is None
        for bit in range(128):
            wrong = (int.from_bytes(tag, "little") ^ 1 << bit).to_bytes(16, "little")
            with pytest.raises(InvalidTag):
                Poly1305.verify_tag(KEY, message, wrong)
            mac = Poly1305(KEY)
            mac.update(message)
            with pytest.raises(InvalidTag):
                mac.verify(wrong)


@pytest.mark.parametrize("n", [*range(16), 17, 31, 32, 1000])
def test_a_tag_of_another_length_is_invalid_tag(n):
    tag = (Poly1305.generate_tag(KEY, b"") * 63)[:n]
    with pytest.raises(InvalidTag, match=rf"16.*\b{n}\b"):
        Poly1305.verify_tag(KEY, b"", tag)
    with pytest.raises(InvalidTag, match=rf"16.*\b{n}\b"):
        Poly1305(KEY).verify(tag)


@pytest.mark.parametrize("end", ["finalize", "verify", "failed verify", "verify of 3 bytes"])
def test_use_after_finalize(end):
    mac = Poly1305(KEY)
    tag = Poly1305.generate_tag(KEY, b"")
    if end == "finalize":
        assert mac.finalize() == tag
    elif end == "verify":
        mac.verify(tag)
    else:
        with pytest.raises(InvalidTag):
            mac.verify(bytes(16) if end == "failed verify" else tag[:3])
    for call in (
        mac.finalize,
        lambda: mac.update(b"x"),
        lambda: mac.update(b""),
        lambda: mac.verify(tag),
        lambda: mac.verify(bytes(16)),
        lambda: mac.verify(b"abc"),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert not isinstance(caught.value, InvalidTag)


def test_the_key_is_taken_at_once():
    key = bytearray(KEY)
    mac = Poly1305(key)
    key[:] = bytes(32)
    key.clear()
    mac.update(b"abc")
    assert mac.finalize() == model.poly1305(KEY, b"abc")
