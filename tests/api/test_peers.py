"""Faults that other packages have or had, each with a test that it is absent here."""

import mmap

import model
import pytest
from support import (
    AEADS,
    IS_64_BIT,
    KEY,
    LIMIT,
    NONCE8,
    NONCE12,
    NONCE24,
    STREAMS,
    check_python,
    in_threads,
    pattern,
)

from fastchacha import (
    ChaCha20,
    ChaCha20Poly1305,
    InvalidTag,
    Poly1305,
    XChaCha20,
    XChaCha20Poly1305,
)


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_no_unverified_plaintext_after_a_failed_decrypt_into(cls, nonce):
    """A decrypt_into that raised and had written the forged message's plaintext."""
    aead = cls(KEY)
    for n in (1, 64, 1000, 50000):
        secret = b"S" * n
        forged = bytearray(aead.encrypt(nonce, secret, b"aad"))
        forged[-1] ^= 0x80
        out = bytearray(b"\xa5" * n)
        with pytest.raises(InvalidTag):
            aead.decrypt_into(nonce, forged, b"aad", out)
        assert out == bytes(n)
        before = bytes(forged)
        with memoryview(forged) as view, pytest.raises(InvalidTag):
            aead.decrypt_into(nonce, view, b"aad", view[:n])
        assert forged == before


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_no_valid_tag_over_wrong_ciphertext_when_buffers_partly_overlap(cls, nonce):
    """An encrypt_into that read what it had written, and authenticated it."""
    aead = cls(KEY)
    n = 1000
    for offset in (-64, -16, -1, 1, 16, 64, 500):
        memory = bytearray(3000)
        memory[1000 : 1000 + n] = pattern(n)
        view = memoryview(memory)
        buf = view[1000 + offset : 1000 + offset + n + 16]
        try:
            aead.encrypt_into(nonce, view[1000 : 1000 + n], b"aad", buf)
        except ValueError as error:
            assert not isinstance(error, InvalidTag)
        else:
            assert aead.decrypt(nonce, buf, b"aad") == pattern(n)


@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_no_duplicate_keystream_from_a_stream_shared_by_threads(cls, nonce):
    """A stream object whose position two threads read before either moved it."""
    stream = cls(KEY, nonce)
    chunks = in_threads(8, lambda i: [stream.keystream(64) for _ in range(50)])
    flat = [chunk for got in chunks for chunk in got]
    whole = cls(KEY, nonce).keystream(64 * len(flat))
    expected = [whole[i : i + 64] for i in range(0, len(whole), 64)]
    assert sorted(flat) == sorted(expected)


@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_no_process_abort_past_the_last_block(cls, nonce):
    """A counter overflow that ended the process, or went on from block 0."""
    told = check_python(
        f"""
import fastchacha
cls, nonce = fastchacha.{cls.__name__}, bytes({len(nonce)})
end = {LIMIT[len(nonce)]}
for n in (1, 63, 64, 65, 1000):
    for left in (0, 1, 64, 200):
        stream = cls(bytes(32), nonce)
        stream.seek(end - left)
        try:
            stream.encrypt(bytes(left + n))
        except OverflowError:
            assert stream.tell() == end - left
        else:
            raise AssertionError("went on past the end")
print("alive")
"""
    )
    assert told.strip() == "alive"


def test_no_nonce_or_key_of_wrong_length_is_accepted():
    """Nonces that were cut or filled up, keys of 16 bytes."""
    for n in range(0, 70):
        makers = [
            (lambda b: ChaCha20(b, NONCE12), {32}),
            (lambda b: ChaCha20(KEY, b), {8, 12}),
            (lambda b: XChaCha20(b, NONCE24), {32}),
            (lambda b: XChaCha20(KEY, b), {24}),
            (Poly1305, {32}),
            (ChaCha20Poly1305, {32}),
            (XChaCha20Poly1305, {32}),
            (lambda b: ChaCha20Poly1305(KEY).encrypt(b, b""), {12}),
            (lambda b: ChaCha20Poly1305(KEY).decrypt(b, bytes(40)), {12}),
            (lambda b: XChaCha20Poly1305(KEY).encrypt(b, b""), {24}),
            (lambda b: ChaCha20Poly1305(KEY).encryptor(b), {12}),
            (lambda b: XChaCha20Poly1305(KEY).decryptor(b), {24}),
        ]
        for make, sizes in makers:
            try:
                make(bytes(n))
            except InvalidTag:
                assert n in sizes
            except ValueError:
                assert n not in sizes
            else:
                assert n in sizes


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_15_byte_ciphertext_is_invalid_tag(cls, nonce):
    """A ciphertext shorter than its tag answered with a stray error."""
    with pytest.raises(InvalidTag):
        cls(KEY).decrypt(nonce, bytes(15))
    with pytest.raises(InvalidTag):
        cls(KEY).decrypt_into(nonce, bytes(15), None, bytearray(0))


@pytest.mark.skipif(not IS_64_BIT, reason="no object is that long on 32 bits")
def test_no_overflow_error_at_2_gib():
    """A limit of 2**31 - 1 bytes. Lengths are told without touching memory; 5 GiB are in
    test_limits.TestFiveGiB, and Poly1305 there takes more than 2 GiB in every run."""
    reservation = mmap.mmap(-1, 2**31 + 1, access=mmap.ACCESS_READ)
    for call in (
        lambda: ChaCha20(KEY, NONCE12).encrypt_into(reservation, bytearray(1)),
        lambda: ChaCha20Poly1305(KEY).encrypt_into(NONCE12, reservation, None, bytearray(1)),
        lambda: ChaCha20Poly1305(KEY).encryptor(NONCE12).update_into(reservation, bytearray(1)),
    ):
        with pytest.raises(ValueError, match=str(2**31 + 1)[:-2]):
            call()


def test_the_keystream_of_a_big_endian_machine_is_the_same():
    """Words that were stored in the machine's order."""
    for nonce in (NONCE8, NONCE12):
        assert ChaCha20(KEY, nonce, counter=0x01020304).keystream(64) == model.keystream(
            KEY, nonce, 64 * 0x01020304, 64
        )
