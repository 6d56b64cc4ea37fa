"""ChaCha20Poly1305 and XChaCha20Poly1305: all forms of the call, forgeries, streaming."""

import inspect

import model
import pytest
from support import AEADS, KEY, NONCE12, NONCE24, pattern

from fastchacha import ChaCha20Poly1305, InvalidTag, XChaCha20Poly1305

# Around the block, the first stretch, the kernels' and the GIL's thresholds.
LENGTHS = [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 895, 896, 897]
LENGTHS += [959, 960, 961, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8192, 9153, 20000]


def flip(message, i, bit=1):
    return message[:i] + bytes([message[i] ^ bit]) + message[i + 1 :]


@pytest.mark.parametrize("aad", [None, b"", b"a", b"0123456789abcdef", bytes(range(100))], ids=repr)
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_against_the_model(cls, nonce, aad):
    aead = cls(KEY)
    for n in (0, 1, 16, 63, 64, 65, 200, 1025):
        message = pattern(n)
        expected = model.aead_encrypt(KEY, nonce, message, aad or b"")
        assert aead.encrypt(nonce, message, aad) == expected
        assert aead.decrypt(nonce, expected, aad) == message


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_all_forms_agree(cls, nonce):
    aead = cls(KEY)
    for n in LENGTHS:
        message, aad = pattern(n), pattern(n % 40, "aad")
        sealed = aead.encrypt(nonce, message, aad)
        ciphertext, tag = sealed[:n], sealed[n:]
        assert aead.encrypt_detached(nonce, message, aad) == (ciphertext, tag)
        assert aead.decrypt_detached(nonce, ciphertext, tag, aad) == message
        assert aead.decrypt(nonce, sealed, aad) == message

        buf = bytearray(n + 16)
        assert aead.encrypt_into(nonce, message, aad, buf) == n + 16
        assert buf == sealed
        out = bytearray(n)
        assert aead.decrypt_into(nonce, sealed, aad, out) == n
        assert out == message

        # In place: buf starts where data starts.
        buf = bytearray(message + bytes(16))
        view = memoryview(buf)
        assert aead.encrypt_into(nonce, view[:n], aad, view) == n + 16
        assert buf == sealed
        assert aead.decrypt_into(nonce, view, aad, view[:n]) == n
        assert buf[:n] == message
        assert buf[n:] == tag  # not part of the output

        encryptor, decryptor = aead.encryptor(nonce, aad), aead.decryptor(nonce, aad)
        assert encryptor.update(message) == ciphertext
        assert encryptor.finalize() == tag
        assert decryptor.update(ciphertext) == message
        assert decryptor.finalize(tag) is None


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_associated_data_none_is_empty(cls, nonce):
    aead = cls(KEY)
    assert aead.encrypt(nonce, b"x") == aead.encrypt(nonce, b"x", None)
    assert aead.encrypt(nonce, b"x", b"") == aead.encrypt(nonce, b"x", None)
    encryptor = aead.encryptor(nonce)
    assert encryptor.update(b"x") + encryptor.finalize() == aead.encrypt(nonce, b"x")


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_everything_is_authenticated(cls, nonce):
    aead = cls(KEY)
    for n, m in ((0, 0), (1, 0), (16, 5), (65, 16), (1000, 33), (3000, 0)):
        message, aad = pattern(n), pattern(m, "aad")
        sealed = aead.encrypt(nonce, message, aad)
        forgeries = []
        for i in sorted({0, n // 2, n - 1, *range(n, n + 16)} & set(range(n + 16))):
            forgeries.append((nonce, flip(sealed, i, 1 << i % 8), aad))
        forgeries += [(nonce, sealed, flip(aad, i)) for i in range(0, m, 7)]
        forgeries += [(flip(nonce, i), sealed, aad) for i in range(len(nonce))]
        forgeries += [(nonce, sealed, aad + b"\0"), (nonce, sealed + b"\0", aad)]
        forgeries += [(nonce, sealed[:-1], aad), (nonce, sealed[1:], aad)]
        for forged in forgeries:
            with pytest.raises(InvalidTag):
                aead.decrypt(*forged)
            with pytest.raises(InvalidTag):
                aead.decrypt_into(*forged, bytearray(max(0, len(forged[1]) - 16)))
            decryptor = aead.decryptor(forged[0], forged[2])
            decryptor.update(forged[1][:-16])
            with pytest.raises(InvalidTag):
                decryptor.finalize(forged[1][-16:])
        with pytest.raises(InvalidTag):
            cls(flip(KEY, 3)).decrypt(nonce, sealed, aad)


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_lengths_are_authenticated(cls, nonce):
    """Zeros do not move between the associated data, the data and the padding."""
    aead = cls(KEY)
    sealed = aead.encrypt(nonce, b"", bytes(16))
    for aad in (b"", bytes(1), bytes(15), bytes(17), bytes(32)):
        with pytest.raises(InvalidTag):
            aead.decrypt(nonce, sealed, aad)


# ---- input shorter than a tag -------------------------------------------------------------------
@pytest.mark.parametrize("n", range(16))
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_short_ciphertext_is_invalid_tag(cls, nonce, n):
    aead = cls(KEY)
    for call in (
        lambda: aead.decrypt(nonce, bytes(n)),
        # Before anything about the output is looked at: of the wrong size, read-only, no buffer.
        lambda: aead.decrypt_into(nonce, bytes(n), None, bytearray(0)),
        lambda: aead.decrypt_into(nonce, bytes(n), None, bytearray(99)),
        lambda: aead.decrypt_into(nonce, bytes(n), None, bytes(0)),
        lambda: aead.decrypt_into(nonce, bytes(n), None, None),
    ):
        with pytest.raises(InvalidTag, match=rf"16.*\b{n}\b"):
            call()


@pytest.mark.parametrize("n", [*range(16), 17, 31, 32, 1000])
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_a_tag_of_another_length_is_invalid_tag(cls, nonce, n):
    aead = cls(KEY)
    ciphertext, tag = aead.encrypt_detached(nonce, b"message")
    wrong = (tag * 63)[:n]
    with pytest.raises(InvalidTag, match=rf"16.*\b{n}\b"):
        aead.decrypt_detached(nonce, ciphertext, wrong)
    decryptor = aead.decryptor(nonce)
    decryptor.update(ciphertext)
    with pytest.raises(InvalidTag, match=rf"16.*\b{n}\b"):
        decryptor.finalize(wrong)


# ---- outputs ------------------------------------------------------------------------------------
@pytest.mark.parametrize("wrong", [-16, -1, 1, 16, 64])
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_buf_must_be_exactly_the_result_s_length(cls, nonce, wrong):
    aead = cls(KEY)
    for n in (16, 100, 3000):
        message = pattern(n)
        sealed = aead.encrypt(nonce, message)
        for belongs, call, source in (
            (n + 16, aead.encrypt_into, message),
            (n, aead.decrypt_into, sealed),
        ):
            buf = bytearray(b"\xa5" * (belongs + wrong))
            with pytest.raises(ValueError, match=rf"\b{belongs}\b.*\b{len(buf)}\b") as caught:
                call(nonce, source, None, buf)
            assert not isinstance(caught.value, InvalidTag)
            assert buf == b"\xa5" * len(buf)


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_failed_decrypt_into_leaves_no_plaintext(cls, nonce):
    aead = cls(KEY)
    for n in [*LENGTHS, 100000]:
        message = b"\x11" * n
        for at in (0, n, n + 15):
            if n == at == 0:
                continue
            forged = flip(aead.encrypt(nonce, message, b"aad"), at)
            out = bytearray(b"\xa5" * n)
            with pytest.raises(InvalidTag):
                aead.decrypt_into(nonce, forged, b"aad", out)
            assert out == bytes(n)
            # In place: the ciphertext as it came.
            buf = bytearray(forged)
            view = memoryview(buf)
            with pytest.raises(InvalidTag):
                aead.decrypt_into(nonce, view, b"aad", view[:n])
            assert buf == forged


# ---- streaming ----------------------------------------------------------------------------------
@pytest.mark.parametrize("size", [1, 15, 16, 17, 63, 64, 65, 130, 960, 1000, 5000])
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_streaming_in_chunks(cls, nonce, size):
    aead = cls(KEY)
    n = 12000 if size > 60 else 700
    message, aad = pattern(n), pattern(21)
    sealed = aead.encrypt(nonce, message, aad)
    encryptor, decryptor = aead.encryptor(nonce, aad), aead.decryptor(nonce, aad)
    sealed_out, opened_out = bytearray(n), bytearray(n)
    into, out_of = aead.encryptor(nonce, aad), aead.decryptor(nonce, aad)
    for i in range(0, n, size):
        piece = message[i : i + size]
        got = encryptor.update(piece)
        assert got == sealed[i : i + len(piece)]
        assert decryptor.update(got) == piece
        assert into.update_into(piece, memoryview(sealed_out)[i:]) == len(piece)
        assert out_of.update_into(got, memoryview(opened_out)[i:]) == len(piece)
    tag = encryptor.finalize()
    assert tag == into.finalize() == sealed[n:]
    assert sealed_out == sealed[:n]
    assert opened_out == message
    assert decryptor.finalize(tag) is None
    assert out_of.finalize(tag) is None


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_update_into_in_place_and_beyond(cls, nonce):
    aead = cls(KEY)
    for n in (0, 1, 64, 1000, 10000):
        sealed = aead.encrypt(nonce, pattern(n), b"aad")
        buf = bytearray(pattern(n))
        encryptor = aead.encryptor(nonce, b"aad")
        assert encryptor.update_into(buf, buf) == n
        assert buf == sealed[:n]
        assert encryptor.finalize() == sealed[n:]
        decryptor = aead.decryptor(nonce, b"aad")
        assert decryptor.update_into(buf, buf) == n
        assert buf == pattern(n)
        decryptor.finalize(sealed[n:])
        longer = bytearray(b"\xa5" * (n + 70))
        assert aead.encryptor(nonce, b"aad").update_into(pattern(n), longer) == n
        assert longer == sealed[:n] + b"\xa5" * 70


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_update_into_a_shorter_output(cls, nonce):
    aead = cls(KEY)
    encryptor = aead.encryptor(nonce)
    for n, m in ((1, 0), (64, 63), (1000, 999)):
        out = bytearray(b"\xa5" * m)
        with pytest.raises(ValueError, match=rf"\b{n}\b.*\b{m}\b"):
            encryptor.update_into(pattern(n), out)
        assert out == b"\xa5" * m
    # Nothing was taken.
    assert encryptor.update(b"x") + encryptor.finalize() == aead.encrypt(nonce, b"x")


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_an_empty_message_in_the_streaming_form(cls, nonce):
    aead = cls(KEY)
    for aad in (None, b"", b"aad", bytes(3000)):
        tag = aead.encrypt(nonce, b"", aad)
        assert aead.encryptor(nonce, aad).finalize() == tag
        assert aead.decryptor(nonce, aad).finalize(tag) is None
        encryptor = aead.encryptor(nonce, aad)
        assert encryptor.update(b"") == b""
        assert encryptor.update(b"") == b""
        assert encryptor.finalize() == tag


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_use_after_finalize(cls, nonce):
    aead = cls(KEY)
    ciphertext, tag = aead.encrypt_detached(nonce, b"message")

    def finished(stream, *tag):
        for call in (
            lambda: stream.update(b"x"),
            lambda: stream.update(b""),
            lambda: stream.update_into(b"x", bytearray(1)),
            lambda: stream.update_into(b"", bytearray(0)),
            lambda: stream.finalize(*tag),
        ):
            with pytest.raises(ValueError) as caught:
                call()
            assert not isinstance(caught.value, InvalidTag)

    encryptor = aead.encryptor(nonce)
    encryptor.update(b"message")
    assert encryptor.finalize() == tag
    finished(encryptor)

    for good in (tag, flip(tag, 0), tag[:15]):
        decryptor = aead.decryptor(nonce)
        decryptor.update(ciphertext)
        if good == tag:
            decryptor.finalize(good)
        else:
            with pytest.raises(InvalidTag):
                decryptor.finalize(good)
        finished(decryptor, tag)
        finished(decryptor, tag[:3])


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_arguments_are_taken_at_once(cls, nonce):
    """What encryptor() and decryptor() were given may change, grow or go afterwards."""
    aead = cls(KEY)
    message = pattern(100)
    for m in (0, 5, 16, 3000):
        sealed = aead.encrypt(nonce, message, pattern(m, "aad"))
        n, aad, key = bytearray(nonce), bytearray(pattern(m, "aad")), bytearray(KEY)
        other = cls(key)
        encryptor, decryptor = other.encryptor(n, aad), other.decryptor(n, aad)
        for buffer in (n, aad, key):
            buffer[:] = bytes(len(buffer))
            buffer.clear()  # BufferError if it were still held
        assert encryptor.update(message) + encryptor.finalize() == sealed
        assert decryptor.update(sealed[:100]) == message
        decryptor.finalize(sealed[100:])


def test_the_aead_does_not_change():
    aead = ChaCha20Poly1305(KEY)
    first = aead.encrypt(NONCE12, b"a")
    with pytest.raises(InvalidTag):
        aead.decrypt(NONCE12, bytes(50))
    aead.encryptor(NONCE12).update(b"abc")
    assert aead.encrypt(NONCE12, b"a") == first
    assert XChaCha20Poly1305(KEY).encrypt(NONCE24, b"a") != first


def test_generate_key():
    for cls in (ChaCha20Poly1305, XChaCha20Poly1305):
        keys = {cls.generate_key() for _ in range(100)}
        assert len(keys) == 100
        assert all(type(key) is bytes and len(key) == 32 for key in keys)


def test_invalid_tag_is_a_value_error():
    assert issubclass(InvalidTag, ValueError)
    with pytest.raises(ValueError, match="tag"):
        ChaCha20Poly1305(KEY).decrypt(NONCE12, bytes(16))


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_the_first_line_of_the_decryptor_s_documentation(cls, nonce):
    """It says that what update returns is unauthenticated until finalize returns."""
    for documented in (cls.decryptor, type(cls(KEY).decryptor(nonce))):
        # `inspect` takes a signature off, if there is one in front.
        first = inspect.getdoc(documented).splitlines()[0]
        assert "unauthenticated until finalize" in first
