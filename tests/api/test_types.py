"""The stubs against the built module, and typed programs against the stubs."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from support import clean_environment

import fastchacha

HERE = Path(__file__).parent


def tool(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=cwd,  # caches and configuration of the checkout stay out of it
        env=clean_environment(MYPY_CACHE_DIR=str(cwd / "cache")),
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_the_package_is_typed():
    assert (Path(fastchacha.__file__).parent / "py.typed").exists()


def test_the_typed_sample_runs():
    runpy.run_path(str(HERE / "typed_sample.py"))


@pytest.mark.needs("mypy")
def test_stubs_match_the_module(tmp_path):
    result = tool("mypy.stubtest", "fastchacha._core", cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.needs("mypy")
def test_a_typed_program(tmp_path):
    result = tool("mypy", "--strict", str(HERE / "typed_sample.py"), cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.needs("mypy")
def test_wrong_programs_are_refused(tmp_path):
    path = HERE / "typed_errors.py"
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    expected = {i: m.group(1) for i, line in lines if (m := re.search(r"# error: (\S+)", line))}
    assert len(expected) >= 10
    result = tool("mypy", "--strict", "--show-error-codes", str(path), cwd=tmp_path)
    found = {
        int(m.group(1)): m.group(2)
        for m in re.finditer(r":(\d+): error: .*\[([\w-]+)\]", result.stdout)
    }
    assert set(found) == set(expected), result.stdout
