"""kernels.elf is what the sources give today, with every toolchain."""

import emu_object
import pytest
from test_emu_encoding import objdump, plain

from fastchacha.rvvemu import Machine, disassemble, kernels


@pytest.mark.parametrize("toolchain", emu_object.TOOLCHAINS)
def test_the_object_is_fresh(toolchain):
    assert kernels.image() == emu_object.make(toolchain), "run `python tools/emu_object.py`"


def test_the_comparison_sees_a_changed_byte():
    code, symbols = bytes(64), {"fc_a": 0, "fc_b": 32}
    one = emu_object.write_elf(code, symbols)
    assert one != emu_object.write_elf(code[:-1] + b"\1", symbols)
    assert one != emu_object.write_elf(code, {"fc_a": 0, "fc_b": 36})


def test_the_written_form_loads_again():
    code = (0x00150513).to_bytes(4, "little") + (0x00008067).to_bytes(4, "little")  # a0 + 1; ret
    machine = Machine()
    machine.load_elf(emu_object.write_elf(code * 8, {"fc_first": 0, "fc_second": 8}))
    assert machine.call("fc_second", 41) == 42
    assert machine.symbols["fc_second"] - machine.symbols["fc_first"] == 8


def test_its_disassembly_is_llvm_objdumps(tmp_path):
    (segment,) = Machine().load_elf(kernels.image()).segments
    code = bytes(segment.data)
    words = [int.from_bytes(code[at : at + 4], "little") for at in range(0, len(code), 4)]
    used = [(4 * i, word) for i, word in enumerate(words) if word]  # 0: between two files
    theirs = objdump(words, tmp_path)
    for at, word in used:
        assert plain(disassemble(word, at)) == plain(theirs[at // 4]), f"{at:#x}: {word:08x}"
