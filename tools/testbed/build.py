"""Builds a static program for a target and runs it on one of the target's CPU models."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from testbed import provision
from testbed.common import BUILD, CACHE, ROOT, Failure, call
from testbed.targets import Cpu, Target

DEFAULT_FLAGS = ("-std=c11", "-O3", "-g", "-Wall", "-Wextra", f"-I{ROOT}/csrc", f"-I{ROOT}/asm")


def library_sources() -> list[Path]:
    """The library below Python: all of csrc/ and asm/, each file empty where it does not belong."""
    sources = sorted((ROOT / "csrc").glob("*.c")) + sorted((ROOT / "asm").glob("*/*.S"))
    if not sources:
        raise Failure(f"no sources in {ROOT}/csrc")
    return sources


def compiler(target: Target) -> list[str]:
    """The C compiler's command line for a target, its flags included."""
    if target.compiler == "gcc":
        gcc = shutil.which(f"{target.triple}-gcc")
        if not gcc:
            raise Failure(
                f"target {target.name}: no {target.triple}-gcc; run"
                f" `python tools/testbed setup --targets {target.name}`"
                f" or `apt-get install {' '.join(target.packages)}`"
            )
        return [gcc, *target.flags]
    return [*provision.zig_cc(), "-target", target.triple, *target.flags]


def zig_env() -> dict[str, str]:
    """Where zig keeps what it builds (a libc for each target: 15 to 40 s at first use)."""
    return {
        "ZIG_GLOBAL_CACHE_DIR": str(CACHE / "zig"),
        "ZIG_LOCAL_CACHE_DIR": str(CACHE / "zig"),
    }


def build(target: Target, sources, flags=(), *, name: str | None = None, link: bool = True) -> Path:
    """Compiles C and assembly sources to one static program and returns its path.

    The flags come after DEFAULT_FLAGS. `name` is the program's name, the first source's stem unless
    given. link=False makes one relocatable object of one source. A compiler that fails raises a
    Failure with its messages.
    """
    sources = [Path(s) for s in sources]
    for source in sources:
        if not source.exists():
            raise Failure(f"no source file {source}")
    folder = BUILD / target.name
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / ((name or sources[0].stem) + (target.suffix if link else ".o"))
    static = [] if "macos" in target.triple else ["-static"]
    # A name of its own until it is complete: two builds at once do not run each other's half.
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        made = Path(scratch) / output.name
        command = [*compiler(target), *DEFAULT_FLAGS, *flags, *sources, "-o", made]
        support = [Path(__file__).with_name(name) for name in target.support]
        command += [*support, *static] if link else ["-c"]
        call(command, what=f"building {output.name} for {target.name}", env=zig_env())
        made.replace(output)
    return output


def command(target: Target, cpu: Cpu, program: Path, args=(), *, qemu_args=()) -> list[str]:
    """The command line that runs a program of a target on a CPU model."""
    if target.runner == "wine":
        return [str(provision.wine()), str(program), *args]
    if target.runner == "bochs":
        return [sys.executable, str(ROOT / "tools/bochs"), str(program), *args]
    if cpu.model is None:
        return [str(program), *args]
    qemu = provision.qemu(target.runner)
    return [str(qemu), "-cpu", cpu.model, *qemu_args, str(program), *args]


def environment(target: Target) -> dict[str, str]:
    """What a program of the target needs in its environment."""
    if target.runner == "wine":
        return {"WINEDEBUG": "-all", "WINEPREFIX": str(CACHE / "wine")}
    return {}


def run(
    target: Target, cpu: Cpu, program: Path, args=(), *, qemu_args=(), env=None, timeout=None
) -> subprocess.CompletedProcess:
    """Runs a program and returns its exit status and output (text; stderr apart).

    A negative status is the signal that ended it. Only what keeps it from starting at all raises a
    Failure, and so does running longer than `timeout` seconds.
    """
    line = command(target, cpu, program, [str(a) for a in args], qemu_args=qemu_args)
    try:
        return subprocess.run(
            line,
            env={**os.environ, **environment(target), **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
            errors="replace",
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise Failure(
            f"{program.name} on {target.name}/{cpu.name} did not end within {timeout} s"
        ) from None
    except OSError as error:
        raise Failure(f"cannot run {line[0]}: {error}") from None
