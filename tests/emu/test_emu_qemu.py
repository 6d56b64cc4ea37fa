"""Every instruction of the table against QEMU, in random states.

FASTCHACHA_EMU_CASES sets the cases for each instruction and VLEN: 20 unless told, thousands
for a thorough run.
"""

import os

import pytest
from differential import all_lines, cases_for, difference, run_emulator, run_qemu

from fastchacha.rvvemu import EmulatorError, IllegalInstruction, Machine
from fastchacha.rvvemu.encoding import TABLE

CASES = int(os.environ.get("FASTCHACHA_EMU_CASES") or 20)
SEED = os.environ.get("FASTCHACHA_EMU_SEED") or "1"
GROUPS = [
    chapter for extension, chapter in TABLE if any(line.chapter == chapter for line in all_lines())
]


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
def test_instructions(chapter, vlen, qemu_command):
    machine = Machine(vlen, strict_alignment=False)
    for line in all_lines():
        if line.chapter != chapter:
            continue
        # Thorough runs go in portions: a case at VLEN 1024 is 12 KiB
        for start in range(0, CASES, 500):
            count = min(500, CASES - start)
            cases = cases_for(line, vlen, count, f"{SEED}/{start}")
            assert len(cases) == count, f"{line.mnemonic}: too few legal cases were found"
            problems = compare(machine, qemu_command(vlen), cases, vlen)
            assert not problems, "\n".join(problems[:5])


@pytest.mark.parametrize("vlen", [128, 1024])
def test_reserved_encodings_trap(vlen, qemu_command):
    """What the emulator calls reserved, QEMU does not execute either."""
    machine = Machine(vlen, strict_alignment=False)
    cases = []
    for line in all_lines():
        if line.is_vector and not line.mnemonic.startswith("vset"):
            cases += cases_for(line, vlen, max(1, CASES // 4), SEED, legal=False)
    assert len(cases) > 300
    for case, theirs in zip(cases, run_qemu(qemu_command(vlen), cases, vlen), strict=True):
        with pytest.raises(IllegalInstruction):
            run_emulator(machine, case)
        assert theirs == 4, f"{case.describe()}: QEMU does not raise SIGILL"
