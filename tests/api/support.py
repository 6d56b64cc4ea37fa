"""Helpers: vector files, subprocesses, threads, the kinds of objects under test."""

import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import fastchacha
from fastchacha import ChaCha20, ChaCha20Poly1305, Poly1305, XChaCha20, XChaCha20Poly1305

VECTORS = Path(__file__).parent.parent / "vectors"

KEY = bytes(range(0x80, 0xA0))
NONCE8 = bytes(range(0x40, 0x48))
NONCE12 = bytes(range(0x40, 0x4C))
NONCE16 = bytes(range(0x40, 0x50))
NONCE24 = bytes(range(0x40, 0x58))

# (class, a nonce that it takes): ids say which.
STREAMS = [
    pytest.param(ChaCha20, NONCE12, id="ChaCha20-12"),
    pytest.param(ChaCha20, NONCE8, id="ChaCha20-8"),
    pytest.param(XChaCha20, NONCE24, id="XChaCha20"),
]
AEADS = [
    pytest.param(ChaCha20Poly1305, NONCE12, id="ChaCha20Poly1305"),
    pytest.param(XChaCha20Poly1305, NONCE24, id="XChaCha20Poly1305"),
]
LIMIT = {8: 2**70, 12: 2**38, 24: 2**70}  # bytes of keystream, by the nonce's length
AEAD_MAX = 2**38 - 64

# One of each object that holds a key or comes from one.
OBJECTS = {
    "ChaCha20": lambda: ChaCha20(KEY, NONCE12),
    "XChaCha20": lambda: XChaCha20(KEY, NONCE24),
    "Poly1305": lambda: Poly1305(KEY),
    "ChaCha20Poly1305": lambda: ChaCha20Poly1305(KEY),
    "XChaCha20Poly1305": lambda: XChaCha20Poly1305(KEY),
    "ChaCha20Poly1305.encryptor": lambda: ChaCha20Poly1305(KEY).encryptor(NONCE12),
    "ChaCha20Poly1305.decryptor": lambda: ChaCha20Poly1305(KEY).decryptor(NONCE12),
    "XChaCha20Poly1305.encryptor": lambda: XChaCha20Poly1305(KEY).encryptor(NONCE24),
    "XChaCha20Poly1305.decryptor": lambda: XChaCha20Poly1305(KEY).decryptor(NONCE24),
}

IS_EMULATED = fastchacha.backend().endswith("_emu")
IS_64_BIT = sys.maxsize > 2**32
GIL = getattr(sys, "_is_gil_enabled", lambda: True)()


def pattern(n, seed=0):
    """n bytes that look random and are always the same."""
    return random.Random(f"{seed} {n}").randbytes(n)


def records(path, separator="="):
    """The blocks of `Name = value` lines in a vector file, as dictionaries of strings."""
    block = {}
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        line = line.strip()
        if line.startswith("#"):
            continue
        if line:
            name, _, value = line.partition(separator)
            block[name.strip()] = value.strip()
        elif block:
            yield block
            block = {}


def clean_environment(**variables):
    """This process's environment without FASTCHACHA_*, and with these."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("FASTCHACHA_")}
    # The child imports the package from where this process has it.
    env["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    env.update(variables)
    return env


def run_python(code, *args, timeout=300, stdin=None, options=(), **variables):
    """Runs code in a new Python with a clean environment; returns the CompletedProcess.

    A program of one's own, to see it crash. The timeout only ends what hangs.
    """
    return subprocess.run(
        [sys.executable, *options, "-c", code, *args],
        env=clean_environment(**variables),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
    )


def check_python(code, *args, **kwargs):
    """As run_python; the child must succeed. Returns its standard output."""
    result = run_python(code, *args, **kwargs)
    assert result.returncode == 0, f"exit status {result.returncode}\n{result.stderr}"
    return result.stdout


def in_threads(n, work):
    """Calls work(i) in n threads that begin together; returns the results by i."""
    barrier = threading.Barrier(n)
    results = [None] * n
    errors = []

    def body(i):
        try:
            barrier.wait()
            results[i] = work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(i,)) for i in range(n)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    if errors:
        raise errors[0]
    return results
