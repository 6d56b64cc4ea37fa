"""A small Noise (revision 34) for the tests: NNpsk0 and IKpsk2, the AEAD and the hash given."""

import hashlib
import hmac

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

PATTERNS = {
    # pre-messages (initiator's, responder's), then the messages in turn
    "NNpsk0": ("", "", [["psk", "e"], ["e", "ee"]]),
    "IKpsk2": ("", "s", [["e", "es", "s", "ss"], ["e", "ee", "se", "psk"]]),
}


def public(key):
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


class CipherState:
    def __init__(self, aead, key):
        self.make, self.key, self.aead, self.n = aead, key, aead(key) if key else None, 0

    @staticmethod
    def nonce(n):
        return bytes(4) + n.to_bytes(8, "little")

    def encrypt(self, ad, data):
        if self.aead is None:
            return data
        result = self.aead.encrypt(self.nonce(self.n), data, ad)
        self.n += 1
        return result

    def decrypt(self, ad, data):
        if self.aead is None:
            return data
        result = self.aead.decrypt(self.nonce(self.n), data, ad)
        self.n += 1
        return result

    def rekey(self):
        self.key = self.aead.encrypt(self.nonce(2**64 - 1), bytes(32), b"")[:32]
        self.aead = self.make(self.key)


class Handshake:
    def __init__(self, pattern, hash_name, aead, initiator, prologue, psk, s=None, rs=None):
        name = {"sha256": "SHA256", "blake2s": "BLAKE2s"}[hash_name]
        self.hash, self.make = hash_name, aead
        self.initiator, self.psk, self.s, self.rs, self.e, self.re = (
            initiator,
            psk,
            s,
            rs,
            None,
            None,
        )
        protocol = f"Noise_{pattern}_25519_ChaChaPoly_{name}".encode()
        self.h = protocol.ljust(32, b"\0") if len(protocol) <= 32 else self.digest(protocol)
        self.ck, self.cipher = self.h, CipherState(aead, None)
        self.mix_hash(prologue)
        first, second, self.messages = PATTERNS[pattern]
        if "s" in first:
            self.mix_hash(public(s) if initiator else rs)
        if "s" in second:
            self.mix_hash(rs if initiator else public(s))
        self.messages = list(self.messages)

    def digest(self, data):
        return hashlib.new(self.hash, data).digest()

    def mix_hash(self, data):
        self.h = self.digest(self.h + data)

    def hkdf(self, material, n):
        def mac(key, data):
            return hmac.new(key, data, self.hash).digest()

        temporary, out, last = mac(self.ck, material), [], b""
        for i in range(n):
            last = mac(temporary, last + bytes([i + 1]))
            out.append(last)
        return out

    def mix_key(self, material):
        self.ck, key = self.hkdf(material, 2)
        self.cipher = CipherState(self.make, key)

    def mix_psk(self):
        self.ck, temporary, key = self.hkdf(self.psk, 3)
        self.mix_hash(temporary)
        self.cipher = CipherState(self.make, key)

    def encrypt_and_hash(self, data):
        sealed = self.cipher.encrypt(self.h, data)
        self.mix_hash(sealed)
        return sealed

    def decrypt_and_hash(self, data):
        plain = self.cipher.decrypt(self.h, data)
        self.mix_hash(data)
        return plain

    def dh(self, token):
        mine, theirs = token if self.initiator else token[::-1]
        key = {"e": self.e, "s": self.s}[mine]
        other = {"e": self.re, "s": self.rs}[theirs]
        self.mix_key(key.exchange(X25519PublicKey.from_public_bytes(other)))

    def write(self, payload=b""):
        out = b""
        for token in self.messages.pop(0):
            if token == "e":
                self.e = X25519PrivateKey.generate()
                out += public(self.e)
                self.mix_hash(public(self.e))
                self.mix_key(public(self.e))  # handshakes with a PSK do
            elif token == "s":
                out += self.encrypt_and_hash(public(self.s))
            elif token == "psk":
                self.mix_psk()
            else:
                self.dh(token)
        return out + self.encrypt_and_hash(payload)

    def read(self, message):
        for token in self.messages.pop(0):
            if token == "e":
                self.re, message = message[:32], message[32:]
                self.mix_hash(self.re)
                self.mix_key(self.re)
            elif token == "s":
                self.rs, message = self.decrypt_and_hash(message[:48]), message[48:]
            elif token == "psk":
                self.mix_psk()
            else:
                self.dh(token)
        return self.decrypt_and_hash(message)

    def split(self):
        """(send, receive) of this side."""
        a, b = (CipherState(self.make, key) for key in self.hkdf(b"", 2))
        return (a, b) if self.initiator else (b, a)
