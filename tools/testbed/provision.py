"""Fetches the tools that the test bed needs, and says which are there.

QEMU (a Debian package) and zig (a Python package) are unpacked into the cache and leave the machine
as it was; cross compilers, Wine and LLVM are installed by apt. Debian 12 takes QEMU 10 from its
backports, since its own 7.2 lacks Zvkb; later releases have it in their main suite.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from testbed.common import CACHE, Failure, call, say
from testbed.targets import Target

ZIG_VERSION = "0.17.1"
LLVM = 22
"""Costs come from this release's scheduling models alone: they differ between releases."""
QEMU_MINIMUM = (10, 0)


# ---- Debian ----------------------------------------------------------------------------------


def release() -> str:
    """The machine's Debian release by its code name ("bookworm")."""
    text = Path("/etc/os-release").read_text() if Path("/etc/os-release").exists() else ""
    found = re.search(r'^VERSION_CODENAME="?(\w+)', text, re.MULTILINE)
    if not found or not shutil.which("apt-get"):
        raise Failure("the test bed is made for Debian 12 (bookworm) or later, x86-64")
    return found[1]


def mirror() -> tuple[str, str]:
    """The Debian mirror that this machine's apt uses, and the path of its keyring."""
    listing = call(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(SOURCESENTRY)",
         "Created-By: Packages", "Origin: Debian", "Label: Debian", "Target-Of: deb"],
        what="reading the machine's apt sources",
    )  # fmt: skip
    if not listing.strip():
        raise Failure("this machine's apt knows no Debian mirror; run `apt-get update` first")
    uri, entry = listing.splitlines()[0].split()
    source = Path(entry.rpartition(":")[0]).read_text()
    signed_by = re.search(
        r"^[^#\n]*signed-by\s*[:=]\s*(/[^\s\],]+)", source, re.IGNORECASE | re.MULTILINE
    )
    return uri, signed_by[1] if signed_by else "/usr/share/keyrings/debian-archive-keyring.gpg"


def apt_source(suite: str) -> str:
    """A sources.list line for any suite of the machine's own mirror."""
    uri, keyring = mirror()
    return f"deb [signed-by={keyring}] {uri} {suite} main"


def private_apt(line: str, folder: Path) -> list[str]:
    """apt-get with one sources.list line and a state of its own in a folder, with apt's checks: no
    source is added to the machine and no root is needed."""
    state = folder / "apt"
    (state / "lists" / "partial").mkdir(parents=True)
    (state / "cache" / "archives" / "partial").mkdir(parents=True)
    (state / "sources.list").write_text(line + "\n")
    apt = [
        "apt-get", "-q",
        "-o", f"Dir::State::lists={state}/lists",
        "-o", f"Dir::Cache={state}/cache",
        "-o", f"Dir::Etc::SourceList={state}/sources.list",
        "-o", "Dir::Etc::SourceParts=/dev/null",
        "-o", "APT::Sandbox::User=root",
    ]  # fmt: skip
    call([*apt, "update"], what=f"reading the package list: {line}")
    return apt


def apt_download(package: str, suite: str, folder: Path) -> Path:
    """Downloads a package of any suite into a folder."""
    apt = private_apt(apt_source(suite), folder)
    call([*apt, "download", package], what=f"downloading {package} of {suite}", cwd=folder)
    return next(folder.glob("*.deb"))


def apt_download_source(package: str, suite: str, folder: Path) -> Path:
    """Downloads a package's source as its authors released it (.orig.tar.xz)."""
    apt = private_apt(apt_source(suite).replace("deb ", "deb-src ", 1), folder)
    command = [*apt, "source", "--download-only", package]
    call(command, what=f"downloading the source of {package} of {suite}", cwd=folder)
    return next(folder.glob("*.orig.tar.xz"))


def deb_version(package: str) -> str | None:
    """The installed version of a Debian package."""
    done = subprocess.run(
        ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package],
        capture_output=True,
        check=False,
        text=True,
    )
    status, _, version = done.stdout.partition(" ")
    return version if status == "installed" else None


