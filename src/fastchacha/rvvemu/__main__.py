"""`python -m fastchacha.rvvemu`: run, trace, count and explain RISC-V code."""

from __future__ import annotations

import argparse
import json
import os
import struct
import sys
import time
from pathlib import Path

from . import kernels
from .buffers import Buffer, call_with_buffers
from .encoding import ABI_NAMES, EXTENSIONS, LINES, decode, disassemble
from .errors import EmulatorError
from .machine import Machine

FUNCTIONS = ("chacha20", "hchacha20", "poly1305_blocks", "aead")

ARGUMENT_HELP = """\
ARG is an integer (0x... too) or a buffer:
  hex:00ff       these bytes, read-only      random:N   N random bytes, read-only
  file:PATH      a file's bytes, read-only   out:N      N zero bytes, writable, shown after
  io:00ff        these bytes, writable, shown after
Append @A for a pointer aligned to A bytes only (1 unless told): hex:00010203@4.
With --secrets, buffers prefixed by secret: (secret:hex:00ff) are marked.
"""


def _machine_options(parser) -> None:
    parser.add_argument("--vlen", type=int, default=128, help="bits in a vector register")
    parser.add_argument(
        "--vl-policy",
        default="max",
        choices=("max", "half", "random"),
        help="vl where AVL lies between VLMAX and 2*VLMAX",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the random choices")
    parser.add_argument(
        "--undisturbed",
        action="store_true",
        help="leave agnostic elements alone instead of filling them with ones",
    )
    parser.add_argument(
        "--allow-misaligned", action="store_true", help="misaligned vector elements do not trap"
    )
    parser.add_argument("--secrets", action="store_true", help="follow secrets")
    parser.add_argument("--max-steps", type=int, help="instructions before giving up")
    parser.add_argument("--trace", action="store_true", help="print every instruction executed")
    parser.add_argument("--count", action="store_true", help="count instructions by kind")
    parser.add_argument("--json", action="store_true", help="print one JSON object")  # fmt: skip


def _trace(machine, instruction, pc, op):
    """Wrap a closure so that it prints itself and what it changed."""
    text = disassemble(instruction.word, pc, machine.symbol_at)
    place, x, v = machine.symbol_at(pc), machine.x, machine.v

    def traced():
        before_x, before_v, before = x[1:32], v[:], machine.config
        result = op()
        changes = [
            f"{ABI_NAMES[i]}={new:#x}"
            for i, (old, new) in enumerate(zip(before_x, x[1:32], strict=True), 1)
            if old != new
        ]
        width = machine.vlen // 4
        changes += [
            f"v{i}={new:0{width}x}"
            for i, (old, new) in enumerate(zip(before_v, v, strict=True))
            if old != new
        ]
        if machine.config is not before:
            changes.append(f"vl={machine.config.vl}")
        print(f"{pc:#10x} <{place}>  {text:<40} {' '.join(changes)}", file=sys.stderr)
        return result

    return traced


def _options(args) -> dict:
    return {
        "vl_policy": args.vl_policy,
        "seed": args.seed,
        "agnostic_ones": not args.undisturbed,
        "strict_alignment": not args.allow_misaligned,
        "secrets": args.secrets,
        "max_steps": args.max_steps,
        "trace": _trace if args.trace else None,
    }


def _argument(text: str, number: int, follows_secrets: bool):
    """An integer or Buffer from the command line; `ValueError` if it is neither."""
    secret = text.startswith("secret:")
    if secret and not follows_secrets:
        raise ValueError(f"{text}: secret: needs --secrets")
    body, _, alignment = text.removeprefix("secret:").partition("@")
    kind, colon, value = body.partition(":")
    if not colon:
        return int(body, 0)
    makers = {
        "hex": lambda: bytes.fromhex(value),
        "io": lambda: bytearray.fromhex(value),
        "random": lambda: os.urandom(int(value)),
        "out": lambda: bytearray(int(value)),
        "file": lambda: Path(value).read_bytes(),
    }
    if kind not in makers:
        raise ValueError(f"{text}: no kind of buffer is called {kind!r}")
    data = makers[kind]()
    return Buffer(
        f"argument {number}", data, writable=isinstance(data, bytearray),
        alignment=int(alignment or 1), secret=((0, len(data)),) if secret else (),
    )  # fmt: skip


def _report_counts(machine, size: int) -> dict:
    counts, weights = machine.counts()
    return {
        "instructions": sum(counts.values()),
        "weighted": sum(weights.values()),
        "per_byte": sum(counts.values()) / size if size else None,
        "weighted_per_byte": sum(weights.values()) / size if size else None,
        "by_kind": {name: [n, weights[name]] for name, n in counts.most_common()},
    }


def _print_counts(counts: dict, size: int) -> None:
    print(f"{counts['instructions']} instructions, {counts['weighted']} weighted by LMUL", end="")
    if size:
        print(f"; {counts['per_byte']:.3f} and {counts['weighted_per_byte']:.3f} a byte", end="")
    print()
    for name, (number, weight) in counts["by_kind"].items():
        print(f"  {name:<18} {number:>10} {weight:>10}")


def _finish(args, machine, result: dict, size: int) -> int:
    if args.count:
        result["counts"] = _report_counts(machine, size)
    if args.json:
        print(json.dumps(result))
        return 0
    counts = result.pop("counts", None)
    for name, value in result.items():
        print(f"{name}: {value}")
    if counts:
        _print_counts(counts, size)
    return 0


def _run(args) -> int:
    """Call a function of an ELF file."""
    machine = Machine(args.vlen, extensions=args.extensions.split(","), **_options(args))
    machine.load_elf(Path(args.file).read_bytes())
    values = [_argument(text, i, args.secrets) for i, text in enumerate(args.arguments)]
    returned = call_with_buffers(machine, args.symbol, *values)
    result = {"a0": f"{returned:#x}"}
    sizes = []
    for value in values:
        if isinstance(value, Buffer):
            sizes.append(len(value.data))
            if value.writable:
                result[value.name] = value.data.hex()
    return _finish(args, machine, result, args.per_bytes or max(sizes, default=0))


def _kernel(args) -> int:
    """Run a shipped kernel on random input, timed."""
    machine = kernels.machine_for(args.kernel, args.vlen, **_options(args))
    state = bytearray(struct.pack("<4I", 0x61707865, 0x3320646E, 0x79622D32, 0x6B206574))
    state += os.urandom(32) + bytes(4) + os.urandom(12)
    data, out = os.urandom(args.length), bytearray(args.length)
    poly = bytearray(kernels.POLY1305_SIZE)
    clamp = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF  # RFC 8439 section 2.5
    key = int.from_bytes(os.urandom(16), "little") & clamp
    poly[24:56] = key.to_bytes(16, "little") + os.urandom(16)
    runs = {
        "chacha20": lambda: kernels.chacha20(machine, args.kernel, state, None, data, out),
        "hchacha20": lambda: kernels.hchacha20(machine, args.kernel, bytearray(32), state),
        "poly1305_blocks": lambda: kernels.poly1305_blocks(
            machine, args.kernel, poly, data[: len(data) // 16 * 16]
        ),
        "aead": lambda: kernels.aead(
            machine, args.kernel, state, poly, data[: len(data) // 64 * 64],
            bytearray(len(data) // 64 * 64), False,
        ),
    }  # fmt: skip
    runs[args.function]()  # translation is not timed
    machine.reset_counts()
    start = time.perf_counter()
    runs[args.function]()
    seconds = time.perf_counter() - start
    result = {
        "kernel": f"fc_{args.function}_{args.kernel}",
        "vlen": args.vlen,
        "bytes": args.length,
        "seconds": round(seconds, 6),
        "bytes_per_second": round(args.length / seconds),
    }
    return _finish(args, machine, result, args.length)


def _disassemble(args) -> int:
    """List the code of an ELF file."""
    machine = Machine()
    elf = machine.load_elf(Path(args.file).read_bytes() if args.file else kernels.image())
    names = {address: name for name, address in elf.symbols.items()}
    shown = args.symbol is None
    for segment in elf.segments:
        if not segment.executable:
            continue
        for offset in range(0, len(segment.data) - 3, 4):
            address = segment.address + offset
            if address in names:
                shown = args.symbol in (None, names[address])
                if shown:
                    print(f"{names[address]}:")
            if shown:
                word = int.from_bytes(segment.data[offset : offset + 4], "little")
                print(f"{address:8x}: {word:08x}  {disassemble(word, address, machine.symbol_at)}")
    return 0


def _explain(args) -> int:
    """Show the table line of an instruction: its word in hexadecimal, or a mnemonic."""
    try:
        instruction = decode(int(args.what, 16))
        lines = [instruction.line] if instruction else []
        if instruction:
            print(disassemble(instruction.word))
            print(f"  {instruction.operand}")
    except ValueError:
        names = [(line, line.mnemonic.split(".")[0]) for line in LINES]
        lines = [line for line, base in names if args.what in (line.mnemonic, base)]
    for line in lines:
        print(line.text)
        print(f"  extension {line.extension}, chapter {line.chapter}")
    if not lines:
        print(f"no instruction {args.what}", file=sys.stderr)
    return 0 if lines else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fastchacha.rvvemu", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser(
        "run", help=_run.__doc__, epilog=ARGUMENT_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    run.add_argument("file", help="RV64 ELF file: object, shared object or executable")
    run.add_argument("symbol", help="function to call")
    run.add_argument("arguments", nargs="*", metavar="ARG", help="a0, a1, ...")
    run.add_argument("--extensions", default=",".join(EXTENSIONS), help="those switched on")
    run.add_argument("--per-bytes", type=int, help="bytes that --count divides by")
    _machine_options(run)
    run.set_defaults(function_to_call=_run)

    kernel = commands.add_parser("kernel", help=_kernel.__doc__)
    kernel.add_argument(
        "function", metavar="FUNCTION", choices=FUNCTIONS, help=", ".join(FUNCTIONS)
    )
    kernel.add_argument("kernel", choices=tuple(kernels.EXTENSIONS), metavar="KERNEL",
                        help=", ".join(kernels.EXTENSIONS))  # fmt: skip
    kernel.add_argument("--length", type=int, default=1024, help="bytes of data (1024)")
    _machine_options(kernel)
    kernel.set_defaults(function_to_call=_kernel)

    listing = commands.add_parser("disassemble", help=_disassemble.__doc__)
    listing.add_argument("file", nargs="?", help="an ELF file; the shipped kernels unless given")
    listing.add_argument("--symbol", help="only this function")
    listing.set_defaults(function_to_call=_disassemble)

    explain = commands.add_parser("explain", help=_explain.__doc__)
    explain.add_argument("what", help="a machine word in hexadecimal, or a mnemonic")
    explain.set_defaults(function_to_call=_explain)
    return parser


def main() -> int:
    """The command line; what the emulator raises is printed, with exit status 1."""
    parser = _parser()
    args, more = parser.parse_known_args()
    if more and (args.function_to_call is not _run or any(a.startswith("--") for a in more)):
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    if more:  # options may stand between a function's arguments
        args.arguments += more
    try:
        return args.function_to_call(args)
    except (EmulatorError, OSError, ValueError) as exc:
        print(f"{type(exc).__name__}: {exc}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
