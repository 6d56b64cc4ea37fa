"""Foreign Pythons: Debian of another architecture, unpacked, its Python run under QEMU.

A root has Python, pytest, hypothesis and cryptography as Debian built them for that architecture.
A wheel of this checkout is cross-built for it with Debian's cross gcc and installed into a virtual
environment of the root's Python, whose ``bin/python`` is a script that starts QEMU: so
``sys.executable`` works in subprocesses too, without any setting of the machine.
"""

import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from testbed import provision, targets
from testbed.common import BUILD, CACHE, ROOT, Failure, call, say
from testbed.targets import Cpu

PACKAGES = (
    "python3", "python3-dev", "python3-pytest", "python3-cryptography", "python3-hypothesis",
    "python3-cryptography-vectors", "libc6-dev",
)  # fmt: skip
WHOLE = ("tests/api",)
"""What runs once for each root, with the best backend of its first CPU model."""
SELECTION = ("tests/api/test_backends.py",)
"""What runs on each other CPU model: it forces every backend in turn and proves by the call
counters that the kernels named are those that ran."""
VECTORS = ("tests/api/test_vectors.py",)
"""What runs once with each other backend forced."""
WITHOUT = "numpy,mypy"
"""Packages that roots lack and some tests want (FASTCHACHA_TEST_WITHOUT)."""


@dataclass(frozen=True)
class Root:
    """One foreign Python."""

    name: str
    """Debian's name of the architecture."""
    suite: str
    python: str
    """Its version of Python, major and minor."""
    target: str
    """The row of the targets table whose QEMU and CPU models serve it."""
    cpus: tuple[str, ...]
    """CPU models to test on: the whole test suite on the first, the kernels' on the others."""
    gnu: str
    """The GNU triple: of the cross gcc and of Python's own files."""
    machine: str
    """What wheels call the architecture."""

    @property
    def folder(self) -> Path:
        """Where it is unpacked."""
        return CACHE / "roots" / self.name

    @property
    def packages(self) -> tuple[str, ...]:
        """The cross gcc and its libc."""
        gcc = "gcc-" + self.gnu.replace("_", "-")
        return gcc, f"libc6-dev-{self.name}-cross"


ROOTS = (
    Root("riscv64", "trixie", "3.13", "riscv64", ("zvkb256", "rvv128", "rv64gc"),
         "riscv64-linux-gnu", "riscv64"),
    Root("arm64", "trixie", "3.13", "aarch64", ("cortex-a53",), "aarch64-linux-gnu", "aarch64"),
    Root("armhf", "trixie", "3.13", "armv7", ("cortex-a7",), "arm-linux-gnueabihf", "armv7l"),
    Root("ppc64el", "bookworm", "3.11", "ppc64le", ("power10", "power9", "power8"),
         "powerpc64le-linux-gnu", "ppc64le"),
    Root("s390x", "bookworm", "3.11", "s390x", ("z14",), "s390x-linux-gnu", "s390x"),
)  # fmt: skip


def select(names) -> list[Root]:
    """The roots of these names; all for None or "all"."""
    if not names or "all" in names:
        return list(ROOTS)
    for name in names:
        if name not in {r.name for r in ROOTS}:
            raise Failure(f"no root {name!r}; there are: {', '.join(r.name for r in ROOTS)}")
    return [r for r in ROOTS if r.name in names]


# ---- a root ------------------------------------------------------------------------------------


def version(root: Root) -> str | None:
    """The version of a root's Python ("3.13.5"); None where the root is missing or has not all
    the packages."""
    stamp = root.folder / "packages"
    if not stamp.exists() or stamp.read_text() != " ".join(PACKAGES):
        return None
    header = root.folder / f"usr/include/python{root.python}/patchlevel.h"
    return re.search(r'#define PY_VERSION\s+"(.+)"', header.read_text())[1]


