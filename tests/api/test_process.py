"""Forks, sub-interpreters, pickling, copying, and what shows of a key."""

import contextlib
import copy
import os
import pickle
import re
import signal
import sys
import threading
import time
import traceback
import warnings

import model
import pytest
from support import (
    IS_EMULATED,
    KEY,
    NONCE12,
    OBJECTS,
    check_python,
    pattern,
    run_python,
)

import fastchacha
from fastchacha import ChaCha20, ChaCha20Poly1305, Poly1305

# ---- fork ---------------------------------------------------------------------------------------
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def in_child(work):
    """Runs work() in a forked child; fails with its traceback, or if it hangs."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork with threads: what is tested
        child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(120)  # ends a child that hangs
            work()
            status = 0
        except BaseException:
            os.write(write, traceback.format_exc().encode())
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        message = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        pytest.fail("the child hangs")
    assert status == 0, message or f"the child ended with status {status}"


@needs_fork
def test_a_forked_child_works():
    aead, stream, mac = ChaCha20Poly1305(KEY), ChaCha20(KEY, NONCE12), Poly1305(KEY)
    encryptor = aead.encryptor(NONCE12)
    stream.keystream(100)
    mac.update(b"abc")
    first = encryptor.update(b"abc")

    def work():
        assert aead.encrypt(NONCE12, b"x" * 5000) == model.aead_encrypt(KEY, NONCE12, b"x" * 5000)
        # From where the parent was.
        assert stream.tell() == 100
        assert stream.keystream(50) == model.keystream(KEY, NONCE12, 100, 50)
        mac.update(b"def")
        assert mac.finalize() == model.poly1305(KEY, b"abcdef")
        assert first + encryptor.update(b"def") + encryptor.finalize() == model.aead_encrypt(
            KEY, NONCE12, b"abcdef"
        )
        assert len(ChaCha20.generate_key()) == 32

    in_child(work)
    # The parent's objects are as they were.
    work()


@needs_fork
@pytest.mark.skipif(IS_EMULATED, reason="emulated backends keep the GIL: nobody else can fork")
@pytest.mark.parametrize("kind", ["Poly1305", "encryptor"])
def test_fork_while_several_threads_wait_for_one_object(kind):
    """Nor on one that a waiting thread had just got, without the GIL, when the process forked."""
    target = Poly1305(KEY) if kind == "Poly1305" else ChaCha20Poly1305(KEY).encryptor(NONCE12)
    data, done = bytes(65536), threading.Event()

    def feed():
        while not done.is_set():
            target.update(data)

    def child():
        with contextlib.suppress(RuntimeError):
            target.update(b"abc")

    threads = [threading.Thread(target=feed) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(40):
            in_child(child)
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_the_documentation_tells_of_forks():
    text = " ".join(ChaCha20.__doc__.split())
    assert "child" in text and "new object" in text


@needs_fork
@pytest.mark.skipif(IS_EMULATED, reason="emulated backends keep the GIL: nobody else can fork")
@pytest.mark.parametrize("kind", ["stream", "Poly1305", "encryptor", "decryptor"])
def test_fork_while_another_thread_is_inside_a_long_update(kind):
    """The child does not hang on a lock that only the other thread could have opened.

    What an object that was in use then does in the child is its own affair, as long as it returns
    or raises; everything else works.
    """
    aead = ChaCha20Poly1305(KEY)
    size = 2**28
    data = bytearray(size)
    things = {
        "stream": (stream := ChaCha20(KEY, NONCE12)),
        "Poly1305": Poly1305(KEY),
        "encryptor": aead.encryptor(NONCE12),
        "decryptor": aead.decryptor(NONCE12),
    }
    thing = things[kind]
    inside = []

    def long_update():
        inside.append(True)
        if kind == "stream":
            thing.encrypt_into(data, data)
        elif kind == "Poly1305":
            thing.update(data)
        else:
            thing.update_into(data, data)

    def work():
        def attempt(call, *arguments):
            try:
                return call(*arguments)
            except (ValueError, RuntimeError) as error:
                assert str(error)
                return None

        if kind == "stream":
            # Only the position is under a lock: the child has the stretch after the parent's.
            assert stream.tell() == size
            assert stream.keystream(64) == model.keystream(KEY, NONCE12, size, 64)
        else:
            attempt(thing.update, b"abc")
            attempt(thing.update, bytes(5000))
            if kind == "Poly1305":
                attempt(thing.verify, bytes(16))
            else:
                attempt(thing.update_into, b"abc", bytearray(3))
            attempt(thing.finalize, *([bytes(16)] if kind == "decryptor" else []))
            repr(thing)
        assert aead.encrypt(NONCE12, b"x") == model.aead_encrypt(KEY, NONCE12, b"x")
        assert ChaCha20(KEY, NONCE12).keystream(9) == model.keystream(KEY, NONCE12, 0, 9)
        fresh = Poly1305(KEY)
        fresh.update(pattern(5000))
        assert fresh.finalize() == model.poly1305(KEY, pattern(5000))

    interval = sys.getswitchinterval()
    # Nobody takes the GIL from the thread between its note and the call that lets it go.
    sys.setswitchinterval(100)
    thread = threading.Thread(target=long_update)
    thread.start()
    try:
        # A stream shows that its stretch is taken; the others are inside as soon as this thread has
        # the GIL back, and without a GIL they are almost surely.
        while not inside or (kind == "stream" and stream.tell() != size):
            time.sleep(0)
        in_child(work)
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    # The parent is unharmed.
    if kind != "stream":
        thing.update(b"abc")


# ---- sub-interpreters ---------------------------------------------------------------------------
SUBINTERPRETER = """
import sys