def apt_install(packages) -> None:
    """Installs Debian packages that are missing, in one go."""
    missing = [p for p in packages if not deb_version(p)]
    if not missing:
        return
    say(f"apt-get install {' '.join(missing)}")
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    wait = ["-o", "DPkg::Lock::Timeout=600"]
    call([*sudo, "apt-get", *wait, "-q", "update"], what="reading the package lists")
    call(
        [*sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *wait, "install", "-q", "-y",
         "--no-install-recommends", *missing],
        what="installing " + " ".join(missing),
    )  # fmt: skip


# ---- the tools -------------------------------------------------------------------------------


def qemu(program: str) -> Path:
    """The path of one of QEMU's programs in the cache."""
    path = CACHE / "qemu" / "usr" / "bin" / program
    if not path.exists():
        raise Failure(f"no {program} in {CACHE}: run `python tools/testbed setup`")
    return path


def qemu_version() -> str | None:
    """The version in the cache ("10.0.2"); None where there is none."""
    try:
        text = call([qemu("qemu-riscv64"), "--version"], what="asking QEMU's version")
    except Failure:
        return None
    found = re.search(r"version (\d+\.\d+\.\d+)", text)
    return found[1] if found else None


def _qemu_problem() -> str | None:
    version = qemu_version()
    if not version:
        return "missing"
    if tuple(map(int, version.split(".")[:2])) < QEMU_MINIMUM:
        return f"{version} is too old: it lacks Zvkb"
    return None


def install_qemu() -> None:
    suite = release() + ("-backports" if release() == "bookworm" else "")
    say(f"fetching qemu-user of {suite}")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="qemu-") as scratch:
        package = apt_download("qemu-user", suite, Path(scratch))
        call(["dpkg", "-x", package, f"{scratch}/unpacked"], what="unpacking qemu-user")
        shutil.rmtree(CACHE / "qemu", ignore_errors=True)
        Path(scratch, "unpacked").rename(CACHE / "qemu")
    if problem := _qemu_problem():
        raise Failure(f"QEMU of Debian {suite}: {problem}")


def zig_cc() -> list[str]:
    """zig's C compiler as the beginning of a command line."""
    zig = CACHE / f"ziglang-{ZIG_VERSION}" / "ziglang" / "zig"
    if not zig.exists():
        raise Failure(f"no zig {ZIG_VERSION} in {CACHE}: run `python tools/testbed setup`")
    return [str(zig), "cc"]


def zig_version() -> str | None:
    """The version in the cache; None where the pinned one is missing."""
    try:
        return call([zig_cc()[0], "version"], what="asking zig's version").strip()
    except Failure:
        return None


def install_zig() -> None:
    say(f"fetching zig {ZIG_VERSION}")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="zig-") as scratch:
        call(
            [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", scratch,
             f"ziglang=={ZIG_VERSION}"],
            what="fetching zig with pip (Debian: apt-get install python3-pip)",
        )  # fmt: skip
        target = CACHE / f"ziglang-{ZIG_VERSION}"
        shutil.rmtree(target, ignore_errors=True)
        Path(scratch).rename(target)
        Path(scratch).mkdir()  # for its owner to remove


def wine() -> Path:
    """Wine's 64-bit loader."""
    for path in "/usr/lib/wine/wine64", shutil.which("wine64"), shutil.which("wine"):
        if path and Path(path).exists():
            return Path(path)
    raise Failure("no wine64: run `python tools/testbed setup --targets x86_64-windows`")


def llvm(program: str) -> str:
    """A program of the pinned LLVM release: "mca", "objdump", "nm"."""
    found = shutil.which(f"llvm-{program}-{LLVM}")
    if not found:
        raise Failure(f"no llvm-{program}-{LLVM}: run `python tools/testbed setup --cost`")
    return found


# ---- setup and doctor ------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """One thing that setup brings and doctor looks for."""

    name: str
    purpose: str
    version: Callable[[], str | None]
    """None: missing."""
    install: Callable[[], None] | None
    """None: by apt, the package being called `name`."""
    hint: str
    """What the user does to get it."""
    problem: Callable[[], str | None] = lambda: None
    """What is wrong with the version that is there."""

    def state(self) -> str | None:
        """Why it cannot be used, or None."""
        if self.version() is None:
            return "missing"
        return self.problem()


