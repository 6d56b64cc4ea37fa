"""What a user's compiler may do to the build: a wheel made as `pip install` makes it."""

import json
import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the compilers in question are drop-ins for cc"
)


def wheel(folder, **environment):
    """Builds a wheel; returns the folder that it is unpacked in and what the build printed."""
    result = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-v", "--no-deps", "-w", str(folder), str(ROOT)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    (path,) = folder.glob("*.whl")
    unpacked = folder / "unpacked"
    zipfile.ZipFile(path).extractall(unpacked)
    return unpacked, result.stdout + result.stderr


def report(unpacked):
    result = subprocess.run(
        [sys.executable, "-m", "fastchacha", "--json"],
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        cwd=unpacked,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return json.loads(result.stdout)


def compiler(folder, body):
    script = folder / "cc"
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


def test_wheel(tmp_path):
    unpacked, log = wheel(tmp_path)
    found = report(unpacked)
    assert found["passed"]
    assert "built without assembly" not in log
    files = [path for path in unpacked.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 1_000_000
    names = {path.name for path in files}
    assert {"py.typed", "_core.pyi", "LICENSE-APACHE", "LICENSE-MIT"} <= names
    assert not [name for name in names if name.endswith((".c", ".pyx", ".S", ".h"))]


@pytest.mark.parametrize("how", ["compiler without .S", "FASTCHACHA_NO_ASM"])
def test_without_assembly(tmp_path, how):
    """`generic` only, said aloud; the architecture's own rows are there with the reason."""
    if how == "FASTCHACHA_NO_ASM":
        environment = {"FASTCHACHA_NO_ASM": "1"}
    else:
        refuse = 'for a; do case "$a" in *.S) echo "no assembler" >&2; exit 1;; esac; done'
        environment = {"CC": compiler(tmp_path, f'{refuse}\nexec gcc "$@"')}
    unpacked, log = wheel(tmp_path, **environment)
    assert "WARNING: built without assembly" in log
    found = report(unpacked)
    assert found["passed"]
    assert found["backend"] == "generic"
    for row in found["backends"]:
        native = row["name"] != "generic" and not row["name"].endswith("_emu")
        assert row["available"] != native
        if native:
            assert "no assembly" in row["reason"]
    if found["machine"] == "x86_64":
        assert "avx2" in {row["name"] for row in found["backends"]}
        result = subprocess.run(
            [sys.executable, "-c", "import fastchacha"],
            env={**os.environ, "PYTHONPATH": str(unpacked), "FASTCHACHA_BACKEND": "avx2"},
            cwd=unpacked,
            capture_output=True,
            text=True,
        )
        assert result.returncode != 0
        assert "ImportError: FASTCHACHA_BACKEND='avx2'" in result.stderr
        assert "no assembly" in result.stderr
