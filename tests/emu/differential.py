"""Random single-instruction cases, run in the emulator and under QEMU, and compared."""

from __future__ import annotations

import random
import struct
import subprocess

from fastchacha.rvvemu import EmulatorError, IllegalInstruction, Machine, decode, disassemble
from fastchacha.rvvemu.encoding import LINES
from fastchacha.rvvemu.vregs import Config, check_operands, legal_vtype
from fastchacha.rvvemu.vunit import function_of, parameters_of

CODE, MEMORY, MEMORY_SIZE = 0x1000_0000, 0x2000_0000, 8192
TAIL = (0x001F8F93, 0x00008067)  # addi x31, x31, 1; ret (see qemu_runner.c)
HEADER = struct.Struct("<37Q")
USABLE = range(6, 32)  # x registers that the runner sets and reads back
QEMU_CPU = (
    "rv64,v=true,vlen={vlen},zvbb=true,zba=true,zbb=true,rvv_ta_all_1s=true,rvv_ma_all_1s=true"
)
VTYPES = [t for t in range(256) if legal_vtype(t)]
#: no value that a kernel could have: there is nothing to compare
EXCLUDED = {"ecall", "ebreak"}


def pick_value(rng: random.Random, bits: int) -> int:
    """A random value with a liking for the ends of the range."""
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice([0, 1, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1])
    if kind == 1:
        return rng.randrange(min(256, 1 << bits))
    return rng.getrandbits(bits)


