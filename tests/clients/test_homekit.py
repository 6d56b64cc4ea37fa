"""HomeKit (HAP): named 8-byte nonces for pairing, counted frames for the session."""

import os
import struct

import pytest
from cryptography.exceptions import InvalidTag as PeerInvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import aead as peer
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

import fastchacha

AEADS = [fastchacha.ChaCha20Poly1305, peer.ChaCha20Poly1305]
BOTH = [pytest.param(*AEADS, id="to"), pytest.param(*reversed(AEADS), id="from")]


def pad(nonce):
    """HAP's nonces are 8 bytes; the AEAD's are 12, with zeros in front."""
    return nonce.rjust(12, b"\0")


class Session:
    """Frames of at most 1024 bytes: a little-endian length, authenticated, then the rest."""

    FRAME = 1024

    def __init__(self, aead, key):
        self.aead, self.count = aead(key), 0

    def nonce(self):
        nonce = pad(struct.pack("<Q", self.count))
        self.count += 1
        return nonce

    def encrypt(self, data):
        frames = bytearray()
        for i in range(0, len(data), self.FRAME):
            piece = memoryview(data)[i : i + self.FRAME]
            length = struct.pack("<H", len(piece))
            frames += length + self.aead.encrypt(self.nonce(), bytes(piece), length)
        return bytes(frames)

    def decrypt(self, frames):
        data = bytearray()
        while frames:
            length = frames[:2]
            end = 2 + int.from_bytes(length, "little") + 16
            data += self.aead.decrypt(self.nonce(), frames[2:end], length)
            frames = frames[end:]
        return bytes(data)


@pytest.mark.parametrize("sender, receiver", BOTH)
def test_session(sender, receiver):
    secret = os.urandom(32)
    key = HKDF(hashes.SHA512(), 32, b"Control-Salt", b"Control-Read-Encryption-Key").derive(secret)
    a, b = Session(sender, key), Session(receiver, key)
    for n in (1, 100, 1023, 1024, 1025, 5000):
        message = os.urandom(n)
        frames = a.encrypt(message)
        assert len(frames) == n + 18 * -(-n // 1024)
        assert b.decrypt(frames) == message


@pytest.mark.parametrize("sender, receiver", BOTH)
def test_pairing_messages(sender, receiver):
    key, content = os.urandom(32), os.urandom(154)
    for name in (b"PS-Msg05", b"PS-Msg06", b"PV-Msg02", b"PV-Msg03"):
        sealed = sender(key).encrypt(pad(name), content, None)
        assert receiver(key).decrypt(pad(name), sealed, None) == content
        with pytest.raises((fastchacha.InvalidTag, PeerInvalidTag)):
            receiver(key).decrypt(pad(b"PS-Msg99"), sealed, None)


def test_an_8_byte_nonce_is_not_filled_up_silently():
    with pytest.raises(ValueError, match="12"):
        fastchacha.ChaCha20Poly1305(bytes(32)).encrypt(b"PS-Msg05", b"", None)
