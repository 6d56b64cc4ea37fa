"""A Python without the GIL, built from Debian's source, and the tests in it.

Debian packages none. Its source of Python 3.13 builds with --disable-gil in about two and a half
minutes on two cores and is kept in the cache.
"""

import os
import subprocess
import tempfile
from pathlib import Path

from testbed import provision
from testbed.common import BUILD, CACHE, ROOT, Failure, call, say

SUITE, PACKAGE = "trixie", "python3.13"
BUILD_PACKAGES = ("gcc", "make", "libssl-dev", "zlib1g-dev", "libffi-dev")
PREFIX = CACHE / f"{PACKAGE}t"

# Later releases of hypothesis need a Rust compiler where there is no wheel of them.
TEST_PACKAGES = ("pytest>=8", "hypothesis<6.150")
# No wheels for free-threaded Python 3.13, or nothing to test there.
WITHOUT = "cryptography,cryptography_vectors,mypy,numpy"


def python() -> Path:
    """The interpreter; built first where it is missing."""
    program = PREFIX / "bin" / "python3"
    if program.exists():
        return program
    provision.apt_install(BUILD_PACKAGES)
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        folder = Path(name)
        archive = provision.apt_download_source(PACKAGE, SUITE, folder)
        call(["tar", "-xf", archive, "-C", folder], what="unpacking Python's source")
        source = next(folder.glob("Python-*"))
        say(f"building {source.name} without the GIL (about 3 minutes)")
        configure = ["./configure", "-q", "--disable-gil", "--disable-test-modules"]
        # Installed under its final name at once: an interpreter knows where it lies.
        partial = Path(f"{PREFIX}.partial")
        call([*configure, f"--prefix={PREFIX}"], what="configuring Python", cwd=source)
        call(["make", "-s", f"-j{os.cpu_count()}"], what="building Python", cwd=source)
        call(["make", "-s", "install", f"DESTDIR={partial}"], what="installing Python", cwd=source)
        (partial / PREFIX.relative_to("/")).rename(PREFIX)
        call(["rm", "-r", partial], what="removing an empty folder")
    return program


def run(tests) -> int:
    """Installs this checkout as a user would and runs the tests; the GIL must stay off."""
    venv = BUILD / "freethreaded"
    call([python(), "-m", "venv", "--clear", venv], what="making a virtual environment")
    inside = venv / "bin" / "python"
    say("installing the package and pytest")
    pip = [inside, "-m", "pip", "-q", "--disable-pip-version-check", "install"]
    call([*pip, *TEST_PACKAGES, ROOT], what="installing into the free-threaded Python")
    check = "import fastchacha, sys; sys.exit(sys._is_gil_enabled())"
    if subprocess.run([inside, "-c", check], cwd=venv, check=False).returncode:
        raise Failure("importing fastchacha turned the GIL on")
    done = subprocess.run(
        [inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(tests or [ROOT / "tests/api"])],
        cwd=venv,
        env={**os.environ, "FASTCHACHA_TEST_WITHOUT": WITHOUT},
        check=False,
    )
    return done.returncode
