"""ChaCha20, XChaCha20 and hchacha20: chunking, position, counter ranges, exhaustion."""

import model
import pytest
from support import (
    KEY,
    LIMIT,
    NONCE8,
    NONCE12,
    NONCE16,
    NONCE24,
    STREAMS,
    pattern,
)

from fastchacha import ChaCha20, XChaCha20, hchacha20

ROUNDS = (8, 12, 20)


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_keystream_is_the_model_s(cls, nonce, rounds):
    expected = model.keystream(KEY, nonce, 0, 2048, rounds)
    assert cls(KEY, nonce, rounds=rounds).keystream(2048) == expected
    message = pattern(2048)
    assert cls(KEY, nonce, rounds=rounds).encrypt(message) == model.xor(message, expected)
    assert cls(KEY, nonce, counter=7, rounds=rounds).keystream(1600) == expected[448:]


@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_every_length(cls, nonce, thorough):
    expected = cls(KEY, nonce).keystream(4400)
    message = pattern(4400)
    assert expected[:2048] == model.keystream(KEY, nonce, 0, 2048)
    for n in range(4200 if thorough else 1400):
        result = cls(KEY, nonce).encrypt(message[:n])
        assert result == model.xor(message[:n], expected)
        # From the middle of a block, too.
        stream = cls(KEY, nonce)
        stream.seek(n % 67)
        assert stream.encrypt(message[:n]) == model.xor(message[:n], expected[n % 67 :])


@pytest.mark.parametrize("size", [1, 3, 63, 64, 65, 130, 1000])
@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_any_chunking_gives_the_same_bytes(cls, nonce, size):
    message = pattern(3000)
    expected = cls(KEY, nonce).encrypt(message)
    stream, into, decrypting = cls(KEY, nonce), cls(KEY, nonce), cls(KEY, nonce)
    out = bytearray(3000)
    for i in range(0, 3000, size):
        piece = message[i : i + size]
        assert stream.tell() == i
        assert stream.encrypt(piece) == expected[i : i + size]
        assert into.encrypt_into(piece, memoryview(out)[i:]) == len(piece)
        assert decrypting.decrypt(expected[i : i + size]) == piece
    assert out == expected
    assert stream.tell() == into.tell() == decrypting.tell() == 3000


def test_methods_share_one_position():
    stream = ChaCha20(KEY, NONCE12)
    expected = ChaCha20(KEY, NONCE12).keystream(500)
    out = bytearray(100)
    got = stream.encrypt(bytes(100)) + stream.decrypt(bytes(100)) + stream.keystream(100)
    assert stream.encrypt_into(bytes(100), out) == 100
    got += out
    out[:] = bytes(100)
    assert stream.decrypt_into(bytes(100), out) == 100
    assert got + out == expected


def test_xchacha20_is_hchacha20_and_the_8_byte_nonce():
    for rounds in ROUNDS:
        subkey = hchacha20(KEY, NONCE24[:16], rounds=rounds)
        assert subkey == model.hchacha(KEY, NONCE24[:16], rounds)
        expected = ChaCha20(subkey, NONCE24[16:], rounds=rounds).keystream(300)
        assert XChaCha20(KEY, NONCE24, rounds=rounds).keystream(300) == expected
    assert hchacha20(KEY, NONCE16) == hchacha20(KEY, NONCE16, rounds=20)
    # The draft's form (32-bit counter, four zero bytes before the rest of the nonce) is the same.
    ietf = ChaCha20(hchacha20(KEY, NONCE24[:16]), bytes(4) + NONCE24[16:])
    assert XChaCha20(KEY, NONCE24).keystream(300) == ietf.keystream(300)


@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_64_bit_counters_carry_at_2_to_the_32(cls, nonce):
    """With 12 bytes of nonce there is no block 2**32; with 8 or 24 the counter carries."""
    start = 2**38 - 200
    stream = cls(KEY, nonce, counter=2**32 - 4)
    stream.seek(start)
    expected = model.keystream(KEY, nonce, start, 200)
    if len(nonce) == 12:
        assert stream.keystream(200) == expected
        return
    expected += model.keystream(KEY, nonce, 2**38, 3000)
    for size in (3200, 200, 1, 64, 257):
        stream.seek(start)
        got = b"".join(stream.encrypt(bytes(min(size, 3200 - i))) for i in range(0, 3200, size))
        assert got == expected
    assert cls(KEY, nonce, counter=2**32).keystream(64) == expected[200:264]
    assert cls(KEY, nonce, counter=2**32 - 1).keystream(128) == expected[136:264]
    assert cls(KEY, nonce, counter=2**63).keystream(64) == model.keystream(KEY, nonce, 2**69, 64)