def deb(package: str, purpose: str) -> Part:
    """A part that is a Debian package."""
    return Part(package, purpose, lambda: deb_version(package), None, f"apt-get install {package}")


def parts(targets: list[Target], *, roots=(), cost: bool = False) -> list[Part]:
    """What these targets, foreign roots and the cost tool need."""
    needed = []
    emulated = sorted({t.runner[5:] for t in targets if (t.runner or "").startswith("qemu-")})
    if emulated or roots or cost:
        purpose = "runs " + ", ".join(emulated or ["foreign programs"])
        hint = "python tools/testbed setup"
        needed.append(
            Part(f"qemu >= {QEMU_MINIMUM[0]}", purpose, qemu_version, install_qemu, hint,
                 _qemu_problem)
        )  # fmt: skip
    zig = [t.name for t in targets if t.compiler == "zig"]
    if zig:
        hint = "python tools/testbed setup"
        purpose = f"builds {len(zig)} targets"
        needed.append(Part(f"zig {ZIG_VERSION}", purpose, zig_version, install_zig, hint))
    packages = {p: f"builds {t.name}" for t in targets for p in t.packages}
    if any(t.runner == "wine" for t in targets):
        packages["wine64"] = "runs x86_64-windows"
    if any(t.runner == "bochs" for t in targets):
        for package in "bochs", "bochs-term", "isolinux", "syslinux-common", "xorriso":
            packages[package] = "runs x86_64-avx512"
    if cost:
        packages[f"llvm-{LLVM}"] = "llvm-mca and disassembler of tools/cost"
    needed += [deb(*item) for item in packages.items()]
    return needed


def install(wanted: list[Part]) -> None:
    """Installs what is missing; what is there stays as it is."""
    missing = [p for p in wanted if p.state()]
    apt_install([p.name for p in missing if not p.install])
    for part in missing:
        if part.install:
            part.install()
    for part in wanted:
        if problem := part.state():
            raise Failure(f"{part.name}: {problem} after its installation")


def probe(targets: list[Target]) -> None:
    """Builds a small program for each target (which builds zig's libc at first use), runs it on
    each CPU model and compares what it finds with the targets table."""
    from testbed.build import build, run

    source = Path(__file__).with_name("probe.c")

    def one(target: Target) -> None:
        program = build(target, [source])
        for cpu in target.cpus:
            result = run(target, cpu, program, timeout=120)
            expected = f"{target.bits} bits, {target.order} endian"
            if result.stdout.strip() != expected or result.returncode:
                raise Failure(
                    f"{target.name} on {cpu.name}: expected {expected!r}, got"
                    f" {result.stdout!r}, status {result.returncode}\n{result.stderr}"
                )
        models = ", ".join(cpu.name for cpu in target.cpus) or "assembled and linked only"
        say(f"{target.name}: {models}")

    if any(t.runner == "wine" for t in targets):
        prepare_wine()
    # zig's builds keep one core busy for long stretches.
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(one, target) for target in targets]:
            done.result()


def prepare_wine() -> None:
    """Makes Wine's folder of settings once, so that no check waits for it."""
    if (CACHE / "wine" / "system.reg").exists():
        return
    say("making Wine's prefix")
    CACHE.mkdir(parents=True, exist_ok=True)
    env = {
        "WINEDEBUG": "-all",
        "WINEPREFIX": str(CACHE / "wine"),
        "WINEDLLOVERRIDES": "mscoree,mshtml=",
        "DISPLAY": "",
    }
    call([wine(), "wineboot", "--init"], what="making Wine's prefix", env=env)


def doctor(wanted: list[Part]) -> int:
    """Prints what is there and what is missing; returns the exit status."""
    print(f"Debian {release()}, cache {CACHE}")
    missing = 0
    for part in wanted:
        problem = part.state()
        missing += bool(problem)
        found = f"{problem.upper()}: {part.hint}" if problem else part.version()
        print(f"{'--' if problem else 'ok'}  {part.name:<28} {found:<28} {part.purpose}")
    print(f"{missing} missing" if missing else "nothing is missing")
    return 1 if missing else 0
