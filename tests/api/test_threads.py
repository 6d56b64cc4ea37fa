"""Objects shared by threads, with and without the GIL; memory that others change meanwhile.

No test here depends on who comes first: each accepts every order and checks what holds in all.
"""

import contextlib
import sys
import threading

import model
import pytest
from support import AEADS, GIL, IS_EMULATED, KEY, NONCE12, STREAMS, in_threads, pattern

from fastchacha import ChaCha20, ChaCha20Poly1305, InvalidTag, Poly1305

THREADS = 8
# Below and above the length from which the GIL is released.
SIZES = (16, 50, 700) if IS_EMULATED else (16, 100, 5000, 70000)


def tile(chunks, whole):
    """Each chunk stands at one place of whole, and the places cover all of it just once."""
    places = []
    for chunk in chunks:
        at = whole.find(chunk)
        assert at >= 0, "bytes that are not of this keystream"
        assert whole.find(chunk, at + 1) < 0
        places.append((at, at + len(chunk)))
    places.sort()
    end = 0
    for a, b in places:
        assert a == end, f"bytes {min(a, end)} to {max(a, end)} handed out twice or never"
        end = b
    assert end == len(whole)


@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_one_stream_hands_out_every_byte_once(cls, nonce):
    rounds = 4 if IS_EMULATED else 40
    stream = cls(KEY, nonce)

    def work(i):
        got = []
        for j in range(rounds):
            n = SIZES[(i + j) % len(SIZES)] + 8 * i + j % 7
            if j % 3 == 0:
                got.append(stream.keystream(n))
            elif j % 3 == 1:
                got.append(stream.encrypt(bytes(n)))
            else:
                out = bytearray(n)
                stream.encrypt_into(out, out)
                got.append(bytes(out))
        return got

    chunks = [chunk for got in in_threads(THREADS, work) for chunk in got]
    total = sum(map(len, chunks))
    assert stream.tell() == total
    tile(chunks, cls(KEY, nonce).keystream(total))


def test_the_end_of_the_keystream_is_handed_out_once():
    """8 threads ask for more than there is: what is refused moves nothing."""
    stream = ChaCha20(KEY, NONCE12)
    stream.seek(2**38 - 5000)

    def work(i):
        got = []
        while True:
            try:
                got.append(stream.keystream(16 + i))
            except OverflowError:
                return got

    chunks = [chunk for got in in_threads(THREADS, work) for chunk in got]
    assert stream.tell() == 2**38 - 5000 + sum(map(len, chunks))
    tile(chunks, model.keystream(KEY, NONCE12, 2**38 - 5000, sum(map(len, chunks))))


@pytest.mark.parametrize("cls, nonce", AEADS)
def test_one_aead(cls, nonce):
    aead = cls(KEY)
    expected = {n: aead.encrypt(nonce, pattern(n), b"aad") for n in SIZES}

    def work(i):
        for j in range(3 if IS_EMULATED else 30):
            n = SIZES[(i + j) % len(SIZES)]
            assert aead.encrypt(nonce, pattern(n), b"aad") == expected[n]
            assert aead.decrypt(nonce, expected[n], b"aad") == pattern(n)
            out = bytearray(n)
            with pytest.raises(InvalidTag):
                aead.decrypt_into(nonce, expected[n], b"other", out)
            assert out == bytes(n)
        return True

    assert in_threads(THREADS, work) == [True] * THREADS


def test_one_poly1305():
    """Equal pieces of whole blocks: every order of them is the same message."""
    piece = pattern(16) * (20 if IS_EMULATED else 600)  # above the GIL's threshold
    count = 3 if IS_EMULATED else 25
    mac = Poly1305(KEY)

    def work(i):
        for _ in range(count):
            mac.update(piece)
            mac.update(piece[:16])

    in_threads(THREADS, work)
    n = len(piece) // 16 * count + count
    assert mac.finalize() == model.poly1305(KEY, pattern(16) * (n * THREADS))


