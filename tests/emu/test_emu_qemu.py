"""Every instruction of the table against QEMU, in random states.

Twenty cases for each instruction and VLEN, two thousand with `--thorough`; FASTCHACHA_EMU_SEED
draws others.
"""

import os

import pytest
from differential import all_lines, cases_for, difference, run_emulator, run_qemu

from fastchacha.rvvemu import EmulatorError, IllegalInstruction, Machine
from fastchacha.rvvemu.encoding import TABLE

SEED = os.environ.get("FASTCHACHA_EMU_SEED") or "1"
GROUPS = [
    chapter for extension, chapter in TABLE if any(line.chapter == chapter for line in all_lines())
]


@pytest.fixture
def count(pytestconfig):
    """Cases for each instruction."""
    return 2000 if pytestconfig.getoption("--thorough") else 20


def compare(machine, command, cases, vlen):
    problems = []
    for case, theirs in zip(cases, run_qemu(command, cases, vlen), strict=True):
        try:
            ours = run_emulator(machine, case)
        except EmulatorError as exc:
            ours = exc
        if found := difference(case, ours, theirs):
            problems.append(found)
    return problems


@pytest.mark.parametrize("vlen", [128, 256, 512, 1024])
@pytest.mark.parametrize("chapter", GROUPS)
def test_instructions(chapter, vlen, count, qemu_command):
    machine = Machine(vlen, strict_alignment=False)
    for line in all_lines():
        if line.chapter != chapter:
            continue
        # Thorough runs go in portions: a case at VLEN 1024 is 12 KiB
        portion = min(count, 500)
        for start in range(0, count, portion):
            cases = cases_for(line, vlen, portion, f"{SEED}/{start}")
            assert len(cases) == portion, f"{line.mnemonic}: too few legal cases were found"
            problems = compare(machine, qemu_command(vlen), cases, vlen)
            assert not problems, "\n".join(problems[:5])


@pytest.mark.parametrize("vlen", [128, 1024])
def test_reserved_encodings_trap(vlen, count, qemu_command):
    """What the emulator calls reserved, QEMU does not execute either."""
    machine = Machine(vlen, strict_alignment=False)
    cases = []
    for line in all_lines():
        if line.is_vector and not line.mnemonic.startswith("vset"):
            cases += cases_for(line, vlen, count // 4, SEED, legal=False)
    assert len(cases) > 300
    for case, theirs in zip(cases, run_qemu(qemu_command(vlen), cases, vlen), strict=True):
        with pytest.raises(IllegalInstruction):
            run_emulator(machine, case)
        assert theirs == 4, f"{case.describe()}: QEMU does not raise SIGILL"