def install(root: Root) -> None:
    """Unpacks a root; nothing of it is run."""
    say(f"unpacking Debian {root.suite} for {root.name}")
    (CACHE / "roots").mkdir(parents=True, exist_ok=True)
    mode = "root" if os.geteuid() == 0 else "unshare"
    with tempfile.TemporaryDirectory(dir=CACHE / "roots", prefix="new-") as scratch:
        folder = Path(scratch) / root.name
        call(
            ["mmdebstrap", f"--mode={mode}", "--variant=extract", f"--architectures={root.name}",
             "--skip=check/qemu", f"--include={','.join(PACKAGES)}", root.suite, folder,
             provision.apt_source(root.suite)],
            what=f"unpacking Debian {root.suite} for {root.name}",
        )  # fmt: skip
        # Debian's base-files makes these when it is configured, which an unpacked root never is.
        for name in "bin", "sbin", "lib", "lib64":
            if (folder / "usr" / name).is_dir() and not (folder / name).exists():
                (folder / name).symlink_to(f"usr/{name}")
        # An absolute link would lead out of the root.
        for path in folder.rglob("*"):
            if path.is_symlink() and (to := os.readlink(path)).startswith("/"):
                path.unlink()
                path.symlink_to(os.path.relpath(folder / to[1:], path.parent))
        shutil.rmtree(root.folder, ignore_errors=True)
        folder.rename(root.folder)
    # The first import compiles the modules and keeps the result, which halves every later run.
    call(
        [*_python(root, targets.target(root.target).cpu(root.cpus[0])),
         "-c", "import pytest, cryptography, hypothesis, ssl, decimal, multiprocessing"],
        what=f"trying Python of {root.name}",
        env={"PYTHONDONTWRITEBYTECODE": ""},
    )  # fmt: skip
    (root.folder / "packages").write_text(" ".join(PACKAGES))


def _python(root: Root, cpu: Cpu) -> list[str]:
    """The beginning of a command line that runs a root's Python."""
    qemu = provision.qemu(targets.target(root.target).runner)
    real = root.folder / "usr/bin" / f"python{root.python}"
    return [str(qemu), "-cpu", cpu.model, "-L", str(root.folder), str(real)]


def parts(roots: list[Root]) -> list[provision.Part]:
    """What setup brings for these roots."""
    needed = [provision.deb("mmdebstrap", "unpacks foreign roots")] if roots else []
    for root in roots:
        purpose = f"cross-builds wheels for {root.name}"
        needed += [provision.deb(package, purpose) for package in root.packages]
    for root in roots:
        needed.append(
            provision.Part(
                f"root {root.name}",
                f"Python {root.python} of Debian {root.suite}",
                functools.partial(version, root),
                functools.partial(install, root),
                f"python tools/testbed setup --roots {root.name}",
            )
        )
    return needed


# Python 3.13's own headers use 1-byte atomic operations, for which gcc before 14 calls libatomic on
# RISC-V: linked in, since the root need not have it.
_LINK = {
    "riscv64": "-Wl,-u,__atomic_compare_exchange_1 -Wl,-u,__atomic_exchange_1"
    " -l:libatomic.a -Wl,--exclude-libs,libatomic.a"
}


# ---- a wheel -----------------------------------------------------------------------------------


