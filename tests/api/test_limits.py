"""Sizes: the AEAD's limit, messages over 2 and 4 GiB, nothing computed in 32 bits.

The 256 GiB are address space that is never touched: in the child processes it cannot be, since it
has no access rights, and a read or write would kill them.
"""

import mmap
import sys

import model
import pytest
from support import AEADS, IS_64_BIT, IS_EMULATED, KEY, NONCE12, check_python

from fastchacha import ChaCha20, ChaCha20Poly1305, Poly1305

needs_64_bit = pytest.mark.skipif(not IS_64_BIT, reason="no object is that long on 32 bits")
needs_mmap = pytest.mark.skipif(
    not hasattr(mmap, "MAP_PRIVATE"), reason="reserves address space by POSIX mmap"
)

# In a child: reserve(n) is a buffer of n bytes without access rights, "read-only" or "writable" as
# Python sees it.
RESERVE = """
import ctypes, mmap, sys

def reserve(n, writable=False):
    if sys.platform == "darwin":
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANON
    else:
        # MAP_NORESERVE: 0x40 on Power, 0x4000 elsewhere
        noreserve = 0x40 if platform.machine().startswith("ppc") else 0x4000
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | noreserve
    rights = mmap.PROT_READ | mmap.PROT_WRITE if writable else mmap.PROT_READ
    m = mmap.mmap(-1, n, flags=flags, prot=rights)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    view = memoryview(m)
    if writable:
        address = ctypes.addressof(ctypes.c_char.from_buffer(m))
    else:
        address = address_of(view)
    if libc.mprotect(address, n, 0):
        raise OSError(ctypes.get_errno(), "mprotect")
    return view

def address_of(view):
    class Buffer(ctypes.Structure):  # Py_buffer
        _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t)]
        _fields_ += [("rest", ctypes.c_char * 256)]
    buffer = Buffer()
    get = ctypes.pythonapi.PyObject_GetBuffer
    get.argtypes = [ctypes.py_object, ctypes.POINTER(Buffer), ctypes.c_int]
    release = ctypes.pythonapi.PyBuffer_Release
    release.argtypes = [ctypes.POINTER(Buffer)]
    get(view, ctypes.byref(buffer), 0)
    address = buffer.buf
    release(ctypes.byref(buffer))
    return address

def refused(call, *arguments):
    try:
        call(*arguments)
    except OverflowError as error:
        return str(error)
    raise AssertionError("not refused")

import platform
import fastchacha
KEY = bytes(range(32))
LIMIT = 2**38 - 64
"""


@needs_64_bit
@needs_mmap
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_messages_past_the_limit_touch_no_memory(cls, nonce):
    check_python(
        RESERVE
        + f"""
cls, nonce = fastchacha.{cls.__name__}, bytes({len(nonce)})
aead = cls(KEY)
plain, sealed = reserve(LIMIT + 1), reserve(LIMIT + 17)
for message in (
    refused(aead.encrypt, nonce, plain),
    refused(aead.encrypt_detached, nonce, plain),
    refused(aead.encrypt_into, nonce, plain, None, reserve(LIMIT + 17, True)),
    refused(aead.decrypt, nonce, sealed),
    refused(aead.decrypt_detached, nonce, plain, bytes(16)),
    refused(aead.decrypt_into, nonce, sealed, None, reserve(LIMIT + 1, True)),
):
    assert "2**38 - 64" in message or str(LIMIT) in message, message
"""
    )


@needs_64_bit
@needs_mmap
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_the_streaming_form_counts_too(cls, nonce):
    check_python(
        RESERVE
        + f"""
cls, nonce = fastchacha.{cls.__name__}, bytes({len(nonce)})
aead = cls(KEY)
whole = aead.encrypt(nonce, b"a" * 64 + b"b")
encryptor, decryptor = aead.encryptor(nonce), aead.decryptor(nonce)
out = reserve(LIMIT + 1, True)
for stream, first, rest, result in (
    (encryptor, b"a" * 64, b"b", whole),
    (decryptor, whole[:64], whole[64:65], b"a" * 64 + b"b"),
):
    refused(stream.update, reserve(LIMIT + 1))
    refused(stream.update_into, reserve(LIMIT + 1), out)
    assert stream.update(first) == result[:64]
    # 64 bytes are taken: now this is one too many.
    data = reserve(LIMIT - 63)
    refused(stream.update, data)
    refused(stream.update_into, data, out)
    refused(stream.update_into, out[:LIMIT - 63], out)
    # Nothing was done.
    assert stream.update(rest) == result[64:65]
assert encryptor.finalize() == whole[-16:]
decryptor.finalize(whole[-16:])
"""
    )


@needs_64_bit
@needs_mmap
def test_exhausted_keystream_touches_no_memory():
    check_python(
        RESERVE
        + """
stream = fastchacha.ChaCha20(KEY, bytes(12))
data, out = reserve(2**38 + 1), reserve(2**38 + 1, True)
refused(stream.encrypt, data)
refused(stream.encrypt_into, data, out)
refused(stream.encrypt_into, out, out)
stream.seek(1)
refused(stream.encrypt_into, data[:2**38], out)
assert stream.tell() == 1
stream = fastchacha.ChaCha20(KEY, bytes(12), counter=2**32 - 1)
refused(stream.encrypt_into, data[:5 * 2**30], out)
assert stream.tell() == 2**38 - 64
"""
    )


