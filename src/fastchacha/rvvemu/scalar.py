"""The scalar instructions: one function each, named after its mnemonic.

A function's parameters are named after what it is given: `rs1`, `rs2` (register values,
0 <= x < 2**64), `imm`, `uimm`, `target`, `zimm`, `vtype`, `csr` (operands of the encoding),
`pc`, `load(address, size)`, `store(address, size, value)`, `machine`, `rd_zero`/`rs1_zero`
(whether that register is x0).  What it returns goes to rd, cut to 64 bits; for a branch it
says whether the branch is taken.  A trailing underscore avoids a Python keyword or builtin.
"""

from .encoding import signed
from .errors import IllegalInstruction

M32 = (1 << 32) - 1
M64 = (1 << 64) - 1
TOP32, TOP64 = 1 << 31, 1 << 63


def s64(value):
    """`value` as a signed 64-bit number."""
    return (value & M64 ^ TOP64) - TOP64


def s32(value):
    """The low half of `value` as a signed 32-bit number."""
    return (value & M32 ^ TOP32) - TOP32


# --- I 2.4.1, 4.2.1: integer register-immediate ---
# fmt: off
def addi(rs1, imm): return rs1 + imm
def slti(rs1, imm): return s64(rs1) < imm
def sltiu(rs1, imm): return rs1 < imm % (1 << 64)
def xori(rs1, imm): return rs1 ^ imm
def ori(rs1, imm): return rs1 | imm
def andi(rs1, imm): return rs1 & imm
def slli(rs1, uimm): return rs1 << uimm
def srli(rs1, uimm): return rs1 >> uimm
def srai(rs1, uimm): return s64(rs1) >> uimm
def addiw(rs1, imm): return s32(rs1 + imm)
def slliw(rs1, uimm): return s32(rs1 << uimm)
def srliw(rs1, uimm): return s32((rs1 & M32) >> uimm)
def sraiw(rs1, uimm): return s32(rs1) >> uimm
def lui(imm): return imm << 12
def auipc(pc, imm): return pc + (imm << 12)


# --- I 2.4.2, 4.2.2: integer register-register ---
def add(rs1, rs2): return rs1 + rs2
def sub(rs1, rs2): return rs1 - rs2
def sll(rs1, rs2): return rs1 << (rs2 & 63)
def slt(rs1, rs2): return s64(rs1) < s64(rs2)
def sltu(rs1, rs2): return rs1 < rs2
def xor(rs1, rs2): return rs1 ^ rs2
def srl(rs1, rs2): return rs1 >> (rs2 & 63)
def sra(rs1, rs2): return s64(rs1) >> (rs2 & 63)
def or_(rs1, rs2): return rs1 | rs2
def and_(rs1, rs2): return rs1 & rs2
def addw(rs1, rs2): return s32(rs1 + rs2)
def subw(rs1, rs2): return s32(rs1 - rs2)
def sllw(rs1, rs2): return s32(rs1 << (rs2 & 31))
def srlw(rs1, rs2): return s32((rs1 & M32) >> (rs2 & 31))
def sraw(rs1, rs2): return s32(rs1) >> (rs2 & 31)


# --- I 2.5: control transfer; jal and jalr return the target of the jump ---
def jal(pc, target): return pc + target
def jalr(rs1, imm): return (rs1 + imm) & ~1
def beq(rs1, rs2): return rs1 == rs2
def bne(rs1, rs2): return rs1 != rs2
def blt(rs1, rs2): return s64(rs1) < s64(rs2)
def bge(rs1, rs2): return s64(rs1) >= s64(rs2)
def bltu(rs1, rs2): return rs1 < rs2
def bgeu(rs1, rs2): return rs1 >= rs2


# --- I 2.6, 4.3: loads and stores ---
def lb(load, rs1, imm): return signed(load(rs1 + imm, 1), 8)
def lh(load, rs1, imm): return signed(load(rs1 + imm, 2), 16)
def lw(load, rs1, imm): return signed(load(rs1 + imm, 4), 32)
def ld(load, rs1, imm): return load(rs1 + imm, 8)
def lbu(load, rs1, imm): return load(rs1 + imm, 1)
def lhu(load, rs1, imm): return load(rs1 + imm, 2)
def lwu(load, rs1, imm): return load(rs1 + imm, 4)
def sb(store, rs1, imm, rs2): store(rs1 + imm, 1, rs2)
def sh(store, rs1, imm, rs2): store(rs1 + imm, 2, rs2)
def sw(store, rs1, imm, rs2): store(rs1 + imm, 4, rs2)
def sd(store, rs1, imm, rs2): store(rs1 + imm, 8, rs2)
# fmt: on


# --- I 2.7, 2.8: one hart without other observers needs no fence; there is no environment ---
def fence():
    return None


def ecall():
    raise IllegalInstruction("ecall: there is no execution environment to call")


def ebreak():
    raise IllegalInstruction("ebreak")


# --- Zicsr 6.1: read the old value, then write; rs1 = x0 or zimm = 0 does not write in s/c ---
def _csr(machine, csr, write):
    old = machine.read_csr(csr)
    if write is not None:
        machine.write_csr(csr, write(old))
    return old


# fmt: off
def csrrw(machine, csr, rs1): return _csr(machine, csr, lambda old: rs1)
def csrrs(machine, csr, rs1, rs1_zero):
    return _csr(machine, csr, None if rs1_zero else lambda old: old | rs1)
