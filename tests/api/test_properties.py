"""Random inputs: the package against `cryptography`, in random pieces, and against itself."""

import struct

import model
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import poly1305 as peer_poly1305
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers import aead as peer_aead
from hypothesis import given
from hypothesis import strategies as st
from support import AEADS, LIMIT, STREAMS

from fastchacha import (
    ChaCha20,
    ChaCha20Poly1305,
    InvalidTag,
    Poly1305,
    XChaCha20,
    XChaCha20Poly1305,
    hchacha20,
)

keys = st.binary(min_size=32, max_size=32)
# Long enough for every kernel's main loop; a seed and a length keep the examples small.
messages = st.one_of(
    st.binary(max_size=300),
    st.builds(
        lambda seed, n: (seed * (n // 8 + 1))[:n],
        st.binary(min_size=8, max_size=8),
        st.integers(0, 10000),
    ),
)
cuts = st.lists(st.integers(0, 10000), max_size=12)
small = st.binary(max_size=80)


def nonces(n):
    return st.binary(min_size=n, max_size=n)


def pieces(message, places):
    places = sorted({min(i, len(message)) for i in places} | {0, len(message)})
    for a, b in zip(places, [*places[1:], len(message)], strict=True):
        yield message[a:b]


def peer_stream(key, nonce, counter, message):
    """`cryptography`'s ChaCha20: it takes the counter's 4 or 8 bytes in front of the nonce."""
    whole = counter.to_bytes(16 - len(nonce), "little") + nonce
    return Cipher(algorithms.ChaCha20(key, whole), None).encryptor().update(message)


# Its counter carries within 32 bits only: no message here passes that end.
counters = st.one_of(st.integers(0, 1000), st.integers(2**32 - 400, 2**32 - 200))


@given(keys, nonces(12), counters, messages, cuts)
def test_stream_12_byte_nonce(key, nonce, counter, message, places):
    expected = peer_stream(key, nonce, counter, message)
    stream = ChaCha20(key, nonce, counter=counter)
    assert b"".join(stream.encrypt(p) for p in pieces(message, places)) == expected
    assert stream.tell() == 64 * counter + len(message)
    assert ChaCha20(key, nonce, counter=counter).decrypt(expected) == message


@given(keys, nonces(8), counters, messages, cuts)
def test_stream_8_byte_nonce(key, nonce, counter, message, places):
    expected = peer_stream(key, nonce, counter, message)
    stream = ChaCha20(key, nonce, counter=counter)
    assert b"".join(stream.encrypt(p) for p in pieces(message, places)) == expected
    high = counter + 12345 * 2**32
    stream = ChaCha20(key, nonce, counter=high)
    assert stream.encrypt(message) == peer_stream(key, nonce, high, message)


@given(keys, nonces(24), counters, messages, cuts)
def test_xchacha20(key, nonce, counter, message, places):
    subkey = hchacha20(key, nonce[:16])
    assert subkey == model.hchacha(key, nonce[:16])
    expected = peer_stream(subkey, nonce[16:], counter, message)
    stream = XChaCha20(key, nonce, counter=counter)
    assert b"".join(stream.encrypt(p) for p in pieces(message, places)) == expected


@pytest.mark.parametrize("cls, nonce", STREAMS)
@given(data=st.data(), key=keys, rounds=st.sampled_from([8, 12, 20]))
def test_seek_and_tell(cls, nonce, data, key, rounds):
    """Random access gives the bytes that the model has there."""
    limit = LIMIT[len(nonce)]
    stream = cls(key, nonce, rounds=rounds)
    for _ in range(4):
        offset = data.draw(
            st.one_of(st.integers(0, limit), st.integers(0, 300), st.integers(limit - 300, limit))
        )
        n = data.draw(st.integers(0, min(300, limit - offset)))
        stream.seek(offset)
        assert stream.keystream(n) == model.keystream(key, nonce, offset, n, rounds)
        assert stream.tell() == offset + n


@given(keys, nonces(12), messages, small, cuts)
def test_aead(key, nonce, message, aad, places):
    aead = ChaCha20Poly1305(key)
    expected = peer_aead.ChaCha20Poly1305(key).encrypt(nonce, message, aad)
    assert aead.encrypt(nonce, message, aad) == expected
    assert aead.decrypt(nonce, expected, aad) == message
    check_aead_in_pieces(aead, nonce, message, aad, expected, places)


@given(keys, nonces(24), messages, small, cuts)
def test_xchacha20_aead(key, nonce, message, aad, places):
    aead = XChaCha20Poly1305(key)
    subkey = model.hchacha(key, nonce[:16])
    peer = peer_aead.ChaCha20Poly1305(subkey)
    expected = peer.encrypt(bytes(4) + nonce[16:], message, aad)
    assert aead.encrypt(nonce, message, aad) == expected
    assert aead.decrypt(nonce, expected, aad) == message
    check_aead_in_pieces(aead, nonce, message, aad, expected, places)


def check_aead_in_pieces(aead, nonce, message, aad, expected, places):
    n = len(message)
    encryptor, decryptor = aead.encryptor(nonce, aad), aead.decryptor(nonce, aad)
    in_place = bytearray(message)
    view, at = memoryview(in_place), 0
    again = aead.encryptor(nonce, aad)
    for piece in pieces(message, places):
        sealed = encryptor.update(piece)
        assert decryptor.update(sealed) == piece
        stretch = view[at : at + len(piece)]
        again.update_into(stretch, stretch)
        at += len(piece)
    assert in_place == expected[:n]
    assert encryptor.finalize() == again.finalize() == expected[n:]
    decryptor.finalize(expected[n:])


@pytest.mark.parametrize("cls, nonce", AEADS)
@given(key=keys, message=messages, aad=small, place=st.integers(0), bit=st.integers(0, 7))
def test_a_flipped_bit_is_found(cls, nonce, key, message, aad, place, bit):
    aead = cls(key)
    sealed = bytearray(aead.encrypt(nonce, message, aad))
    sealed[place % len(sealed)] ^= 1 << bit
    out = bytearray(b"\xa5" * len(message))
    with pytest.raises(InvalidTag):
        aead.decrypt(nonce, sealed, aad)
    with pytest.raises(InvalidTag):
        aead.decrypt_into(nonce, sealed, aad, out)
    assert out == bytes(len(message))


@given(keys, messages, cuts)
def test_poly1305(key, message, places):
    expected = peer_poly1305.Poly1305.generate_tag(key, message)
    assert Poly1305.generate_tag(key, message) == expected
    mac = Poly1305(key)
    for piece in pieces(message, places):
        mac.update(piece)
    assert mac.finalize() == expected


@given(keys, messages, st.binary(max_size=20))
def test_poly1305_verify(key, message, tag):
    try:
        peer_poly1305.Poly1305.verify_tag(key, message, tag)
        good = True
    except InvalidSignature:
        good = False
    if good:
        Poly1305.verify_tag(key, message, tag)
    else:
        with pytest.raises(InvalidTag):
            Poly1305.verify_tag(key, message, tag)


@given(keys, nonces(16))
def test_the_16_byte_form_of_others(key, whole):
    """What the message for a 16-byte nonce advises gives `cryptography`'s stream."""
    counter = int.from_bytes(whole[:4], "little")
    if counter + 5 >= 2**32:
        return
    (first,) = struct.unpack("<I", whole[:4])
    assert first == counter
    theirs = Cipher(algorithms.ChaCha20(key, whole), None).encryptor().update(bytes(300))
    assert ChaCha20(key, whole[4:], counter=counter).keystream(300) == theirs
