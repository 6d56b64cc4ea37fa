"""WireGuard: Noise_IKpsk2 with BLAKE2s, counted transport messages, XChaCha20 cookies."""

import hashlib
import os
import struct

import pytest
from cryptography.exceptions import InvalidTag as PeerInvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers import aead as peer
from small_noise import CipherState, Handshake, public

import fastchacha

AEADS = [fastchacha.ChaCha20Poly1305, peer.ChaCha20Poly1305]
BOTH = [pytest.param(*AEADS, id="initiator"), pytest.param(*reversed(AEADS), id="responder")]
PROLOGUE = b"WireGuard v1 zx2c4 Jason@zx2c4.com"
REFUSED = (fastchacha.InvalidTag, PeerInvalidTag)


class Transport:
    """Type 4 messages: receiver index, counter, the padded packet; a window against replays."""

    WINDOW = 64

    def __init__(self, aead, send_key, receive_key):
        self.sealer, self.opener = aead(send_key), aead(receive_key)
        self.counter, self.seen, self.newest = 0, set(), -1

    def send(self, packet, index=7):
        header = struct.pack("<IIQ", 4, index, self.counter)
        padded = packet + bytes(-len(packet) % 16)
        sealed = self.sealer.encrypt(CipherState.nonce(self.counter), padded, b"")
        self.counter += 1
        return header + sealed

    def receive(self, message):
        kind, _, counter = struct.unpack_from("<IIQ", message)
        assert kind == 4
        if counter in self.seen or counter <= self.newest - self.WINDOW:
            raise ValueError("replayed")
        packet = self.opener.decrypt(CipherState.nonce(counter), message[16:], b"")
        self.seen.add(counter)
        self.newest = max(self.newest, counter)
        return packet


def connect(first, second):
    s_i, s_r, psk = X25519PrivateKey.generate(), X25519PrivateKey.generate(), os.urandom(32)
    a = Handshake("IKpsk2", "blake2s", first, True, PROLOGUE, psk, s_i, public(s_r))
    b = Handshake("IKpsk2", "blake2s", second, False, PROLOGUE, psk, s_r)
    timestamp = os.urandom(12)
    assert b.read(a.write(timestamp)) == timestamp
    assert b.rs == public(s_i)
    assert a.read(b.write()) == b""
    assert a.h == b.h
    (a_send, a_receive), (b_send, b_receive) = a.split(), b.split()
    return (
        Transport(first, a_send.key, a_receive.key),
        Transport(second, b_send.key, b_receive.key),
    )


@pytest.mark.parametrize("first, second", BOTH)
def test_transport(first, second):
    a, b = connect(first, second)
    for n in (0, 1, 16, 60, 576, 1420):
        packet = os.urandom(n)
        for one, other in ((a, b), (b, a)):
            message = one.send(packet)
            assert len(message) == 32 + n + -n % 16
            assert other.receive(message)[:n] == packet
            with pytest.raises(ValueError, match="replayed"):
                other.receive(message)


@pytest.mark.parametrize("first, second", BOTH)
def test_packets_out_of_order_and_forged(first, second):
    a, b = connect(first, second)
    messages = [a.send(bytes([i]) * 100) for i in range(20)]
    for i in (19, 0, 7, 12):
        forged = bytearray(messages[i])
        forged[20] ^= 1
        with pytest.raises(REFUSED):
            b.receive(bytes(forged))
        assert b.receive(messages[i])[:100] == bytes([i]) * 100


@pytest.mark.parametrize("first, second", BOTH)
def test_noise_rekey(first, second):
    """Noise, section 11.3: the new key is an encryption with the largest nonce."""
    key = os.urandom(32)
    a, b = CipherState(first, key), CipherState(second, key)
    for _ in range(3):
        assert b.decrypt(b"ad", a.encrypt(b"ad", b"message")) == b"message"
        a.rekey()
        b.rekey()
        assert a.key == b.key


def test_cookie_reply():
    """A cookie under XChaCha20-Poly1305: one side ours, the other from HChaCha20 and the peer."""
    server = public(X25519PrivateKey.generate())
    key = hashlib.blake2s(b"cookie--" + server).digest()
    nonce, cookie, mac1 = os.urandom(24), os.urandom(16), os.urandom(16)
    sealed = fastchacha.XChaCha20Poly1305(key).encrypt(nonce, cookie, mac1)
    theirs = peer.ChaCha20Poly1305(fastchacha.hchacha20(key, nonce[:16]))
    short = bytes(4) + nonce[16:]
    assert theirs.decrypt(short, sealed, mac1) == cookie
    theirs_sealed = theirs.encrypt(short, cookie, mac1)
    assert fastchacha.XChaCha20Poly1305(key).decrypt(nonce, theirs_sealed, mac1) == cookie
    with pytest.raises(fastchacha.InvalidTag):
        fastchacha.XChaCha20Poly1305(key).decrypt(nonce, sealed, os.urandom(16))