def csrrc(machine, csr, rs1, rs1_zero):
    return _csr(machine, csr, None if rs1_zero else lambda old: old & ~rs1)
def csrrwi(machine, csr, zimm): return _csr(machine, csr, lambda old: zimm)
def csrrsi(machine, csr, zimm):
    return _csr(machine, csr, (lambda old: old | zimm) if zimm else None)
def csrrci(machine, csr, zimm):
    return _csr(machine, csr, (lambda old: old & ~zimm) if zimm else None)


# --- M 12.1: multiplication ---
def mul(rs1, rs2): return rs1 * rs2
def mulh(rs1, rs2): return s64(rs1) * s64(rs2) >> 64
def mulhsu(rs1, rs2): return s64(rs1) * rs2 >> 64
def mulhu(rs1, rs2): return rs1 * rs2 >> 64
def mulw(rs1, rs2): return s32(rs1 * rs2)


# --- M 12.2: division; by zero gives all ones and the dividend, overflow wraps ---
def quotient(a, b):
    """a / b rounded towards zero; -1 for b = 0."""
    if b == 0:
        return -1
    return a // b if (a < 0) == (b < 0) or a % b == 0 else a // b + 1


def remainder(a, b):
    """The remainder that belongs to quotient(); a for b = 0."""
    return a if b == 0 else a - b * quotient(a, b)


def div(rs1, rs2): return quotient(s64(rs1), s64(rs2))
def divu(rs1, rs2): return quotient(rs1, rs2)
def rem(rs1, rs2): return remainder(s64(rs1), s64(rs2))
def remu(rs1, rs2): return remainder(rs1, rs2)
def divw(rs1, rs2): return s32(quotient(s32(rs1), s32(rs2)))
def divuw(rs1, rs2): return s32(quotient(rs1 & M32, rs2 & M32))
def remw(rs1, rs2): return s32(remainder(s32(rs1), s32(rs2)))
def remuw(rs1, rs2): return s32(remainder(rs1 & M32, rs2 & M32))


# --- Zba (B 28.4.1): address generation ---
def sh1add(rs1, rs2): return (rs1 << 1) + rs2
def sh2add(rs1, rs2): return (rs1 << 2) + rs2
def sh3add(rs1, rs2): return (rs1 << 3) + rs2
def add_uw(rs1, rs2): return (rs1 & M32) + rs2
def sh1add_uw(rs1, rs2): return ((rs1 & M32) << 1) + rs2
def sh2add_uw(rs1, rs2): return ((rs1 & M32) << 2) + rs2
def sh3add_uw(rs1, rs2): return ((rs1 & M32) << 3) + rs2
def slli_uw(rs1, uimm): return (rs1 & M32) << uimm


# --- Zbb (B 28.4.2): basic bit manipulation ---
def andn(rs1, rs2): return rs1 & ~rs2
def orn(rs1, rs2): return rs1 | ~rs2
def xnor(rs1, rs2): return rs1 ^ ~rs2
def clz(rs1): return 64 - rs1.bit_length()
def ctz(rs1): return (rs1 & -rs1).bit_length() - 1 if rs1 else 64
def cpop(rs1): return rs1.bit_count()
def clzw(rs1): return 32 - (rs1 & M32).bit_length()
def ctzw(rs1): return ctz(rs1 & M32 | 1 << 32)
def cpopw(rs1): return (rs1 & M32).bit_count()
def min_(rs1, rs2): return min(s64(rs1), s64(rs2))
def minu(rs1, rs2): return min(rs1, rs2)
def max_(rs1, rs2): return max(s64(rs1), s64(rs2))
def maxu(rs1, rs2): return max(rs1, rs2)
def sext_b(rs1): return signed(rs1, 8)
def sext_h(rs1): return signed(rs1, 16)
def zext_h(rs1): return rs1 & 0xFFFF
def ror(rs1, rs2): return rori(rs1, rs2 & 63)
def rol(rs1, rs2): return rori(rs1, -rs2 & 63)
def rori(rs1, uimm): return rs1 >> uimm | rs1 << (64 - uimm)
def rorw(rs1, rs2): return roriw(rs1, rs2 & 31)
def rolw(rs1, rs2): return roriw(rs1, -rs2 & 31)
def roriw(rs1, uimm): return s32((rs1 & M32) >> uimm | rs1 << (32 - uimm))
def rev8(rs1): return int.from_bytes(rs1.to_bytes(8, "little"), "big")
def orc_b(rs1):
    return int.from_bytes([255 if b else 0 for b in rs1.to_bytes(8, "little")], "little")


# --- V 6: configuration-setting; rs1 = x0 asks for VLMAX, rd = rs1 = x0 keeps vl (V 6.2) ---
def vsetivli(machine, zimm, vtype): return machine.set_vector_length(vtype, zimm)
def vsetvli(machine, vtype, rs1, rs1_zero, rd_zero):
    return machine.set_vector_length(vtype, None if rs1_zero else rs1, rs1_zero and rd_zero)
def vsetvl(machine, rs1, rs2, rs1_zero, rd_zero):
    return machine.set_vector_length(rs2, None if rs1_zero else rs1, rs1_zero and rd_zero)
# fmt: on
