"""Builds C test programs with the host's compiler. What is missing fails the test."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def library():
    """The library below Python: all C and assembly, each file empty where it does not belong."""
    sources = sorted(ROOT.glob("csrc/*.c")) + sorted(ROOT.glob("asm/*/*.S"))
    assert sources, f"no sources in {ROOT}"
    return sources


def build(program, sources, *flags):
    """Compiles and links sources with $CC (else cc) to the path `program`, which is returned."""
    compiler = os.environ.get("CC", "cc").split()
    if shutil.which(compiler[0]) is None:
        pytest.fail(f"{compiler[0]} is missing: set CC to a C compiler")
    includes = [f"-I{ROOT / name}" for name in ("csrc", "asm", "tests")]
    command = [*compiler, "-std=c11", "-O2", "-g", "-Wall", "-Wextra", *includes, *flags]
    done = subprocess.run(
        [*command, *map(str, sources), "-o", str(program)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return program


def tool(*names):
    """The path of the first program of these names that is there."""
    for name in names:
        if path := shutil.which(name):
            return path
    return pytest.fail(f"none of {', '.join(names)} is there: install binutils or llvm")


def run(*command, status=0):
    """The standard output of a command that must end with this exit status."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    assert done.returncode == status, (
        f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    )
    return done.stdout
