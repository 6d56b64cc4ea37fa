"""chacha20-poly1305@openssh.com (OpenSSH's PROTOCOL.chacha20poly1305), as asyncssh does it.

Two keys; the original ChaCha with the sequence number as an 8-byte nonce; the length of a packet
has a stream of its own, and Poly1305 is over both ciphertexts.
"""

import os

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.poly1305 import Poly1305 as PeerPoly1305

from fastchacha import ChaCha20, InvalidTag, Poly1305


class OurCipher:
    refusal = InvalidTag

    def __init__(self, key):
        self.payload_key, self.header_key = key[:32], key[32:]

    def header(self, seq, data):
        return ChaCha20(self.header_key, seq.to_bytes(8, "big")).encrypt(data)

    def seal(self, seq, header, payload):
        nonce = seq.to_bytes(8, "big")
        stream = ChaCha20(self.payload_key, nonce)
        mac_key = stream.keystream(32)
        stream.seek(64)  # the payload begins at block 1
        sealed = self.header(seq, header) + stream.encrypt(payload)
        return sealed + Poly1305.generate_tag(mac_key, sealed)

    def open(self, seq, packet):
        nonce = seq.to_bytes(8, "big")
        mac_key = ChaCha20(self.payload_key, nonce).keystream(32)
        Poly1305.verify_tag(mac_key, memoryview(packet)[:-16], packet[-16:])
        stream = ChaCha20(self.payload_key, nonce, counter=1)
        return self.header(seq, packet[:4]), stream.decrypt(packet[4:-16])


class PeerCipher:
    refusal = InvalidSignature

    def __init__(self, key):
        self.payload_key, self.header_key = key[:32], key[32:]

    @staticmethod
    def stream(key, seq, counter, data):
        nonce = counter.to_bytes(8, "little") + seq.to_bytes(8, "big")
        return Cipher(algorithms.ChaCha20(key, nonce), None).encryptor().update(data)

    def header(self, seq, data):
        return self.stream(self.header_key, seq, 0, data)

    def seal(self, seq, header, payload):
        sealed = self.header(seq, header) + self.stream(self.payload_key, seq, 1, payload)
        mac_key = self.stream(self.payload_key, seq, 0, bytes(32))
        return sealed + PeerPoly1305.generate_tag(mac_key, sealed)

    def open(self, seq, packet):
        mac_key = self.stream(self.payload_key, seq, 0, bytes(32))
        PeerPoly1305.verify_tag(mac_key, packet[:-16], packet[-16:])
        return self.header(seq, packet[:4]), self.stream(self.payload_key, seq, 1, packet[4:-16])


@pytest.mark.parametrize(
    "sender, receiver", [(OurCipher, PeerCipher), (PeerCipher, OurCipher)], ids=["to", "from"]
)
def test_packets(sender, receiver):
    key = os.urandom(64)
    a, b = sender(key), receiver(key)
    for seq in (0, 1, 2**31, 2**32 - 1):
        for n in (8, 16, 64, 255, 32768):
            header, payload = n.to_bytes(4, "big"), os.urandom(n)
            packet = a.seal(seq, header, payload)
            # The receiver learns the length first, from the first four bytes.
            assert int.from_bytes(b.header(seq, packet[:4]), "big") == n
            assert b.open(seq, packet) == (header, payload)
            forged = packet[:-1] + bytes([packet[-1] ^ 1])
            with pytest.raises(receiver.refusal):
                b.open(seq, forged)
            with pytest.raises(receiver.refusal):
                b.open(seq + 1, packet)
