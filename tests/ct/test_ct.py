"""Constant time: valgrind's memcheck over ct.c, with key, nonce and message marked undefined.

Builds the library's own C and assembly with the host's compiler, in several optimisation levels
(compilers turn selections into branches at their own discretion), and with 32-bit Poly1305 limbs.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import native
import pytest

ROOT = Path(__file__).resolve().parents[2]
LEAK_STATUS = 9


def run_memcheck(program, *arguments):
    """The finished process of valgrind over the program; fails where there is no valgrind."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        pytest.fail("valgrind is missing: install it (Debian: apt-get install valgrind)")
    return subprocess.run(
        [valgrind, "-q", f"--error-exitcode={LEAK_STATUS}", str(program), *arguments],
        capture_output=True,
        text=True,
        timeout=600,
    )


def build(folder, *flags):
    """The program, built from the library's sources with the host's compiler."""
    sources = [ROOT / "tests/ct/ct.c", *native.library()]
    return native.build(folder / "ct", sources, "-std=gnu11", *flags)


def host_has_avx2():
    """Whether this is an x86-64 machine whose kernel reports AVX2 and BMI2."""
    info = Path("/proc/cpuinfo")
    return info.exists() and {"avx2", "bmi2"} <= set(info.read_text().split())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="valgrind's memcheck: Linux only")
class TestConstantTime:
    @pytest.mark.parametrize(
        "flags",
        [["-O2"], ["-O3"], ["-Os"], ["-O2", "-U__SIZEOF_INT128__"]],
        ids=["O2", "O3", "Os", "limbs32"],
    )
    def test_no_branch_or_address_depends_on_secrets(self, tmp_path, flags):
        done = run_memcheck(build(tmp_path, *flags))
        assert done.returncode == 0, done.stdout + done.stderr[:4000]
        rows = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("row ")}
        assert "generic" in rows, done.stdout
        if host_has_avx2():
            assert "avx2" in rows, done.stdout

    def test_the_check_finds_a_leak(self, tmp_path):
        done = run_memcheck(build(tmp_path, "-O1"), "--leak")
        assert done.returncode == LEAK_STATUS, done.stdout + done.stderr
        assert "Conditional jump or move depends" in done.stderr, done.stderr
        assert "Use of uninitialised value" in done.stderr, done.stderr
