"""Marks never lose a secret: for every instruction, what changes with a secret is marked.

Each random case runs twice with the same marks and different secret values.  Either the emulator
objects, or every bit of the registers and memory in which the two results differ is marked.
"""

import random

import pytest
from differential import CODE, MEMORY, MEMORY_SIZE, TAIL, all_lines, cases_for

from fastchacha.rvvemu import EmulatorError, Machine, SecretDependence, decode

VLEN = 128
ONES = (1 << 64) - 1


def run_marked(case, marks_x, marks_v, marks_memory):
    """(x, v, memory) and their marks after the instruction, or SecretDependence."""
    machine = Machine(VLEN, secrets=True, strict_alignment=False)
    machine.load_words((case.word, *TAIL), CODE)
    memory = bytearray(case.memory)
    machine.map(MEMORY, memory, "memory", True)
    machine.secrets.memory.find(MEMORY, 1, True).data[:] = marks_memory
    machine.x[:] = [*case.x, 0]
    machine.x[1] = CODE - 4096
    machine.v[:] = case.v
    machine.vxrm, machine.vxsat = case.vcsr >> 1, case.vcsr & 1
    machine.secrets.registers.x[:] = [*marks_x, 0]
    machine.secrets.registers.v[:] = marks_v
    machine.set_vector_length(case.vtype, case.vl)
    machine.run(CODE, until=CODE - 4096)
    marks = machine.secrets.registers
    region = machine.secrets.memory.find(MEMORY, 1, False)
    return (
        (machine.x[6:32], machine.v[:], memory),
        (marks.x[6:32], marks.v[:], bytes(region.data)),
    )


def random_marks(rng, line, value):
    """Marks on whole registers, elements or bytes; addresses stay public most of the time."""
    x = [0] * 6 + [ONES if rng.randrange(3) == 0 else 0 for _ in range(26)]
    if "(rs1)" in line.operands or line.operands[-1:] == ["imm(rs1)"]:
        x[value["rs1"]] = 0
        if "rs2" in value and line.is_vector:
            x[value["rs2"]] = 0
    v = []
    for _ in range(32):
        kind = rng.randrange(4)
        if kind == 0:
            v.append((1 << VLEN) - 1)
        elif kind == 1:
            size = rng.choice([8, 16, 32, 64])
            v.append(
                sum(((1 << size) - 1) << at for at in range(0, VLEN, size) if rng.randrange(2))
            )
        else:
            v.append(0)
    if value.get("vs2") is not None and line.is_vector and "(rs1)" in line.operands:
        for register in range(value["vs2"], min(value["vs2"] + 8, 32)):
            v[register] = 0
    v[0] = 0 if rng.randrange(3) else v[0]
    memory = bytes(255 if rng.randrange(2) else 0 for _ in range(64)) * (MEMORY_SIZE // 64)
    return x, v, memory


def other_secret(rng, case, marks_x, marks_v, marks_memory):
    """The same case with every marked bit drawn anew."""
    other = type(case)(
        case.word, case.vtype, case.vl, case.vcsr, list(case.x), list(case.v), case.memory
    )
    for i, mark in enumerate(marks_x):
        other.x[i] = case.x[i] & ~mark | rng.getrandbits(64) & mark
    for i, mark in enumerate(marks_v):
        other.v[i] = case.v[i] & ~mark | rng.getrandbits(VLEN) & mark
    fresh = rng.randbytes(MEMORY_SIZE)
    other.memory = bytes(
        b & ~m | f & m for b, m, f in zip(case.memory, marks_memory, fresh, strict=True)
    )
    return other


LINES = [
    line for line in all_lines()
    if not {"end"} & line.flags and line.extension != "Zicsr" and line.mnemonic != "fence"
]  # fmt: skip


@pytest.mark.parametrize("line", LINES, ids=[line.mnemonic for line in LINES])
def test_what_differs_is_marked(line):
    rng = random.Random(line.mnemonic)
    flowed = 0
    for case in cases_for(line, VLEN, 10, "flow"):
        marks = random_marks(rng, line, decode(case.word).operand)
        try:
            (x, v, memory), (mx, mv, mm) = run_marked(case, *marks)
            (x2, v2, memory2), (mx2, mv2, mm2) = run_marked(other_secret(rng, case, *marks), *marks)
        except SecretDependence:
            continue
        except EmulatorError as exc:
            pytest.fail(f"{case.describe()}: {exc}")
        assert (mx, mv, mm) == (mx2, mv2, mm2), f"{case.describe()}: marks depend on the secret"
        for i, (a, b, mark) in enumerate(zip(x, x2, mx, strict=True), 6):
            assert (a ^ b) & ~mark == 0, f"{case.describe()}: x{i}"
        for i, (a, b, mark) in enumerate(zip(v, v2, mv, strict=True)):
            assert (a ^ b) & ~mark == 0, f"{case.describe()}: v{i}"
        for i, (a, b, mark) in enumerate(zip(memory, memory2, mm, strict=True)):
            assert (a ^ b) & ~mark == 0, f"{case.describe()}: byte {i}"
        flowed += 1
    if "dil" in line.flags or "move" in line.flags:
        assert flowed, "the emulator objected to every case: nothing was tested"
