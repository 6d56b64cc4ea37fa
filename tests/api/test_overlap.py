"""Inputs and outputs in one memory, at every offset: the right result or ValueError.

`base` is where the input begins in an arena, the output begins `offset` bytes after it. What is not
an overlap, and what begins at the same byte (in place), must work.
"""

import pytest
from support import AEADS, KEY, STREAMS, pattern

from fastchacha import InvalidTag

OFFSETS = range(-130, 131)
BASE = 200
# Around one block, the key block and the first stretch, and less than the largest offset.
LENGTHS = (1, 16, 64, 100, 128, 300, 1100)


def overlapping(a, n, b, m):
    return n > 0 and m > 0 and a < b + m and b < a + n


def refused(call, *arguments):
    """Did the call raise ValueError, and no InvalidTag?"""
    try:
        call(*arguments)
    except InvalidTag:
        raise
    except ValueError:
        return True
    return False


class Arena:
    """One memory with things at places; `at(i, n)` is a view of n bytes from i."""

    def __init__(self, **things):
        self.memory = bytearray(pattern(2048, "arena"))
        for where, content in things.values():
            self.memory[where : where + len(content)] = content
        self.before = bytes(self.memory)
        self.view = memoryview(self.memory)

    def at(self, i, n):
        return self.view[i : i + n]

    def content(self, i, n):
        """What stood there before the call."""
        return self.before[i : i + n]

    def check(self, i, expected, ok):
        """The output is right and nothing else has changed; or the call was refused."""
        if ok:
            n = len(expected)
            assert self.memory[i : i + n] == expected
            assert self.memory[:i] == self.before[:i]
            assert self.memory[i + n :] == self.before[i + n :]


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_stream(cls, nonce, n):
    expected = cls(KEY, nonce).encrypt(pattern(n))
    later = cls(KEY, nonce)
    later.seek(37)
    expected_later = later.encrypt(pattern(n))
    for offset in OFFSETS:
        for skip, right in ((0, expected), (37, expected_later)):
            arena = Arena(data=(BASE, pattern(n)))
            stream = cls(KEY, nonce)
            stream.seek(skip)
            out = arena.at(BASE + offset, n)
            bad = refused(stream.encrypt_into, arena.at(BASE, n), out)
            arena.check(BASE + offset, right, not bad)
            if bad:
                assert stream.tell() == skip
            if offset == 0 or not overlapping(0, n, offset, n):
                assert not bad


@pytest.mark.parametrize("n", (0, *LENGTHS))
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_encrypt_into(cls, nonce, n):
    aead = cls(KEY)
    right = aead.encrypt(nonce, pattern(n), b"aad")
    for offset in OFFSETS:
        arena = Arena(data=(BASE, pattern(n)))
        buf = arena.at(BASE + offset, n + 16)
        bad = refused(aead.encrypt_into, nonce, arena.at(BASE, n), b"aad", buf)
        arena.check(BASE + offset, right, not bad)
        if offset == 0 or not overlapping(0, n, offset, n + 16):
            assert not bad


@pytest.mark.parametrize("n", (0, *LENGTHS))
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_decrypt_into(cls, nonce, n):
    """The tag, the last 16 bytes of data, may lie under the output, too."""
    aead = cls(KEY)
    plaintext = pattern(n)
    sealed = aead.encrypt(nonce, plaintext, b"aad")
    for offset in OFFSETS:
        arena = Arena(data=(BASE, sealed))
        buf = arena.at(BASE + offset, n)
        bad = refused(aead.decrypt_into, nonce, arena.at(BASE, n + 16), b"aad", buf)
        arena.check(BASE + offset, plaintext, not bad)
        if offset == 0 or not overlapping(0, n + 16, offset, n):
            assert not bad


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_failed_decrypt_into(cls, nonce, n):
    """A forgery stays one, wherever the output is, and no plaintext is left."""
    aead = cls(KEY)
    plaintext = pattern(n)
    forged = bytearray(aead.encrypt(nonce, plaintext, b"aad"))
    for place in (0, n):
        forged[place] ^= 1
        for offset in OFFSETS:
            arena = Arena(data=(BASE, bytes(forged)))
            buf = arena.at(BASE + offset, n)
            with pytest.raises(ValueError) as caught:
                aead.decrypt_into(nonce, arena.at(BASE, n + 16), b"aad", buf)
            if caught.type is InvalidTag:
                # Zeros, or the ciphertext as it came.
                assert bytes(buf) in (bytes(n), arena.content(BASE + offset, n))
            else:
                assert overlapping(0, n + 16, offset, n)
                assert arena.memory == arena.before
        forged[place] ^= 1