def random_vector(rng: random.Random, vlen: int) -> int:
    kind = rng.randrange(4)
    if kind == 0:  # elements at the ends of their range
        size = rng.choice([8, 16, 32, 64])
        value = 0
        for _ in range(vlen // size):
            value = value << size | pick_value(rng, size)
        return value
    if kind == 1:  # mostly ones or mostly zeros, for masks
        few = rng.getrandbits(vlen) & rng.getrandbits(vlen) & rng.getrandbits(vlen)
        return few if rng.randrange(2) else few ^ ((1 << vlen) - 1)
    return rng.getrandbits(vlen)


class Case:
    """One instruction and the state before it."""

    def __init__(self, word, vtype, vl, vcsr, x, v, memory):
        self.word, self.vtype, self.vl, self.vcsr = word, vtype, vl, vcsr
        self.x, self.v, self.memory = x, v, memory

    def to_bytes(self, vlen: int) -> bytes:
        header = HEADER.pack(self.word, self.vtype, self.vl, self.vcsr, 0, *self.x)
        return header + b"".join(v.to_bytes(vlen // 8, "little") for v in self.v) + self.memory

    def describe(self) -> str:
        text = disassemble(self.word, CODE)
        return f"{text} ({self.word:08x}), vtype {self.vtype:#x}, vl {self.vl}"


def _random_word(rng, line) -> int:
    word = line.match
    free = ~line.mask & 0xFFFFFFFF
    word |= rng.getrandbits(32) & free
    if "nf" in line.fields and word >> 29 == 0:
        word |= rng.randrange(1, 8) << 29
    for name, low in (("rd", 7), ("rs1", 15), ("rs2", 20)):
        if name in line.fields:
            number = rng.choice(USABLE) if rng.randrange(12) else 0
            word = word & ~(31 << low) | number << low
    if line.is_vector and rng.randrange(3):  # aligned groups, or few would be legal
        for name, low in (("vd", 7), ("vs3", 7), ("vs1", 15), ("vs2", 20)):
            if name in line.fields:
                word = word & ~(31 << low) | rng.randrange(0, 32, rng.choice([2, 4, 8])) << low
    return word


def make_case(rng: random.Random, line, vlen: int, legal: bool = True) -> Case | None:
    """A case for a table line, or None if the attempt was not legal (or legal, if `legal` is
    False)."""
    word = _random_word(rng, line)
    instruction = decode(word)
    value = instruction.operand
    vtype = rng.choice(VTYPES)
    if line.mnemonic == "vmv.s.x":
        vtype &= ~64  # QEMU leaves its tail undisturbed even where it is agnostic
    config = Config(vlen, vtype, 0, True)
    vlmax = config.vlmax
    vl = rng.choice([0, 1, vlmax, vlmax, rng.randint(0, vlmax), rng.randint(0, vlmax)])
    config = Config(vlen, vtype, vl, True)
    is_vset = line.mnemonic.startswith("vset")
    if line.is_vector and not is_vset:
        try:
            check_operands(instruction, config, "vd" in parameters_of(function_of(line)))
            if not legal:
                return None
        except IllegalInstruction as exc:
            if legal or "two element widths" in str(exc):
                return None  # QEMU 10.0 does not check the rule on two source widths
    x = [0] * 6 + [pick_value(rng, 64) for _ in USABLE]
    v = [random_vector(rng, vlen) for _ in range(32)]
    memory = rng.randbytes(MEMORY_SIZE)
    if line.operands[-1:] == ["imm(rs1)"] and line.mnemonic != "jalr":
        x[value["rs1"]] = (MEMORY + 4096 + rng.randrange(64) - value["imm"]) % (1 << 64)
        if value["rs1"] == 0:
            return None
    if "(rs1)" in line.operands and not _aim(rng, line, value, config, x, v):
        return None
    if line.mnemonic == "jalr":
        if value["rs1"] == 0:
            return None
        x[value["rs1"]] = (CODE + rng.choice([4, 8]) - value["imm"]) % (1 << 64)
    if "target" in value:
        word = word & 0x01FFF07F | 0x400 if line.mnemonic != "jal" else word & 0xFFF | 0x800000
    if line.extension == "Zicsr":
        csr = rng.choice([0x009, 0x00A, 0x00F, 0xC20, 0xC21, 0xC22])
        read_only = csr >= 0xC00
        writes = line.mnemonic.startswith("csrrw") or word >> 15 & 31
        if read_only and writes:
            return None
        width = {0x009: 1, 0x00A: 2}.get(csr, 3)  # the bits above must be written as zeros
        if "zimm" in value:
            word &= ~(31 << 15) | ((1 << width) - 1) << 15
        elif "rc" not in line.mnemonic:
            x[value["rs1"]] &= (1 << width) - 1
        word = word & 0xFFFFF | csr << 20
    if is_vset:
        wanted = rng.choice(VTYPES) if rng.randrange(4) else rng.getrandbits(8)
        if not legal_vtype(wanted) and wanted & 7 != 4 and wanted >> 3 & 7 < 4:
            return None  # SEW > LMUL * ELEN: implementations may differ (V 3.4.2)
        if line.mnemonic == "vsetvl":
            if value["rs2"] in (0, value["rs1"]):
                return None
            x[value["rs2"]] = wanted
        else:
            bits = 11 if line.mnemonic == "vsetvli" else 10
            word = word & ~(((1 << bits) - 1) << 20) | wanted << 20
        if value.get("rs1"):
            x[value["rs1"]] = rng.choice([0, 1, rng.randrange(4 * vlmax + 1), (1 << 64) - 1])
        elif "rs1" in value and value["rd"] == 0:
            new = Config(vlen, wanted, 0, True) if legal_vtype(wanted) else None
            if new is None or new.vlmax != vlmax:
                return None
    x[0] = 0
    return Case(word, vtype, vl, rng.randrange(8), x, v, memory)


def _aim(rng, line, value, config, x, v) -> bool:
    """Point a vector memory access into the scratch memory, elements aligned."""
    if value["rs1"] == 0:
        return False
    size, count = 8, max(config.vl, 1)
    x[value["rs1"]] = MEMORY + 4096 // 2 + 8 * rng.randrange(16)
    if "vs2" in value:  # indexed: offsets below 2048, multiples of 8
        eew = int(line.eew["vs2"][1:])
        emul = config.lmul * eew / config.sew
        for register in range(value["vs2"], value["vs2"] + max(1, int(emul))):
            packed = 0
            for _ in range(config.vlen // eew):
                packed = packed << eew | (rng.randrange(0, min(4096, 1 << eew), 8))
            v[register % 32] = packed
    elif "rs2" in value:
        if value["rs2"] in (0, value["rs1"]):
            return value["rs2"] == 0
        limit = 2000 // count // size
        x[value["rs2"]] = size * rng.randint(-limit, limit) % (1 << 64)
    return True


def run_emulator(machine: Machine, case: Case):
    """(vtype, vl, vcsr, x, v, memory) after the instruction; EmulatorError if it traps."""
    memory = bytearray(case.memory)
    words = (case.word, *TAIL)
    code = machine.load_words(words, CODE) and machine.memory.find(CODE, 12, False)
    scratch = machine.map(MEMORY, memory, "memory", True)
    try:
        machine.x[:] = [*case.x, 0]
        machine.x[1] = CODE - 4096
        machine.v[:] = case.v
        machine.vxrm, machine.vxsat = case.vcsr >> 1, case.vcsr & 1
        machine.set_vector_length(case.vtype, case.vl)
        machine.run(CODE, until=CODE - 4096)
    finally:
        machine.unmap(code)
        machine.unmap(scratch)
    return (
        machine.read_csr(0xC21), machine.read_csr(0xC20), machine.read_csr(0x00F),
        tuple(machine.x[6:32]), tuple(machine.v), bytes(memory),
    )  # fmt: skip


def run_qemu(command: list[str], cases: list[Case], vlen: int):
    """For each case the same tuple, or the number of the signal it raised."""
    data = b"".join(case.to_bytes(vlen) for case in cases)
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: exit status {done.returncode}: {done.stderr.decode()}")
    size, register = HEADER.size + 4 * vlen + MEMORY_SIZE, vlen // 8
    if len(done.stdout) != size * len(cases):
        raise RuntimeError(f"{command}: {len(done.stdout)} bytes, not {size * len(cases)}")
    results = []
    for start in range(0, len(done.stdout), size):
        _, vtype, vl, vcsr, signal, *x = HEADER.unpack_from(done.stdout, start)
        at = start + HEADER.size
        v = tuple(
            int.from_bytes(done.stdout[at + register * i : at + register * (i + 1)], "little")
            for i in range(32)
        )
        memory = done.stdout[at + 4 * vlen : start + size]
        results.append(signal or (vtype, vl, vcsr, tuple(x[6:]), v, memory))
    return results


def difference(case: Case, ours, theirs) -> str | None:
    """What differs, in words, or None."""
    if isinstance(theirs, int):
        return f"{case.describe()}: QEMU raised signal {theirs}"
    if isinstance(ours, EmulatorError):
        return f"{case.describe()}: emulator raised {ours}"
    for name, a, b in zip(("vtype", "vl", "vcsr", "x", "v", "memory"), ours, theirs, strict=True):
        if a == b:
            continue
        if name in "xv":
            base = 6 if name == "x" else 0
            parts = [
                f"{name}{i + base}: emulator {p:#x}, QEMU {q:#x}"
                for i, (p, q) in enumerate(zip(a, b, strict=True))
                if p != q
            ]
            return f"{case.describe()}: " + "; ".join(parts)
        if name == "memory":
            at = next(i for i, (p, q) in enumerate(zip(a, b, strict=True)) if p != q)
            return f"{case.describe()}: memory differs from byte {at}"
        return f"{case.describe()}: {name}: emulator {a:#x}, QEMU {b:#x}"
    return None


def cases_for(line, vlen: int, count: int, seed: str, legal: bool = True) -> list[Case]:
    """`count` cases of one table line (fewer only where legal ones are too rare)."""
    rng = random.Random(f"{seed}/{line.text}/{vlen}/{legal}")
    cases: list[Case] = []
    for _ in range(count * 200):
        case = make_case(rng, line, vlen, legal)
        if case is not None:
            cases.append(case)
            if len(cases) == count:
                break
    return cases


def all_lines():
    """The table lines that can be compared."""
    return [line for line in LINES if line.mnemonic not in EXCLUDED]
