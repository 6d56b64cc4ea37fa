"""ESPHome's native API: Noise_NNpsk0_25519_ChaChaPoly_SHA256 in frames, client and device."""

import os

import pytest
from cryptography.exceptions import InvalidTag as PeerInvalidTag
from cryptography.hazmat.primitives.ciphers import aead as peer
from small_noise import Handshake

import fastchacha

AEADS = [fastchacha.ChaCha20Poly1305, peer.ChaCha20Poly1305]
PROLOGUE = b"NoiseAPIInit\0\0"


def frame(data):
    return b"\1" + len(data).to_bytes(2, "big") + data


def unframe(data):
    assert data[0] == 1 and int.from_bytes(data[1:3], "big") == len(data) - 3
    return data[3:]


def message(kind, payload):
    return kind.to_bytes(2, "big") + len(payload).to_bytes(2, "big") + payload


def connect(client_aead, device_aead, client_psk, device_psk):
    client = Handshake("NNpsk0", "sha256", client_aead, True, PROLOGUE, client_psk)
    device = Handshake("NNpsk0", "sha256", device_aead, False, PROLOGUE, device_psk)
    hello = frame(b"\0" + client.write())
    assert device.read(unframe(hello)[1:]) == b""
    answer = frame(b"\0" + device.write())
    assert client.read(unframe(answer)[1:]) == b""
    assert client.h == device.h
    return client.split(), device.split()


@pytest.mark.parametrize("client, device", [AEADS, AEADS[::-1]], ids=["client", "device"])
def test_messages(client, device):
    psk = os.urandom(32)
    (send, receive), (device_send, device_receive) = connect(client, device, psk, psk)
    for i, n in enumerate((0, 1, 20, 300, 4000)):
        packet = message(i, os.urandom(n))
        assert device_receive.decrypt(b"", unframe(frame(send.encrypt(b"", packet)))) == packet
        assert receive.decrypt(b"", unframe(frame(device_send.encrypt(b"", packet)))) == packet


@pytest.mark.parametrize("client, device", [AEADS, AEADS[::-1]], ids=["client", "device"])
def test_a_wrong_psk_is_found_in_the_handshake(client, device):
    with pytest.raises((fastchacha.InvalidTag, PeerInvalidTag)):
        connect(client, device, os.urandom(32), os.urandom(32))