def _builder() -> Path:
    """The Python of an environment with what pyproject.toml needs for a build."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        requires = tomllib.load(file)["build-system"]["requires"]
    folder = CACHE / "builder"
    python = folder / "bin" / "python"
    wanted = "\n".join([sys.version, *requires])
    stamp = folder / "requires"
    if not stamp.exists() or stamp.read_text() != wanted:
        say("making the environment that builds wheels")
        shutil.rmtree(folder, ignore_errors=True)
        call([sys.executable, "-m", "venv", folder], what="making an environment")
        call([python, "-m", "pip", "install", "-q", *requires], what="fetching the build tools")
        stamp.write_text(wanted)
    return python


def _source() -> Path:
    """A copy of what a build reads, so that it leaves nothing in the checkout. Only what has
    changed is copied, so that only that is compiled again."""
    copy = BUILD / "wheel-source"
    kept = set()
    for name in ("src", "csrc", "asm", "pyproject.toml", "setup.py", "README.md", "MANIFEST.in",
                 "LICENSE-APACHE", "LICENSE-MIT"):  # fmt: skip
        whole = ROOT / name
        for path in whole.rglob("*") if whole.is_dir() else [whole]:
            if not path.is_file() or path.suffix in (".so", ".pyc") or path.name == "_core.c":
                continue
            to = copy / path.relative_to(ROOT)
            kept.add(to)
            if not to.exists() or to.stat().st_mtime != path.stat().st_mtime:
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, to)
    for name in "src", "csrc", "asm":
        for path in (copy / name).rglob("*"):
            if path.is_file() and path not in kept and path.name != "_core.c":
                path.unlink()
    return copy


def wheel(root: Root) -> Path:
    """Cross-builds a wheel of this checkout for a root's Python."""
    gcc = shutil.which(f"{root.gnu}-gcc")
    if not gcc or not version(root):
        raise Failure(
            f"root {root.name} is not ready: run `python tools/testbed setup --roots {root.name}`"
        )
    # Python's headers alone: the rest of the root's usr/include would clash with the cross libc's.
    place = BUILD / f"root-{root.name}"
    include = place / "include"
    for name in f"python{root.python}", f"{root.gnu}/python{root.python}":
        link = include / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(root.folder / "usr/include" / name)
    # The root's own build settings, and its Python's version, which the builder's would else fill
    # in: the two need not be the same.
    settings = f"_sysconfigdata__{root.gnu}"
    text = (root.folder / f"usr/lib/python{root.python}" / f"{settings}.py").read_text()
    short = root.python.replace(".", "")
    text += (
        f"\nbuild_time_vars.update(py_version_short={root.python!r}, py_version_nodot={short!r})\n"
    )
    (place / f"{settings}.py").write_text(text)
    wheels = place / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    env = {
        "_PYTHON_HOST_PLATFORM": f"linux-{root.machine}",
        "_PYTHON_SYSCONFIGDATA_NAME": settings,
        "PYTHONPATH": str(place),
        "CC": f"{gcc} -I{include} -I{include}/python{root.python}",
        "LDSHARED": f"{gcc} -shared {_LINK.get(root.name, '')}",
    }
    source = _source()
    # setuptools sees changed sources, not changed settings.
    stamp = place / "settings"
    if not stamp.exists() or stamp.read_text() != f"{sys.version} {env}":
        for old in source.glob(f"build/*.linux-{root.machine}-*"):
            shutil.rmtree(old)
    call(
        [_builder(), "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", wheels, "."],
        what=f"building the wheel for {root.name}",
        cwd=source,
        env=env,
    )
    stamp.write_text(f"{sys.version} {env}")
    made = list(wheels.glob("*.whl"))
    expected = f"-cp{short}-cp{short}-linux_{root.machine}.whl"
    if len(made) != 1 or not made[0].name.endswith(expected):
        raise Failure(f"wheel for {root.name}: expected *{expected}, got {[p.name for p in made]}")
    return made[0]


# ---- its tests ---------------------------------------------------------------------------------


def _interpreter(root: Root, cpu: Cpu, folder: Path) -> Path:
    """A script in an environment's bin folder that is its Python on one CPU model."""
    script = folder / "bin" / f"python-{cpu.name}"
    *qemu, real = _python(root, cpu)
    # -0: Python finds its environment by the name it is called by.
    line = shlex.join([*qemu, "-0", str(script), real])
    script.write_text(f'#!/bin/sh\nexec {line} "$@"\n')
    script.chmod(0o755)
    return script


def environment(root: Root) -> dict[str, Path]:
    """Installs this checkout's wheel into a fresh environment of a root's Python.

    Returns the interpreters, by CPU model.
    """
    target = targets.target(root.target)
    made = wheel(root)
    folder = BUILD / f"root-{root.name}" / "env"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text(
        f"home = {root.folder}/usr/bin\ninclude-system-site-packages = true\n"
        f"version = {root.python}\n"
    )
    # The same choice by tags that the root's own pip would make.
    call(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index",
         "--only-binary=:all:", "--implementation=cp", f"--python-version={root.python}",
         f"--platform=linux_{root.machine}", f"--find-links={made.parent}",
         f"--target={folder}/lib/python{root.python}/site-packages", "fastchacha"],
        what=f"installing {made.name}",
        env={"PIP_FIND_LINKS": ""},
    )  # fmt: skip
    return {cpu.name: _interpreter(root, cpu, folder) for cpu in target.cpus}


