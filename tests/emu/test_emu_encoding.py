"""The encoding table: no overlaps, no dead lines, and disassembly as llvm-objdump gives it."""

import inspect
import itertools
import random
import re
import subprocess

from differential import _random_word as random_word

from fastchacha.rvvemu import decode, disassemble, machine, scalar, vector, vmemory, vunit
from fastchacha.rvvemu.encoding import CSR_NAMES, LINES, Line


def test_no_two_lines_overlap():
    for one, two in itertools.combinations(LINES, 2):
        assert not one.overlaps(two), f"{one.text} | {two.text}"


def test_the_overlap_check_sees_overlaps():
    wide = Line("a rs2 0000000 rs1 000 rd 0110011 rd,rs1,rs2", "I", "")
    inside = Line("b 00001 0000000 rs1 000 rd 0110011 rd,rs1", "I", "")
    assert wide.overlaps(inside)
    with_fields = Line("c nf 000 m 00000 rs1 000 vd 0000111 vd:e8,(rs1),vm", "V", "")
    without = Line("d 000 000 m 00000 rs1 000 vd 0000111 vd:e8,(rs1),vm", "V", "")
    assert not with_fields.overlaps(without)


def test_every_line_decodes_to_itself():
    rng = random.Random(1)
    for line in LINES:
        for _ in range(20):
            assert decode(random_word(rng, line)).line is line


def test_mnemonics_are_unique():
    assert len({line.mnemonic for line in LINES}) == len(LINES)


def function_of(line):
    if line.is_vector and not line.mnemonic.startswith("vset"):
        return vunit.function_of(line)
    return machine.scalar_function(line)


def test_every_function_belongs_to_a_line():
    used = {function_of(line) for line in LINES}
    source = inspect.getsource(vector) + inspect.getsource(scalar) + inspect.getsource(vmemory)
    for module in (scalar, vector, vmemory):
        for name, function in vars(module).items():
            if not inspect.isfunction(function) or function.__module__ != module.__name__:
                continue
            if function in used or name.startswith("_"):
                continue
            # a helper: other functions of the module call it
            assert len(re.findall(rf"\b{name}\(|\b{name},", source)) > 1, f"{name} is unused"


def objdump(words, tmp_path):
    """llvm-objdump's text for each word (addresses 0, 4, ...)."""
    from testbed import provision
    from testbed.build import build
    from testbed.targets import target

    source = tmp_path / "emu_words.S"
    lines = "".join(f".insn 4, {word:#x}\n" for word in words)
    source.write_text(f".text\n.option norvc\n.option norelax\n{lines}")
    made = build(target("riscv64"), [source], ["-g0"], link=False)
    text = subprocess.run(
        [
            provision.llvm("objdump"), "-d", "-M", "no-aliases", "--no-show-raw-insn",
            "--mattr=+m,+v,+zvbb,+zba,+zbb", made,
        ],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    found = re.findall(r"^ *([0-9a-f]+): *\t(.*)$", text, re.MULTILINE)
    assert [int(address, 16) for address, _ in found] == list(range(0, 4 * len(words), 4))
    return [instruction for _, instruction in found]


def plain(text):
    """One spelling: single spaces, decimal numbers, no symbol."""
    text = re.sub(r" <.*>", "", " ".join(text.split()))
    return re.sub(r"\b(0x[0-9a-f]+|\d+)\b", lambda m: str(int(m[0], 0)), text)


def test_disassembly_is_llvm_objdumps(tmp_path):
    rng = random.Random(2)
    words = []
    for line in LINES:
        for _ in range(12):
            word = random_word(rng, line)
            if line.extension == "Zicsr":
                word = word & 0xFFFFF | rng.choice(list(CSR_NAMES)) << 20
            for name, eew in line.eew.items():  # whole registers: aligned, or it is reserved
                low = 20 if name == "vs2" else 7
                if eew[:1] == "w":
                    word = word & ~(31 << low) | rng.randrange(0, 32, int(eew[1:])) << low
            words.append(word)
    theirs = objdump(words, tmp_path)
    different = [
        f"{word:08x}: {disassemble(word, 4 * i)} | {text}"
        for i, (word, text) in enumerate(zip(words, theirs, strict=True))
        if plain(disassemble(word, 4 * i)) != plain(text)
    ]
    assert not different, "\n".join(different[:10])


def test_unknown_words_are_shown_as_data():
    assert decode(0) is None
    assert disassemble(0) == ".4byte 0x00000000"
