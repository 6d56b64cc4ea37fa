"""Vector state (V 3) and register groups: legality, reading, writing.

`Config` is one setting of vtype and vl, `Registers` a register file, `Operand` a register
group of an instruction.  `check_operands` holds the reserved encodings of V 3.4, 5.2 and 5.3;
`reader` and `writer` make the closures that move groups in and out of the file, the latter
with the mask and tail policies.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from .errors import IllegalInstruction
from .lanes import lanes

ELEN = 64  # V 2: the largest element


class Config:
    """One value of vtype and vl (V 3.4, 3.5); `vtype` None stands for vill.

    The blocks of code translated under this config are kept here too, by address.
    """

    def __init__(self, vlen: int, vtype: int | None, vl: int, agnostic_ones: bool):
        self.vlen, self.vtype, self.vl = vlen, vtype, vl
        self.blocks: dict = {}
        self.sew, self.lmul = 0, Fraction(0)
        self.fill_tail = self.fill_mask = False
        if vtype is not None:
            self.sew, self.lmul = 8 << (vtype >> 3 & 7), lmul_of(vtype)
            #: agnostic elements become ones (V 3.4.3 allows that or leaving them)
            self.fill_tail = agnostic_ones and bool(vtype & 64)
            self.fill_mask = agnostic_ones and bool(vtype & 128)
        #: mask destinations have an agnostic tail whatever vta says (V 3.4.3)
        self.fill_mask_tail = agnostic_ones

    @property
    def vlmax(self) -> int:
        return int(self.vlen * self.lmul) // self.sew if self.sew else 0


def lmul_of(vtype: int) -> Fraction:
    """LMUL of a vtype value: 1/8 to 8 (V 3.4.2)."""
    code = vtype & 7
    return Fraction(1 << code) if code < 4 else Fraction(1, 1 << (8 - code))


def legal_vtype(vtype: int) -> bool:
    """Whether vtype is supported: no reserved bits, SEW <= ELEN * min(LMUL, 1) (V 3.4)."""
    if vtype >> 8 or vtype & 7 == 4 or vtype >> 3 & 7 > 3:
        return False
    return 8 << (vtype >> 3 & 7) <= ELEN * min(lmul_of(vtype), 1)


class Registers:
    """x and v registers and the memory that instructions work on.

    `x[32]` swallows what is written to x0. In a file of marks the values are masks of secret
    bits; agnostic elements are then public (`is_marks`).
    """

    def __init__(self, memory, is_marks: bool = False):
        self.x = [0] * 33
        self.v = [0] * 32
        self.memory = memory
        self.is_marks = is_marks


class Operand:
    """A vector operand: registers, EEW and EMUL, checked against V 5.2."""

    def __init__(self, name: str, register: int, code: str, sew: int, lmul, fields: int = 1):
        self.name, self.register, self.code = name, register, code
        self.is_mask = code == "m"
        self.is_scalar = code.endswith("s")
        if self.is_mask:
            self.eew, self.emul = 1, Fraction(1)
        elif code.startswith("w"):
            self.eew, self.emul = 8, Fraction(int(code[1:]))
        else:
            code = code.rstrip("s")
            if code == "2":
                self.eew = 2 * sew
            elif code.startswith("/"):
                self.eew = sew // int(code[1:])
            else:
                self.eew = int(code[1:]) if code else sew
            if not 8 <= self.eew <= ELEN:
                raise IllegalInstruction(f"{name}: no {self.eew}-bit elements (SEW {sew})")
            self.emul = lmul * self.eew / sew
            if self.is_scalar:
                self.emul = Fraction(1)
            if not Fraction(1, 8) <= self.emul <= 8:
                raise IllegalInstruction(f"{name}: EMUL {self.emul} is reserved")
        self.count = max(1, int(self.emul))  #: registers in one group
        self.fields = fields  #: groups one after the other (segments)
        if register % self.count:
            raise IllegalInstruction(f"{name}: v{register} is no group of {self.count} registers")
        if self.emul * fields > 8 or register + self.count * fields > 32:
            raise IllegalInstruction(f"{name}: {fields} groups of {self.count} from v{register}")

    @property
    def registers(self) -> range:
        return range(self.register, self.register + self.count * self.fields)

    def overlaps(self, other: Operand) -> bool:
        a, b = self.registers, other.registers
        return a.start < b.stop and b.start < a.stop


def _check_overlap(target: Operand, source: Operand) -> None:
    """The three cases in which vd may overlap a source (V 5.2)."""
    if not target.overlaps(source) or target.eew == source.eew:
        return
    if target.eew < source.eew and target.register == source.register:
        return  # narrower result in the lowest-numbered part
    if (
        target.eew > source.eew
        and source.emul >= 1
        and target.registers.stop == source.registers.stop
    ):
        return  # wider result, source in the highest-numbered part
    raise IllegalInstruction(f"{target.name} overlaps {source.name} of another element width")


def check_operands(instruction, config: Config, reads_target: bool) -> dict[str, Operand]:
    """The vector operands of an instruction, or IllegalInstruction if they are reserved."""
    return _check_operands(instruction, config.vtype, reads_target)


@lru_cache(maxsize=16384)
def _check_operands(instruction, vtype: int | None, reads_target: bool) -> dict[str, Operand]:
    sew, lmul = (8 << (vtype >> 3 & 7), lmul_of(vtype)) if vtype is not None else (0, None)
    line, value = instruction.line, instruction.operand
    # V 3.4.4: only whole-register loads and stores do not depend on vtype
    whole_access = "rs1" in line.fields and all(c[:1] == "w" for c in line.eew.values())
    if vtype is None and not whole_access:
        raise IllegalInstruction("vtype is illegal (vill)")
    fields = value["nf"]
    operands = {
        name: Operand(name, value[name], code, sew, lmul, fields if name in ("vd", "vs3") else 1)
        for name, code in line.eew.items()
    }
    target = operands.get("vd")
    sources = [o for n, o in operands.items() if n != "vd"]
    reads_mask = instruction.masked or "v0" in line.operands
    if reads_mask:
        sources.append(Operand("v0", 0, "m", sew, lmul))
    if target is not None:
        if reads_mask and target.register == 0 and not (target.is_mask or target.is_scalar):
            raise IllegalInstruction("vd overlaps the mask register v0")
        for source in sources:
            if "apart" in line.flags and target.overlaps(source):
                raise IllegalInstruction(f"vd overlaps {source.name}")
            if not target.is_scalar and not source.is_scalar:
                _check_overlap(target, source)
        if reads_target:
            sources.append(target)
    for i, one in enumerate(sources):
        for two in sources[i + 1 :]:
            if one.eew != two.eew and one.overlaps(two):
                raise IllegalInstruction(
                    f"{one.name} and {two.name} read a register with two element widths"
                )
    return operands


# --- reading and writing groups ---


def reader(registers: Registers, operand: Operand, config: Config, elements: int):
    """A function that gives the first `elements` elements of a group, packed."""
    v, vlen, first = registers.v, config.vlen, operand.register
    cut = lanes(operand.eew, elements).ones
    if operand.count == 1:
        if elements * operand.eew == vlen:
            return lambda: v[first]
        return lambda: v[first] & cut
    numbers = range(first + operand.count - 1, first - 1, -1)

    def read_group():
        value = 0
        for number in numbers:
            value = value << vlen | v[number]
        return value & cut

    return read_group


@lru_cache(maxsize=256)
def tail_mask(body_bits: int, bits: int) -> int:
    """Ones from bit `body_bits` up to `bits`; shared, since these are as long as registers."""
    return (1 << bits) - (1 << body_bits)


def writer(registers, control, operand, config, elements: int, masked: bool, always=None):
    """A function that writes `elements` body elements to a group, with mask and tail policy.

    `always()`, if given, says how many leading elements count as active whatever the mask is.
    """
    v, vlen, first, count = registers.v, config.vlen, operand.register, operand.count
    body = lanes(operand.eew, elements)
    tail = tail_mask(body.bits, vlen * count)
    fill_tail = config.fill_mask_tail if operand.is_mask else config.fill_tail
    tail_ones = 0 if registers.is_marks else tail
    fill_inactive = config.fill_mask
    ones_inactive = 0 if registers.is_marks else -1
    one_register = (1 << vlen) - 1
    numbers = range(first, first + count)

    def read_old():
        value = 0
        for number in reversed(numbers):
            value = value << vlen | v[number]
        return value

    def write_group(value):
        if masked:
            mask = control.v[0]
            if always:
                mask |= (1 << always()) - 1
            active = body.spread(mask)
            inactive = active ^ body.ones
            value = value & active | inactive & (ones_inactive if fill_inactive else read_old())
        if tail:
            value |= tail_ones if fill_tail else read_old() & tail
        if count == 1:
            v[first] = value
        else:
            for number in numbers:
                v[number] = value & one_register
                value >>= vlen

    return write_group
