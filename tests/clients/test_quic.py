"""QUIC packet protection (RFC 9001, section 5), as aioquic does it: AEAD, ChaCha20 for masks."""

import struct

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers import aead as peer

import fastchacha

H = bytes.fromhex


def mask_of_peer(key, sample):
    return Cipher(algorithms.ChaCha20(key, sample), None).encryptor().update(bytes(5))


def mask_of_fastchacha(key, sample):
    """RFC 9001, section 5.4.4: the sample is a 4-byte little-endian counter and the nonce."""
    counter = int.from_bytes(sample[:4], "little")
    return fastchacha.ChaCha20(key, sample[4:], counter=counter).encrypt(bytes(5))


class Protection:
    """One direction of a connection, short headers."""

    def __init__(self, aead, mask, key, iv, hp):
        self.aead, self.mask, self.iv, self.hp = aead(key), mask, iv, hp

    def nonce(self, number):
        return bytes(a ^ b for a, b in zip(self.iv, number.to_bytes(12, "big"), strict=True))

    def protect(self, header, number, payload):
        size = (header[0] & 3) + 1
        sealed = self.aead.encrypt(self.nonce(number), payload, header)
        start = 4 - size
        mask = self.mask(self.hp, sealed[start : start + 16])
        packet = bytearray(header + sealed)
        packet[0] ^= mask[0] & 0x1F
        for i in range(size):
            packet[len(header) - size + i] ^= mask[1 + i]
        return bytes(packet)

    def unprotect(self, packet, offset, expected):
        """offset: of the packet number; expected: the next packet number."""
        mask = self.mask(self.hp, packet[offset + 4 : offset + 20])
        first = packet[0] ^ mask[0] & 0x1F
        size = (first & 3) + 1
        hidden = packet[offset : offset + size]
        cut = bytes(a ^ b for a, b in zip(hidden, mask[1 : 1 + size], strict=True))
        window = 1 << 8 * size
        number = expected & ~(window - 1) | int.from_bytes(cut, "big")
        header = bytes([first]) + packet[1:offset] + cut
        return number, self.aead.decrypt(self.nonce(number), packet[offset + size :], header)


PEER = (peer.ChaCha20Poly1305, mask_of_peer)
OURS = (fastchacha.ChaCha20Poly1305, mask_of_fastchacha)
SECRETS = (
    H("c6d98ff3441c3fe1b2182094f69caa2ed4b716b65488960a7a984979fb23e1c8"),
    H("e0459b3474bdd0e44a41c144"),
    H("25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4"),
)


def test_rfc_9001_appendix_a5():
    """The ChaCha20-Poly1305 short header packet."""
    ours = Protection(*OURS, *SECRETS)
    packet = ours.protect(H("4200bff4"), 654360564, b"\1")
    assert packet == H("4cfe4189655e5cd55c41f69080575d7999c25a5bfb")
    assert ours.unprotect(packet, 1, 654360564) == (654360564, b"\1")
    assert mask_of_fastchacha(SECRETS[2], H("5e5cd55c41f69080575d7999c25a5bfb")) == H("aefefe7d03")


@pytest.mark.parametrize("sender, receiver", [(OURS, PEER), (PEER, OURS)], ids=["to", "from"])
def test_packets_between_us_and_the_peer(sender, receiver):
    a, b = Protection(*sender, *SECRETS), Protection(*receiver, *SECRETS)
    for number in (0, 1, 255, 256, 70000, 2**31):
        payload = struct.pack(">Q", number) * (1 + number % 150)
        header = bytes([0x43]) + b"conn-id!" + (number & 0xFFFFFFFF).to_bytes(4, "big")
        packet = a.protect(header, number, payload)
        assert b.unprotect(packet, 9, number) == (number, payload)
