"""Known answers for `python -m fastchacha`: each available backend must reproduce them.

Short ones come from RFC 8439 and draft-irtf-cfrg-xchacha-03. Long ones, which reach the vector
kernels, are SHA-256 digests over results that `cryptography` 50.0.2 (OpenSSL) and, for XChaCha20,
PyNaCl 1.6.2 (libsodium) gave for the same inputs.
"""

import hashlib
from collections.abc import Callable

from . import _core

KEY = bytes(range(0x80, 0xA0))
TEXT = (
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
    b"sunscreen would be it."
)
LENGTHS = (0, 1, 15, 16, 63, 64, 65, 191, 256, 511, 1023, 1024, 1350, 4096, 4111, 16384, 65537)


def _data(n: int) -> bytes:
    return bytes(i * 7 % 251 for i in range(min(n, 251))) * (n // 251 + 1)


def _digest(one: Callable[[bytes], bytes]) -> str:
    digest = hashlib.sha256()
    for n in LENGTHS:
        digest.update(one(_data(n)[:n]))
    return digest.hexdigest()


def _rfc8439_chacha20() -> bytes:  # section 2.4.2, first block of the ciphertext
    nonce = bytes.fromhex("000000000000004a00000000")
    return _core.ChaCha20(bytes(range(32)), nonce, counter=1).encrypt(TEXT)[:64]


def _rfc8439_poly1305() -> bytes:  # section 2.5.2
    key = bytes.fromhex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
    return _core.Poly1305.generate_tag(key, b"Cryptographic Forum Research Group")


def _rfc8439_aead() -> bytes:  # section 2.8.2: the tag
    nonce = bytes.fromhex("070000004041424344454647")
    aad = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
    return _core.ChaCha20Poly1305(KEY).encrypt(nonce, TEXT, aad)[-16:]


def _xchacha_hchacha20() -> bytes:  # draft-irtf-cfrg-xchacha-03, section 2.2.1
    nonce = bytes.fromhex("000000090000004a0000000031415927")
    return _core.hchacha20(bytes(range(32)), nonce)


def _xchacha_aead() -> bytes:  # draft-irtf-cfrg-xchacha-03, appendix A.3.1: the tag
    nonce = bytes(range(0x40, 0x58))
    aad = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
    return _core.XChaCha20Poly1305(KEY).encrypt(nonce, TEXT, aad)[-16:]


def _long_chacha20() -> str:
    return _digest(_core.ChaCha20(KEY, bytes(range(12)), counter=7).encrypt)


def _long_poly1305() -> str:
    return _digest(lambda data: _core.Poly1305.generate_tag(KEY, data))


def _long_aead() -> str:
    aead = _core.ChaCha20Poly1305(KEY)
    return _digest(lambda data: aead.encrypt(bytes(range(12)), data, data[:29]))


def _long_xaead() -> str:
    aead = _core.XChaCha20Poly1305(KEY)
    return _digest(lambda data: aead.encrypt(bytes(range(24)), data, data[:29]))


def _round_trip() -> bool:
    aead = _core.ChaCha20Poly1305(KEY)
    nonce = bytes(12)
    for n in LENGTHS:
        data = _data(n)[:n]
        sealed = bytearray(aead.encrypt(nonce, data, b"aad"))
        if aead.decrypt(nonce, sealed, b"aad") != data:
            return False
        sealed[n // 2] ^= 1
        try:
            aead.decrypt(nonce, sealed, b"aad")
        except _core.InvalidTag:
            continue
        return False
    return True


CHECKS: tuple[tuple[str, Callable[[], object], object], ...] = (
    (
        "RFC 8439 ChaCha20",
        _rfc8439_chacha20,
        bytes.fromhex(
            "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b"
            "f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8"
        ),
    ),
    (
        "RFC 8439 Poly1305",
        _rfc8439_poly1305,
        bytes.fromhex("a8061dc1305136c6c22b8baf0c0127a9"),
    ),
    (
        "RFC 8439 AEAD",
        _rfc8439_aead,
        bytes.fromhex("1ae10b594f09e26a7e902ecbd0600691"),
    ),
    (
        "HChaCha20",
        _xchacha_hchacha20,
        bytes.fromhex("82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"),
    ),
    (
        "XChaCha20-Poly1305",
        _xchacha_aead,
        bytes.fromhex("c0875924c1c7987947deafd8780acf49"),
    ),
    (
        "ChaCha20, many lengths",
        _long_chacha20,
        "f712ef139806f42e0674502d382c9669f16cda24b55bb6e68c11b14b815a9079",
    ),
    (
        "Poly1305, many lengths",
        _long_poly1305,
        "3bc62a7d6df123032a697217e877a31a9c8cd967b81a8f4e3933b96fc8d474e8",
    ),
    (
        "ChaCha20-Poly1305, many lengths",
        _long_aead,
        "4de8671fdbc424a7cea0852fee9d927095fca85c69d40dbfa787031151e6f3e0",
    ),
    (
        "XChaCha20-Poly1305, many lengths",
        _long_xaead,
        "aca54dd4a7a83505d5fb5beaedb641450b5269f10fd2aac523e07e37011cbbb2",
    ),
    ("decryption and rejection", _round_trip, True),
)


def run() -> list[str]:
    """Check the backend in use; return the names of the checks that failed."""
    failed = []
    for name, compute, want in CHECKS:
        try:
            good = compute() == want
        except Exception as error:
            failed.append(f"{name} ({type(error).__name__}: {error})")
            continue
        if not good:
            failed.append(name)
    return failed