CODE = '''
import sys
try:
    import fastchacha
except ImportError as error:
    assert str(error), "an ImportError without a message"
    sys.stderr.write("ImportError: " + str(error) + "\\\\n")
else:
    sealed = fastchacha.ChaCha20Poly1305(bytes(32)).encrypt(bytes(12), b"abc", None)
    assert sealed.hex() == "EXPECTED", sealed.hex()
    assert fastchacha.ChaCha20Poly1305(bytes(32)).decrypt(bytes(12), sealed) == b"abc"
    try:
        fastchacha.ChaCha20Poly1305(bytes(32)).decrypt(bytes(12), bytes(16))
    except fastchacha.InvalidTag:
        pass
    else:
        raise AssertionError("a forgery was accepted")
    sys.stderr.write("works\\\\n")
sys.stderr.flush()
'''.replace("EXPECTED", sys.argv[1])


def run_in_new_interpreter(own_gil):
    try:
        import _interpreters as module  # 3.13
    except ImportError:
        import _xxsubinterpreters as module
    if hasattr(module, "new_config"):
        interpreter = module.create("isolated" if own_gil else "legacy")
    else:
        interpreter = module.create(isolated=own_gil)
    if hasattr(module, "exec"):
        failure = module.exec(interpreter, CODE)
        if failure is not None:
            raise SystemExit(f"in the sub-interpreter: {failure}")
    else:
        module.run_string(interpreter, CODE)  # raises what the code raises
    module.destroy(interpreter)


def use():
    import fastchacha
    sealed = fastchacha.ChaCha20Poly1305(bytes(32)).encrypt(bytes(12), b"abc", None)
    assert sealed.hex() == sys.argv[1], sealed.hex()


own_gil, main_first = sys.argv[2] == "own", sys.argv[3] == "first"
if main_first:
    use()
for _ in range(3):
    run_in_new_interpreter(own_gil)
try:
    use()
except ImportError as error:
    # Where one interpreter of a process can have the module, and a sub-interpreter came first.
    assert not main_first
    sys.stderr.write(f"ImportError: {error}\\n")
else:
    sys.stderr.write("works\\n")