@pytest.mark.parametrize("maker", ["encryptor", "decryptor"])
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_one_encryptor(cls, nonce, maker):
    """Each piece has its own stretch of keystream; the tag is that of the pieces in their order."""
    aead = cls(KEY)
    stream = getattr(aead, maker)(nonce, b"aad")

    def work(i):
        got = []
        for j in range(3 if IS_EMULATED else 20):
            n = SIZES[(i + j) % len(SIZES)] + 8 * i + j % 7
            if j % 2:
                got.append(stream.update(bytes(n)))
            else:
                out = bytearray(n)
                assert stream.update_into(out, out) == n
                got.append(bytes(out))
        return got

    chunks = [chunk for got in in_threads(THREADS, work) for chunk in got]
    total = sum(map(len, chunks))
    sealed = aead.encrypt(nonce, bytes(total), b"aad")
    tile(chunks, sealed[:-16])
    if maker == "encryptor":
        assert stream.finalize() == sealed[-16:]
    else:
        # What came in was zeros; its tag is that of the message which encrypts to zeros.
        stream.finalize(aead.encrypt(nonce, sealed[:-16], b"aad")[-16:])


@pytest.mark.parametrize("kind", ["Poly1305", "encryptor", "decryptor"])
def test_one_thread_finalizes(kind):
    """Of 8 that do, one succeeds; updates after it raise ValueError."""
    aead = ChaCha20Poly1305(KEY)
    for _ in range(20):
        thing = Poly1305(KEY) if kind == "Poly1305" else getattr(aead, kind)(NONCE12)
        empty = aead.encrypt(NONCE12, b"")
        arguments = [empty] if kind == "decryptor" else []

        def work(i, thing=thing, arguments=arguments):
            try:
                thing.finalize(*arguments)
            except InvalidTag:
                return "wrong"
            except ValueError:
                return "late"
            return "first"

        results = in_threads(THREADS, work)
        assert sorted(results) == ["first"] + ["late"] * (THREADS - 1)


# ---- memory that another thread changes ---------------------------------------------------------
@pytest.mark.skipif(not GIL, reason="CPython's own bytearray is not safe for this without the GIL")
@pytest.mark.parametrize("what", ["stream", "aead", "encryptor", "mac"])
def test_a_buffer_that_another_thread_resizes(what):
    """It is held while the call runs: the other thread gets BufferError, and there is no fault."""
    content = pattern(5000 if IS_EMULATED else 200000)
    buffer = bytearray(content)
    calls = {
        "stream": lambda: ChaCha20(KEY, NONCE12).encrypt(buffer),
        "aead": lambda: ChaCha20Poly1305(KEY).encrypt(NONCE12, buffer, buffer),
        "encryptor": lambda: ChaCha20Poly1305(KEY).encryptor(NONCE12).update(buffer),
        "mac": lambda: Poly1305.generate_tag(KEY, buffer),
    }
    stop = threading.Event()

    def resize():
        while not stop.is_set():
            try:
                buffer.clear()
                buffer.extend(content)
            except BufferError:
                pass  # held by a call: as it should be

    full, empty = calls[what](), None
    buffer.clear()
    empty = calls[what]()
    buffer.extend(content)
    possible = {full, empty}
    if what == "aead":  # the two buffers are taken one after the other
        aead = ChaCha20Poly1305(KEY)
        possible |= {aead.encrypt(NONCE12, content), aead.encrypt(NONCE12, b"", content)}
    thread = threading.Thread(target=resize)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread.start()
    try:
        for _ in range(20 if IS_EMULATED else 100):
            assert calls[what]() in possible
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(interval)


def test_memory_that_another_thread_changes():
    """Unspecified bytes, never a fault; and nothing is left broken."""
    n = 3000 if IS_EMULATED else 100000
    data, out, aad = bytearray(n), bytearray(n + 16), bytearray(1000)
    aead = ChaCha20Poly1305(KEY)
    stop = threading.Event()

    def scribble():
        i = 0
        while not stop.is_set():
            data[i % n] ^= 1
            out[-1 - i % 500] ^= 1
            aad[i % 1000] ^= 1
            i += 997

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        for _ in range(5 if IS_EMULATED else 50):
            assert aead.encrypt_into(NONCE12, data, aad, out) == n + 16
            with contextlib.suppress(InvalidTag):
                assert aead.decrypt_into(NONCE12, out, aad, data) == n
            with memoryview(out) as view:
                ChaCha20(KEY, NONCE12).encrypt_into(view, view)
            Poly1305.generate_tag(KEY, data)
    finally:
        stop.set()
        thread.join()
    assert aead.encrypt(NONCE12, b"abc") == model.aead_encrypt(KEY, NONCE12, b"abc")
