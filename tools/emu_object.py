"""Makes src/fastchacha/rvvemu/kernels.elf, the RISC-V kernels that the emulator ships.

    python tools/emu_object.py            write it anew from asm/riscv64
    python tools/emu_object.py --check    is it what every toolchain makes of the sources today?
    python tools/emu_object.py --wheel X  does the extension module in wheel X hold the same code?

The object has a form of its own (one .text, one symbol table), so that its bytes depend on the
code alone and not on the assembler: zig, clang and binutils must agree to the byte.
"""

import argparse
import shutil
import struct
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "src/fastchacha")]

from rvvemu.elf import Elf  # noqa: E402  (the package itself may not be built yet)
from testbed import provision  # noqa: E402
from testbed.build import zig_env  # noqa: E402
from testbed.common import Failure, call, main, say  # noqa: E402

OBJECT = ROOT / "src/fastchacha/rvvemu/kernels.elf"
SOURCES = ROOT / "asm/riscv64"
TOOLCHAINS = ("zig", "clang", "binutils")
ALIGNMENT = 64
NOP = bytes.fromhex("13000000")
FLAGS = (f"-I{ROOT}/asm", f"-I{ROOT}/csrc", "-g0", "-c")


def compiler(toolchain: str) -> list[str]:
    """The command line of a toolchain, or a Failure if it is missing."""
    if toolchain == "zig":
        return [*provision.zig_cc(), "-target", "riscv64-linux-musl"]
    if toolchain == "clang":
        for name in ("clang-22", "clang-19"):
            if shutil.which(name):
                return [name, "--target=riscv64-linux-gnu"]
        raise Failure("no clang-22 or clang-19: apt-get install clang-19")
    if not shutil.which("riscv64-linux-gnu-gcc"):
        raise Failure("no riscv64-linux-gnu-gcc: apt-get install gcc-riscv64-linux-gnu")
    return ["riscv64-linux-gnu-gcc"]


def texts(toolchain: str) -> dict[str, tuple[bytes, dict[str, int]]]:
    """For each source file its code and its global symbols (name to offset)."""
    sources = sorted(SOURCES.glob("*.S"))
    if not sources:
        raise Failure(f"no sources in {SOURCES}")
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            made = Path(folder, source.stem + ".o")
            command = [*compiler(toolchain), *FLAGS, source, "-o", made]
            call(command, what=f"{source.name} with {toolchain}", env=zig_env())
            elf = Elf(made.read_bytes(), base=0)
            if [s.name for s in elf.segments] != [".text"]:
                names = [s.name for s in elf.segments]
                raise Failure(f"{source.name} with {toolchain}: sections {names}, not .text alone")
            names = {n: at for n, at in elf.symbols.items() if n.startswith("fc_")}
            # binutils fills the section up to its alignment with no-operations.
            code = bytes(elf.segments[0].data)
            while code.endswith(NOP):
                code = code.removesuffix(NOP)
            result[source.name] = code, names
    return result


def make(toolchain: str) -> bytes:
    """The object, assembled by one toolchain."""
    code, symbols = bytearray(), {}
    for text, names in texts(toolchain).values():
        code += NOP * (-len(code) % ALIGNMENT // len(NOP))
        for name, offset in names.items():
            if name in symbols:
                raise Failure(f"{name} is defined twice")
            symbols[name] = len(code) + offset
        code += text
    return write_elf(bytes(code), symbols)


def write_elf(code: bytes, symbols: dict[str, int]) -> bytes:
    """An RV64 relocatable object with one .text and global function symbols."""
    strings, table = b"\0", bytes(24)
    places = sorted(symbols.values())
    for name in sorted(symbols):
        value = symbols[name]
        end = next((p for p in places if p > value), len(code))
        # st_info: global function; st_other: hidden; section 1
        table += struct.pack("<IBBHQQ", len(strings), 0x12, 2, 1, value, end - value)
        strings += name.encode() + b"\0"
    names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    parts, offset = [], 64
    for content, alignment in ((code, ALIGNMENT), (table, 8), (strings, 1), (names, 1)):
        pad = -offset % alignment
        parts.append((offset + pad, bytes(pad) + content, len(content)))
        offset += pad + len(content)
    pad = -offset % 8
    ident = b"\x7fELF\x02\x01\x01"
    header = struct.pack(
        "<16sHHIQQQIHHHHHH", ident, 1, 243, 1, 0, 0, offset + pad, 0, 64, 0, 0, 64, 5, 4
    )
    (text, sym, string, name) = [(at, size) for at, _, size in parts]
    sections = bytes(64)
    for row in (
        (1, 1, 6, 0, *text, 0, 0, ALIGNMENT, 0),
        (7, 2, 0, 0, *sym, 3, 1, 8, 24),
        (15, 3, 0, 0, *string, 0, 0, 1, 0),
        (23, 3, 0, 0, *name, 0, 0, 1, 0),
    ):
        sections += struct.pack("<IIQQQQIIQQ", *row)
    return header + b"".join(content for _, content, _ in parts) + bytes(pad) + sections


def check() -> None:
    """A Failure unless every toolchain makes the checked-in object."""
    if not OBJECT.exists():
        raise Failure(f"no {OBJECT}: run `python tools/emu_object.py`")
    for toolchain in TOOLCHAINS:
        if make(toolchain) != OBJECT.read_bytes():
            raise Failure(
                f"{OBJECT.name} is not what {toolchain} makes of {SOURCES.relative_to(ROOT)}:"
                " run `python tools/emu_object.py` and commit it"
            )
        say(f"{toolchain}: the same {OBJECT.stat().st_size} bytes")


def check_wheel(wheel: Path) -> None:
    """A Failure unless the extension module in a riscv64 wheel holds the object's code."""
    with zipfile.ZipFile(wheel) as archive:
        modules = [n for n in archive.namelist() if n.endswith(".so")]
        if not modules:
            raise Failure(f"{wheel.name} holds no extension module")
        module = archive.read(modules[0])
    for source, (code, _) in texts("zig").items():
        if code not in module:
            raise Failure(f"{wheel.name}: {modules[0]} does not hold the code of {source}")
    check()
    say(f"{wheel.name}: {modules[0]} holds the same code")


def run() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--wheel", type=Path, help="compare with a riscv64 wheel")
    args = parser.parse_args()
    if args.wheel:
        check_wheel(args.wheel)
    elif args.check:
        check()
    else:
        OBJECT.write_bytes(make("zig"))
        say(f"wrote {OBJECT.relative_to(ROOT)}: {OBJECT.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    main(run)