"""


@pytest.mark.parametrize("main", ["first", "last"])
@pytest.mark.parametrize("gil", ["own", "shared"])
def test_sub_interpreters(gil, main):
    """Each works, or says in one clear ImportError that it cannot; what came first works."""
    if gil == "own" and sys.version_info < (3, 12):
        pytest.skip("before Python 3.12 all interpreters share one GIL")
    expected = model.aead_encrypt(bytes(32), bytes(12), b"abc").hex()
    result = run_python(SUBINTERPRETER, expected, gil, main)
    assert result.returncode == 0, result.stderr
    told = result.stderr.splitlines()
    assert len(told) == 4, result.stderr
    for line in told:
        assert line == "works" or re.match(r"ImportError: .*interpreter", line), line


# ---- pickling and copying -----------------------------------------------------------------------
@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_pickling_raises_type_error(make):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError):
            pickle.dumps(make(), protocol)


@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_copying_raises_type_error(make):
    with pytest.raises(TypeError):
        copy.copy(make())
    with pytest.raises(TypeError):
        copy.deepcopy(make())


# ---- secrets ------------------------------------------------------------------------------------
@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_nothing_shows_the_key(make):
    thing = make()
    shown = [repr(thing), str(thing), f"{thing}", repr(getattr(thing, "__dict__", None))]
    shown += [repr(getattr(thing, name)) for name in dir(thing)]
    # Any four bytes of the key, in hexadecimal, as a bytes literal or as numbers.
    for i in range(0, 32, 4):
        part = KEY[i : i + 4]
        for form in (part.hex(), part.hex().upper(), repr(part)[2:-1], str(list(part))[1:-1]):
            assert not any(form in s for s in shown)
    assert not any(name in dir(thing) for name in ("key", "_key", "nonce", "_nonce"))


def test_errors_show_no_key():
    for call in (
        lambda: ChaCha20(KEY + b"x", NONCE12),
        lambda: ChaCha20(KEY, NONCE12 + b"x"),
        lambda: ChaCha20(KEY[:31], NONCE12),
        lambda: Poly1305.verify_tag(KEY, b"", bytes(16)),
        lambda: ChaCha20Poly1305(KEY).decrypt(NONCE12, bytes(99)),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert KEY[:4].hex() not in str(caught.value)
        assert repr(KEY[:4])[2:-1] not in str(caught.value)


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="reads /proc/self/mem")
@pytest.mark.skipif(IS_EMULATED, reason="the emulator's Python integers are not wiped")
def test_key_material_is_wiped_when_an_object_goes():
    """Looks for a key, and for the keystream, in the process's own memory afterwards."""
    check_python(
        """
import sys, os, gc

# The key is never in one piece in a Python object other than the bytearray that is cleared here;
# in the search it is compared with all bits flipped.
def key():
    return bytearray(i * 37 + 11 & 255 for i in range(32))

def wipe(b):
    for i in range(len(b)):
        b[i] = 0

flipped = bytes(255 - (i * 37 + 11 & 255) for i in range(32))
# As it is, and in 32-bit words of the machine's order (the same on a little-endian machine).
swapped = b"".join(flipped[i : i + 4][::-1] for i in range(0, 32, 4))
patterns = {flipped, flipped if sys.byteorder == "little" else swapped}

def occurrences():
    found = 0
    table = bytes(255 - i for i in range(256))
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as mem:
        for line in maps:
            fields = line.split()
            if "rw" not in fields[1] or fields[-1] in ("[vvar]", "[vsyscall]"):
                continue
            a, b = (int(x, 16) for x in fields[0].split("-"))
            at = a
            while at < b:
                try:
                    os.lseek(mem.fileno(), at, 0)
                    piece = os.read(mem.fileno(), min(b - at, 1 << 20))
                except OSError:
                    break
                if not piece:
                    break
                # The search never holds the plain key: the memory is flipped, not the pattern.
                found += sum(piece.translate(table).count(p) for p in patterns)
                last = at + len(piece) >= b or len(piece) <= 64
                at += len(piece) if last else len(piece) - 64  # none is cut in two
    return found

import fastchacha as f
k = key()
things = [
    f.ChaCha20(k, bytes(12)), f.XChaCha20(k, bytes(24)), f.Poly1305(k),
    f.ChaCha20Poly1305(k), f.XChaCha20Poly1305(k),
]
things.append(things[3].encryptor(bytes(12), b"aad"))
things.append(things[3].decryptor(bytes(12), b"aad"))
things[5].update(bytes(100))
things[6].update(bytes(10000))
things[0].keystream(5000)
things[3].encrypt(bytes(12), bytes(10000))
wipe(k)
before = occurrences()
assert before >= 3, f"the search finds nothing: {before}"  # the objects hold it
del things
gc.collect()
after = occurrences()
assert after == 0, f"{after} of {before} copies of the key are left"
"""
    )


def test_the_version():
    assert re.match(r"\d+\.\d+", fastchacha.__version__)