# ---- seek and tell ------------------------------------------------------------------------------
@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_seek_reaches_every_offset(cls, nonce):
    limit = LIMIT[len(nonce)]
    stream = cls(KEY, nonce, counter=5)
    assert stream.tell() == 320
    offsets = [0, 1, 63, 64, 65, 2**20 + 17, 2**31 - 1, 2**32, 2**37 + 9, 2**38 - 65, 2**38 - 1]
    offsets += [limit // 2 - 1, limit // 2, limit - 129, limit - 64, limit - 1]
    for offset in offsets:
        assert stream.seek(offset) is None
        assert stream.tell() == offset
        n = min(100, limit - offset)
        assert stream.keystream(n) == model.keystream(KEY, nonce, offset, n)
        assert stream.tell() == offset + n
    stream.seek(limit)
    assert stream.tell() == limit
    assert stream.encrypt(b"") == b""
    assert stream.keystream(0) == b""
    with pytest.raises(OverflowError):
        stream.encrypt(b"x")
    assert stream.tell() == limit
    stream.seek(0)  # the end is not final
    assert stream.keystream(64) == model.keystream(KEY, nonce, 0, 64)


@pytest.mark.parametrize("cls, nonce", STREAMS)
@pytest.mark.parametrize("beyond", [1, 64, 2**70, 2**200])
def test_seek_beyond_the_end(cls, nonce, beyond):
    stream = cls(KEY, nonce)
    stream.seek(77)
    for offset in (LIMIT[len(nonce)] + beyond, -beyond):
        with pytest.raises(ValueError, match=str(offset)):
            stream.seek(offset)
        assert stream.tell() == 77


@pytest.mark.parametrize("cls, nonce", STREAMS)
@pytest.mark.parametrize("wrong", [1.0, "1", None, b"1"], ids=repr)
def test_numbers_must_be_int(cls, nonce, wrong):
    stream = cls(KEY, nonce)
    stream.seek(9)
    for call in (stream.seek, stream.keystream):
        with pytest.raises(TypeError):
            call(wrong)
    assert stream.tell() == 9
    for name in ("counter", "rounds"):
        with pytest.raises(TypeError):
            cls(KEY, nonce, **{name: wrong})


# ---- the counter's range ------------------------------------------------------------------------
@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_counter_range(cls, nonce):
    blocks = LIMIT[len(nonce)] // 64
    for counter in (0, 1, 2**31, 2**32 - 1, blocks - 1):
        stream = cls(KEY, nonce, counter=counter)
        assert stream.tell() == 64 * counter
        assert stream.keystream(64) == model.keystream(KEY, nonce, 64 * counter, 64)
    for counter in (-1, -(2**63), blocks, blocks + 1, 2**64, 2**70, 2**200):
        with pytest.raises(ValueError, match=str(counter)):
            cls(KEY, nonce, counter=counter)


@pytest.mark.parametrize("rounds", [-20, 0, 1, 6, 7, 9, 10, 16, 19, 21, 24, 2**32 + 20, 2**64 + 20])
def test_rounds(rounds):
    for call in (
        lambda: ChaCha20(KEY, NONCE12, rounds=rounds),
        lambda: XChaCha20(KEY, NONCE24, rounds=rounds),
        lambda: hchacha20(KEY, NONCE16, rounds=rounds),
    ):
        with pytest.raises(ValueError, match=f"8, 12 or 20.*{rounds}"):
            call()


@pytest.mark.parametrize("n", [-1, -64, -(2**63), -(2**200)])
def test_negative_keystream(n):
    stream = ChaCha20(KEY, NONCE12)
    with pytest.raises(ValueError, match=str(n)):
        stream.keystream(n)
    assert stream.tell() == 0


# ---- exhaustion ---------------------------------------------------------------------------------
CONSUMERS = {
    "encrypt": lambda s, n: s.encrypt(bytes(n)),
    "decrypt": lambda s, n: s.decrypt(bytes(n)),
    "encrypt_into": lambda s, n: into(s.encrypt_into, n),
    "decrypt_into": lambda s, n: into(s.decrypt_into, n),
    "keystream": lambda s, n: s.keystream(n),
}


def into(method, n):
    out = bytearray(n)
    assert method(bytes(n), out) == n
    return bytes(out)


@pytest.mark.parametrize("consume", CONSUMERS.values(), ids=CONSUMERS)
@pytest.mark.parametrize("left", [1, 63, 64, 65, 128, 1000])
@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_last_block_is_usable_and_the_next_is_not(cls, nonce, left, consume):
    limit = LIMIT[len(nonce)]
    expected = model.keystream(KEY, nonce, limit - left, left)
    stream = cls(KEY, nonce)
    for excess in (1, 63, 64, 65, 4096):
        stream.seek(limit - left)
        with pytest.raises(OverflowError):
            consume(stream, left + excess)
        assert stream.tell() == limit - left
        assert consume(stream, left) == expected
        assert stream.tell() == limit
        with pytest.raises(OverflowError):
            consume(stream, excess)
        assert stream.tell() == limit
        assert consume(stream, 0) == b""


@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_exhaustion_writes_nothing(cls, nonce):
    stream = cls(KEY, nonce)
    for n in (65, 200, 5000):
        stream.seek(LIMIT[len(nonce)] - 64)
        before = pattern(n)
        out = bytearray(before)
        for source in (bytes(n), out):
            with pytest.raises(OverflowError):
                stream.encrypt_into(source, out)
            assert out == before


def test_last_block_by_counter():
    stream = ChaCha20(KEY, NONCE12, counter=2**32 - 1)
    assert stream.encrypt(bytes(64)) == model.keystream(KEY, NONCE12, 2**38 - 64, 64)
    with pytest.raises(OverflowError):
        stream.encrypt(b"\0")
    stream = ChaCha20(KEY, NONCE8, counter=2**64 - 1)
    assert stream.encrypt(bytes(64)) == model.keystream(KEY, NONCE8, 2**70 - 64, 64)
    with pytest.raises(OverflowError):
        stream.encrypt(b"\0")


@pytest.mark.parametrize("n", [2**31, 2**38 + 1, 2**63 - 1, 2**63, 2**64, 2**70, 2**200])
def test_keystream_longer_than_what_is_left(n):
    """Told before memory for it is asked for."""
    stream = ChaCha20(KEY, NONCE12)
    stream.seek(2**38 - 100)
    with pytest.raises(OverflowError):
        stream.keystream(n)
    assert stream.tell() == 2**38 - 100


# ---- outputs ------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["encrypt_into", "decrypt_into"])
@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_into_leaves_the_rest_of_a_longer_output(cls, nonce, name):
    for n in (0, 1, 64, 100, 1000):
        message = pattern(n)
        out = bytearray(b"\xa5" * (n + 100))
        assert getattr(cls(KEY, nonce), name)(message, out) == n
        assert out[:n] == cls(KEY, nonce).encrypt(message)
        assert out[n:] == b"\xa5" * 100


@pytest.mark.parametrize("name", ["encrypt_into", "decrypt_into"])
@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_into_a_shorter_output(cls, nonce, name):
    stream = cls(KEY, nonce)
    for n, m in ((1, 0), (64, 63), (1000, 999), (1000, 0)):
        out = bytearray(b"\xa5" * m)
        with pytest.raises(ValueError, match=rf"\b{n}\b.*\b{m}\b"):
            getattr(stream, name)(pattern(n), out)
        assert out == b"\xa5" * m
        assert stream.tell() == 0


@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_in_place(cls, nonce):
    for n in (0, 1, 63, 64, 65, 1000, 70000):
        message = pattern(n)
        out = bytearray(message)
        assert cls(KEY, nonce).encrypt_into(out, out) == n
        assert out == cls(KEY, nonce).encrypt(message)
        assert cls(KEY, nonce).decrypt_into(out, out) == n
        assert out == message


def test_generate_key():
    for cls in (ChaCha20, XChaCha20):
        keys = {cls.generate_key() for _ in range(100)}
        assert len(keys) == 100
        assert all(type(key) is bytes and len(key) == 32 for key in keys)


def test_a_failed_call_moves_nothing():
    stream = ChaCha20(KEY, NONCE12)
    stream.seek(100)
    for exception, call in (
        (TypeError, lambda: stream.encrypt("text")),
        (TypeError, lambda: stream.encrypt_into(b"abc", None)),
        (BufferError, lambda: stream.encrypt_into(b"abc", b"abc")),
        (BufferError, lambda: stream.encrypt(memoryview(bytes(10))[::2])),
        (ValueError, lambda: stream.encrypt_into(b"abc", bytearray(2))),
    ):
        with pytest.raises(exception):
            call()
        assert stream.tell() == 100