@needs_64_bit
@needs_mmap
def test_lengths_over_4_gib_are_not_cut():
    """Errors that name such a length name all of it. Nothing is touched."""
    check_python(
        RESERVE
        + """
n = 5 * 2**30
data = reserve(n)
def told(call, *arguments):
    try:
        call(*arguments)
    except ValueError as error:
        assert str(n) in str(error), error
    else:
        raise AssertionError("not refused")
aead = fastchacha.ChaCha20Poly1305(KEY)
told(fastchacha.ChaCha20(KEY, bytes(12)).encrypt_into, data, bytearray(64))
told(fastchacha.ChaCha20, data, bytes(12))
told(fastchacha.ChaCha20, KEY, data)
told(fastchacha.hchacha20, KEY, data)
told(fastchacha.Poly1305, data)
told(aead.encrypt, data, b"")
told(aead.encryptor(bytes(12)).update_into, data, bytearray(64))
try:
    aead.decrypt_detached(bytes(12), b"", data)
except fastchacha.InvalidTag as error:
    assert str(n) in str(error)
n += 16
try:
    aead.encrypt_into(bytes(12), data, None, bytearray(16))
except ValueError as error:
    assert str(n) in str(error), error
"""
    )


def zeros(n):
    """n zero bytes that take no memory: every page is the system's one page of zeros."""
    return mmap.mmap(-1, n, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)


@needs_64_bit
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux's page of zeros")
@pytest.mark.skipif(IS_EMULATED, reason="2 GiB take hours on an emulated backend")
def test_poly1305_over_2_gib_in_one_call(thorough):
    """The tag of so many zeros is known in closed form."""
    n = (5 * 2**30 if thorough else 2**31) + 17
    assert Poly1305.generate_tag(KEY, zeros(n)) == model.poly1305_zeros(KEY, n)


@pytest.mark.thorough
@pytest.mark.needs("cryptography")
@needs_64_bit
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux's page of zeros")
def test_associated_data_over_4_gib():
    from cryptography.hazmat.primitives import poly1305

    n = 2**32 + 5
    aead = ChaCha20Poly1305(KEY)
    aad = zeros(n)
    one_time = poly1305.Poly1305(ChaCha20(KEY, NONCE12).keystream(32))
    for i in range(0, n, 2**20):
        one_time.update(bytes(min(2**20, n - i)))
    one_time.update(bytes(-n % 16) + n.to_bytes(8, "little") + bytes(8))
    tag = one_time.finalize()
    assert aead.encrypt(NONCE12, b"", aad) == tag
    assert aead.decrypt(NONCE12, tag, aad) == b""
    assert aead.encryptor(NONCE12, b"").finalize() != tag


@pytest.mark.thorough
@pytest.mark.needs("cryptography")
@needs_64_bit
class TestFiveGiB:
    """In place, in one call: 5 GiB of memory."""

    N = 5 * 2**30

    @pytest.fixture
    def memory(self):
        m = mmap.mmap(-1, self.N + 16)
        yield m
        m.close()

    @staticmethod
    def expected(offset, n):
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

        block, skip = divmod(offset, 64)
        whole = block.to_bytes(4, "little") + NONCE12
        stream = Cipher(algorithms.ChaCha20(KEY, whole), None).encryptor()
        return stream.update(bytes(skip + n))[skip:]

    def check(self, memory, first_block):
        for at in (0, 2**31 - 100, 2**32 - 100, self.N - 200):
            got = memory[at : at + 200]
            assert got == self.expected(64 * first_block + at, 200)

    def test_stream(self, memory):
        view = memoryview(memory)[: self.N]
        stream = ChaCha20(KEY, NONCE12)
        assert stream.encrypt_into(view, view) == self.N
        assert stream.tell() == self.N
        self.check(memory, 0)
        view.release()

    def test_aead(self, memory):
        from cryptography.hazmat.primitives import poly1305

        aead = ChaCha20Poly1305(KEY)
        with memoryview(memory) as whole, whole[: self.N] as view:
            assert aead.encrypt_into(NONCE12, view, b"aad", whole) == self.N + 16
            self.check(memory, 1)
            mac = poly1305.Poly1305(ChaCha20(KEY, NONCE12).keystream(32))
            mac.update(b"aad" + bytes(13))
            for i in range(0, self.N, 2**24):
                mac.update(view[i : i + 2**24])
            mac.update((3).to_bytes(8, "little") + self.N.to_bytes(8, "little"))
            assert memory[self.N :] == mac.finalize()
            assert aead.decrypt_into(NONCE12, whole, b"aad", view) == self.N
            for at in (0, 2**31 - 100, 2**32 - 100, self.N - 200):
                assert memory[at : at + 200] == bytes(200)