@pytest.mark.parametrize("m", [1, 16, 40, 200])
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_associated_data_under_the_output(cls, nonce, n, m):
    aead = cls(KEY)
    plaintext, aad = pattern(n), pattern(m, "aad")
    sealed = aead.encrypt(nonce, plaintext, aad)
    for offset in OFFSETS:
        place = BASE + offset
        # Every offset from the output's beginning, and from its end.
        for at_end in (0, n):
            arena = Arena(aad=(place + at_end, aad))
            buf = arena.at(BASE, n + 16)
            bad = refused(aead.encrypt_into, nonce, plaintext, arena.at(place + at_end, m), buf)
            arena.check(BASE, sealed, not bad)
            assert not bad or overlapping(place + at_end, m, BASE, n + 16)

            arena = Arena(aad=(place + at_end, aad))
            out = arena.at(BASE, n)
            bad = refused(aead.decrypt_into, nonce, sealed, arena.at(place + at_end, m), out)
            arena.check(BASE, plaintext, not bad)
            assert not bad or overlapping(place + at_end, m, BASE, n)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_nonce_under_the_output(cls, nonce, n):
    aead = cls(KEY)
    plaintext = pattern(n)
    sealed = aead.encrypt(nonce, plaintext, b"aad")
    for offset in OFFSETS:
        for at_end in (0, n):
            place, size = BASE + offset + at_end, len(nonce)
            arena = Arena(nonce=(place, nonce))
            buf = arena.at(BASE, n + 16)
            bad = refused(aead.encrypt_into, arena.at(place, size), plaintext, b"aad", buf)
            arena.check(BASE, sealed, not bad)
            assert not bad or overlapping(place, size, BASE, n + 16)

            arena = Arena(nonce=(place, nonce))
            out = arena.at(BASE, n)
            bad = refused(aead.decrypt_into, arena.at(place, size), sealed, b"aad", out)
            arena.check(BASE, plaintext, not bad)
            assert not bad or overlapping(place, size, BASE, n)


@pytest.mark.parametrize("first", [0, 1, 70])
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_streaming(cls, nonce, n, first):
    """update_into, as the first call and as a later one; the tag shows what was authenticated."""
    aead = cls(KEY)
    plaintext = pattern(first, "first") + pattern(n)
    sealed = aead.encrypt(nonce, plaintext, b"aad")
    ciphertext, tag = sealed[:-16], sealed[-16:]
    for offset in OFFSETS:
        for stream, source, result in (
            (aead.encryptor(nonce, b"aad"), plaintext, ciphertext),
            (aead.decryptor(nonce, b"aad"), ciphertext, plaintext),
        ):
            assert first == 0 or stream.update(source[:first]) == result[:first]
            arena = Arena(data=(BASE, source[first:]))
            out = arena.at(BASE + offset, n)
            bad = refused(stream.update_into, arena.at(BASE, n), out)
            arena.check(BASE + offset, result[first:], not bad)
            if offset == 0 or not overlapping(0, n, offset, n):
                assert not bad
            if bad:  # nothing was done: the same piece again, from elsewhere
                assert stream.update(source[first:]) == result[first:]
            if source is plaintext:
                assert stream.finalize() == tag
            else:
                stream.finalize(tag)


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_associated_data_of_the_streaming_form_under_the_output(cls, nonce):
    """It was taken when the object was made."""
    aead = cls(KEY)
    for n in (16, 300, 1100):
        plaintext, aad = pattern(n), pattern(40, "aad")
        sealed = aead.encrypt(nonce, plaintext, aad)
        for offset in range(-60, n + 20, 7):
            arena = Arena(aad=(BASE + offset, aad), nonce=(1900, nonce))
            encryptor = aead.encryptor(arena.at(1900, len(nonce)), arena.at(BASE + offset, 40))
            arena.memory[1900:] = bytes(len(arena.memory) - 1900)
            arena.before = bytes(arena.memory)
            encryptor.update_into(plaintext, arena.at(BASE, n))
            arena.check(BASE, sealed[:n], True)
            assert encryptor.finalize() == sealed[n:]