def _pytest(python: Path, arguments, backend: str) -> tuple[bool, str]:
    """Runs pytest of a root from outside the checkout: did it pass, and what it printed."""
    with tempfile.TemporaryDirectory() as elsewhere:
        done = subprocess.run(
            # An emulator in an emulator takes minutes to say what the host's tests have said.
            [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not _emu", *arguments],
            check=False,
            cwd=elsewhere,
            env={**os.environ, "FASTCHACHA_BACKEND": backend, "FASTCHACHA_TEST_WITHOUT": WITHOUT},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    return done.returncode == 0, done.stdout


def _backends(python: Path, cpu: Cpu) -> list[str]:
    """The native backends that a CPU model can run, best first, by the targets table; a Failure
    where the installed package thinks otherwise."""
    listing = call(
        [python, "-c", "import fastchacha, json; print(json.dumps(["
         "(b.name, sorted(b.features), b.available) for b in fastchacha.backends()"
         " if not b.name.endswith('_emu')]))"],
        what=f"asking {python} for its backends",
        env={"FASTCHACHA_BACKEND": ""},
    )  # fmt: skip
    rows = json.loads(listing)
    for name, features, available in rows:
        if available != (set(features) <= cpu.features):
            raise Failure(
                f"{name} needs {features}, {cpu.name} has {sorted(cpu.features)}, but the package"
                f" says {'available' if available else 'not available'}"
            )
    return [name for name, _, available in rows if available]


def _test(root: Root, options) -> tuple[int, int]:
    """Builds, installs and tests one root; returns how many runs passed and failed."""
    passed = failed = 0
    try:
        pythons = environment(root)
        say(f"{root.name}: wheel built and installed")
    except Failure as failure:
        print(f"FAILED {root.name}: {failure}", flush=True)
        return 0, 1
    seen = set()
    for cpu in map(targets.target(root.target).cpu, options.cpu or root.cpus):
        python = pythons[cpu.name]
        try:
            backends = _backends(python, cpu)
        except Failure as failure:
            print(f"FAILED {root.name}/{cpu.name}: {failure}", flush=True)
            failed += 1
            continue
        runs = {"": SELECTION if seen and not options.cpu else WHOLE}
        runs |= {backend: VECTORS for backend in backends[1:] if backend not in seen}
        if options.thorough:
            runs |= dict.fromkeys(backends[1:], WHOLE)
        if options.backend:
            runs = {backend: VECTORS for backend in backends if backend in options.backend}
        seen.update(backends)
        for backend, files in runs.items():
            start = time.monotonic()
            good, output = _pytest(python, options.tests or [ROOT / f for f in files], backend)
            took = time.monotonic() - start
            passed, failed = passed + good, failed + (not good)
            last = output.strip().splitlines()[-1] if output.strip() else "no output"
            if not good or options.verbose:
                print(output, flush=True)
            shown = backend or f"auto ({backends[0]})"
            say(f"{'ok' if good else 'FAILED':<7}{root.name + '/' + cpu.name:<20}{shown:<15}"
                f"{took:6.1f} s  {last}")  # fmt: skip
    return passed, failed


def run(options) -> int:
    """Tests the chosen roots, two at a time."""
    chosen = select(options.root)
    options.tests = [str(Path(t).resolve()) for t in options.tests]
    _builder()
    _source()
    with ThreadPoolExecutor(options.jobs) as pool:
        counts = list(pool.map(lambda root: _test(root, options), chosen))
    passed, failed = (sum(column) for column in zip(*counts, strict=True))
    if options.backend and not passed + failed:
        raise Failure(f"no root here can run {' or '.join(options.backend)}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
