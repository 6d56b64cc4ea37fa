"""What a typed program does with the package; mypy --strict checks it, and it runs."""

import array
import mmap
from typing import assert_type

import fastchacha
from fastchacha import (
    Backend,
    ChaCha20,
    ChaCha20Poly1305,
    InvalidTag,
    Poly1305,
    XChaCha20,
    XChaCha20Poly1305,
    backend,
    backends,
    cpu_features,
    hchacha20,
)

key = ChaCha20Poly1305.generate_key()
assert_type(key, bytes)
nonce = bytes(12)


def streams() -> None:
    stream = ChaCha20(key, nonce, counter=1, rounds=20)
    assert_type(stream.encrypt(b"data"), bytes)
    assert_type(stream.decrypt(bytearray(b"data")), bytes)
    out = bytearray(10)
    assert_type(stream.encrypt_into(memoryview(b"data"), out), int)
    assert_type(stream.decrypt_into(out, out), int)
    assert_type(stream.encrypt_into(array.array("H", [1, 2]), mmap.mmap(-1, 4)), int)
    assert_type(stream.keystream(10), bytes)
    assert_type(stream.tell(), int)
    stream.seek(stream.tell() + 1)
    assert_type(XChaCha20(key=key, nonce=bytes(24)).keystream(n=3), bytes)
    assert_type(hchacha20(key, bytes(16), rounds=12), bytes)
    assert_type(XChaCha20.generate_key(), bytes)


def aead(cipher: ChaCha20Poly1305 | XChaCha20Poly1305, nonce: bytes) -> None:
    sealed = cipher.encrypt(nonce, b"data", None)
    assert_type(sealed, bytes)
    assert_type(cipher.decrypt(nonce, sealed), bytes)
    assert_type(cipher.encrypt_into(nonce, b"data", b"", bytearray(20)), int)
    assert_type(cipher.decrypt_into(nonce, sealed, None, bytearray(4)), int)
    ciphertext, tag = cipher.encrypt_detached(nonce, b"data")
    assert_type(ciphertext, bytes)
    assert_type(cipher.decrypt_detached(nonce, ciphertext, tag), bytes)
    encryptor = cipher.encryptor(nonce, associated_data=b"aad")
    assert_type(encryptor.update(b"data"), bytes)
    assert_type(encryptor.update_into(b"data", bytearray(4)), int)
    assert_type(encryptor.finalize(), bytes)
    decryptor = cipher.decryptor(nonce)
    assert_type(decryptor.update(ciphertext), bytes)
    decryptor.finalize(tag)
    try:
        cipher.decrypt(nonce, bytes(16))
    except InvalidTag as error:
        as_value_error: ValueError = error
        assert str(as_value_error)


def mac() -> None:
    one_time = Poly1305(key)
    one_time.update(b"data")
    tag = one_time.finalize()
    assert_type(tag, bytes)
    assert_type(Poly1305.generate_tag(key, b"data"), bytes)
    Poly1305.verify_tag(key, b"data", tag)
    checked = Poly1305(key)
    checked.update(b"data")
    checked.verify(tag)


def selection() -> None:
    assert_type(backend(), str)
    assert_type(backends(), tuple[Backend, ...])
    assert_type(cpu_features(), frozenset[str])
    for row in backends():
        assert_type(row.name, str)
        assert_type(row.chacha20, str)
        assert_type(row.poly1305, str)
        assert_type(row.available, bool)
        assert_type(row.reason, str)
        assert set(row.features) >= set()
    assert_type(fastchacha.__version__, str)


streams()
aead(ChaCha20Poly1305(key), nonce)
aead(XChaCha20Poly1305(key), bytes(24))
mac()
selection()
