"""Programs written for `cryptography`'s ChaCha20Poly1305 run with this one by their import."""

import io
import os
import struct
from concurrent.futures import ThreadPoolExecutor

import pytest
from cryptography.exceptions import InvalidTag as PeerInvalidTag
from cryptography.hazmat.primitives.ciphers import aead as peer

import fastchacha

OURS = (fastchacha.ChaCha20Poly1305, fastchacha.InvalidTag)
PEER = (peer.ChaCha20Poly1305, PeerInvalidTag)
PAIRS = [pytest.param(OURS, PEER, id="to"), pytest.param(PEER, OURS, id="from")]


class TLSRecords:
    """TLS 1.3 (RFC 8446, section 5.2): the header is associated data, the nonce IV xor number."""

    def __init__(self, aead, key, iv):
        self.aead, self.iv, self.number = aead(key), iv, 0

    def nonce(self):
        number = self.number.to_bytes(12, "big")
        self.number += 1
        return bytes(a ^ b for a, b in zip(self.iv, number, strict=True))

    def seal(self, kind, content):
        header = struct.pack(">BHH", 23, 0x0303, len(content) + 17)
        return header + self.aead.encrypt(self.nonce(), content + bytes([kind]), header)

    def open(self, record):
        inner = self.aead.decrypt(self.nonce(), record[5:], record[:5]).rstrip(b"\0")
        return inner[-1], inner[:-1]


@pytest.mark.parametrize("sender, receiver", PAIRS)
def test_tls_records(sender, receiver):
    key, iv = sender[0].generate_key(), os.urandom(12)
    a, b = TLSRecords(sender[0], key, iv), TLSRecords(receiver[0], key, iv)
    for n in (0, 1, 100, 1400, 2**14):
        content = os.urandom(n)
        assert b.open(a.seal(22, content)) == (22, content)


class EncryptedFile:
    """A file in chunks that cannot be cut or reordered: number and last one in the nonce."""

    CHUNK = 4096

    def __init__(self, aead, key):
        self.aead = aead(key)

    def nonces(self, prefix):
        i = 0
        while True:
            yield lambda last, i=i: prefix + struct.pack(">IB", i, last)
            i += 1

    def write(self, plain, out):
        prefix = os.urandom(7)
        out.write(prefix)
        chunk = plain.read(self.CHUNK)
        for nonce in self.nonces(prefix):
            following = plain.read(self.CHUNK)
            out.write(self.aead.encrypt(nonce(not following), chunk, None))
            if not following:
                return
            chunk = following

    def read(self, sealed, out):
        prefix = sealed.read(7)
        chunk = sealed.read(self.CHUNK + 16)
        for nonce in self.nonces(prefix):
            following = sealed.read(self.CHUNK + 16)
            out.write(self.aead.decrypt(nonce(not following), chunk, None))
            if not following:
                return
            chunk = following


@pytest.mark.parametrize("n", [0, 1, 4095, 4096, 4097, 20000])
@pytest.mark.parametrize("writer, reader", PAIRS)
def test_files(writer, reader, n):
    key, content = os.urandom(32), os.urandom(n)
    sealed, opened = io.BytesIO(), io.BytesIO()
    EncryptedFile(writer[0], key).write(io.BytesIO(content), sealed)
    EncryptedFile(reader[0], key).read(io.BytesIO(sealed.getvalue()), opened)
    assert opened.getvalue() == content
    if n > 4096:
        cut = sealed.getvalue()[: 7 + 4096 + 16]
        with pytest.raises(reader[1]):
            EncryptedFile(reader[0], key).read(io.BytesIO(cut), io.BytesIO())


@pytest.mark.parametrize("one, other", PAIRS)
def test_a_pool_of_threads(one, other):
    key = os.urandom(32)
    a, b = one[0](key), other[0](key)
    messages = [os.urandom(i * 97) for i in range(60)]

    def seal(i):
        return a.encrypt(i.to_bytes(12, "big"), messages[i], b"%d" % i)

    def unseal(i, sealed):
        return b.decrypt(i.to_bytes(12, "big"), sealed, b"%d" % i)

    with ThreadPoolExecutor(8) as pool:
        sealed = list(pool.map(seal, range(60)))
        assert list(pool.map(unseal, range(60), sealed)) == messages


@pytest.mark.parametrize("error", [fastchacha.InvalidTag, ValueError])
def test_code_that_catches_value_error(error):
    """As programs for PyCryptodome do."""
    with pytest.raises(error):
        fastchacha.ChaCha20Poly1305(bytes(32)).decrypt(bytes(12), bytes(16), None)
