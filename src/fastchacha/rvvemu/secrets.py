"""Following secrets: marks beside every register and byte of memory.

Mark bits are ones where a value may depend on a secret.  Before an instruction executes, its
guard looks at the marks of its operands:

- branch, jump target, address, stride, vector index of a load, store or gather, slide amount,
  AVL, vtype, or the mask of a masked instruction marked: `SecretDependence`;
- any other operand marked and the instruction not on the data-independent-latency lists Zkt
  (scalar cryptography, Zkt listings) or Zvkt (vector cryptography), flag `dil` of the
  encoding table: `SecretDependence`.  Loads and stores are outside both lists ("storage
  operations"); the data they move may be secret, where they move it to may not;
- otherwise marks flow.  Where an instruction only moves data (flag `move`) its own function
  is run a second time on the marks, so that each byte keeps its mark.  In all other vector
  instructions a result element is marked if any of its source elements is; a scalar result
  is marked whole.  x0, immediates and vid.v are public.
"""

from __future__ import annotations

from .errors import SecretDependence
from .lanes import lanes
from .memory import Memory, Region
from .vregs import Registers, check_operands, reader, writer
from .vunit import build, function_of, parameters_of

M64 = (1 << 64) - 1


class Secrets:
    """The marks of one machine."""

    def __init__(self, machine):
        self.machine = machine
        self.memory = Memory()
        self.registers = Registers(self.memory, is_marks=True)
        self._mirror: dict[Region, Region] = {}

    # --- memory and registers ---

    def map(self, region: Region) -> None:
        """Begin with public marks for a new region."""
        self._mirror[region] = self.memory.map(
            region.base, bytearray(len(region.data)), region.name, True
        )

    def unmap(self, region: Region) -> None:
        self.memory.unmap(self._mirror.pop(region))

    def mark(self, address: int, size: int, secret: bool = True) -> None:
        """Mark (or unmark) `size` bytes of memory."""
        region = self.memory.find(address, size, True)
        at = address - region.base
        region.data[at : at + size] = (b"\xff" if secret else b"\0") * size

    def marked(self, address: int, size: int) -> bytes:
        """The marks of `size` bytes: 0 where a byte is public."""
        region = self.memory.find(address, size, False)
        at = address - region.base
        return bytes(region.data[at : at + size])

    def clear_registers(self) -> None:
        """A call begins: registers hold public rubbish and public arguments."""
        self.registers.x[:] = [0] * 33
        self.registers.v[:] = [0] * 32

    # --- instructions ---

    def guard(self, instruction, pc, op, config):
        """The closure that checks and moves marks, then executes `op`."""
        line = instruction.line
        if line.is_vector and not line.mnemonic.startswith("vset"):
            before = self._vector_guard(instruction, config)
        else:
            before = self._scalar_guard(instruction, pc)

        def guarded():
            before()
            return op()

        return guarded

    def _scalar_guard(self, instruction, pc):
        line, value = instruction.line, instruction.operand
        x, registers = self.registers.x, [value[n] for n in ("rs1", "rs2") if n in value]
        rd = value.get("rd", 0) or 32
        if "end" in line.flags:

            def control():
                for number in registers:
                    if x[number]:
                        raise SecretDependence("branch, jump target or vl depends on a secret")
                x[rd] = 0

            return control
        if line.operands[-1] == "imm(rs1)":
            base = value["rs1"]
            # the same load or store, on marks at the real address
            function, arguments = self.machine.scalar_arguments(
                instruction, pc, self.registers, self.memory.load, self.memory.store
            )
            is_load, real = "rd" in value, self.machine.x
            names = parameters_of(function)

            def memory_access():
                if x[base]:
                    raise SecretDependence("the address of a load or store depends on a secret")
                given = {n: v for n, (_, v) in zip(names, arguments, strict=True)}
                given["rs1"] = real[base]
                if not is_load:
                    given["rs2"] = x[value["rs2"]]
                result = function(**given)
                if is_load:
                    x[rd] = M64 if result else 0

            return memory_access
        listed = "dil" in line.flags

        def compute():
            secret = any(x[number] for number in registers)
            if secret and not listed:
                raise SecretDependence(
                    f"{line.mnemonic} is not on the Zkt list and has a secret operand"
                )
            x[rd] = M64 if secret else 0

        return compute

    def _vector_guard(self, instruction, config):
        line, marks = instruction.line, self.registers
        is_memory = line.operands[1:2] == ["(rs1)"]
        steering = self._steering(instruction, config, is_memory)
        listed = is_memory or "dil" in line.flags
        sources = [] if is_memory else self._sources(instruction, config)
        if "move" in line.flags:
            move = build(instruction, config, marks, self.machine.registers, self.machine)
        else:
            move = self._spread(instruction, config)

        def flow():
            for what, read in steering:
                if read():
                    raise SecretDependence(f"{what} depends on a secret")
            if not listed:
                for read in sources:
                    if read():
                        raise SecretDependence(
                            f"{line.mnemonic} is not on the Zvkt list and has a secret operand"
                        )
            move()

        return flow

    def _steering(self, instruction, config, is_memory):
        """(description, marks) of everything that no secret may steer."""
        line, value = instruction.line, instruction.operand
        x, v = self.registers.x, self.registers.v
        found = []

        def scalar(name, what):
            number = value[name]
            found.append((what, lambda: x[number]))

        def vector(name, what):
            operand = check_operands(instruction, config, False)[name]
            found.append((what, reader(self.registers, operand, config, config.vl)))

        if instruction.masked and config.vl:
            bits = (1 << config.vl) - 1
            found.append(("the mask of a masked instruction", lambda: v[0] & bits))
        if is_memory:
            scalar("rs1", "the address of a load or store")
            if "rs2" in value:
                scalar("rs2", "the stride of a load or store")
            if "vs2" in value:
                vector("vs2", "an index of a load or store")
        elif "move" in line.flags:
            if line.mnemonic.startswith(("vslideup", "vslidedown", "vrgather")) and "rs1" in value:
                scalar("rs1", "a slide amount or gather index")
            if line.mnemonic.startswith("vrgather") and "vs1" in value:
                vector("vs1", "a gather index")
        return found

    def _sources(self, instruction, config):
        """Readers of the marks of all data operands; inactive and tail elements included,
        since latency may not depend on them either."""
        value = instruction.operand
        operands = check_operands(instruction, config, False)
        reads = []
        for name, operand in operands.items():
            if name != "vd" or "vd" in _parameters(instruction.line):
                whole = config.vlen * operand.count // max(operand.eew, 1)
                reads.append(reader(self.registers, operand, config, whole))
        if "rs1" in value:
            number = value["rs1"]
            reads.append(lambda: self.registers.x[number])
        if "v0" in instruction.line.operands:
            reads.append(lambda: self.registers.v[0])
        return reads

    def _marked_elements(self, operand, config, count):
        """A function giving a mask of the operand's elements that are marked."""
        read, lane = reader(self.registers, operand, config, count), lanes(operand.eew, count)
        return lambda: lane.nonzero(read())

    def _spread(self, instruction, config):
        """Result elements are marked where any source element is (an unmasked source scalar
        marks all)."""
        line, value, vl = instruction.line, instruction.operand, config.vl
        operands = check_operands(instruction, config, "vd" in _parameters(line))
        x, v = self.registers.x, self.registers.v
        target = operands.get("vd")
        everyone = (1 << vl) - 1
        elements = 1 if target is not None and target.is_scalar else vl
        flags = []
        for name, operand in operands.items():
            if name == "vd" and "vd" not in _parameters(line):
                continue
            count = 1 if operand.is_scalar else vl
            if count == 0:
                continue
            flags.append(self._marked_elements(operand, config, count))
        if "v0" in line.operands:
            flags.append(lambda: v[0] & everyone)
        number = value.get("rs1", 0) if "rs1" in line.fields else 0
        if target is None:
            rd = value["rd"] or 32

            def to_scalar():
                x[rd] = M64 if any(read() for read in flags) else 0

            return to_scalar
        if vl == 0:
            return lambda: None
        masked = instruction.masked and not target.is_scalar
        write = writer(self.registers, self.machine.registers, target, config, elements, masked)
        wide = lanes(target.eew, elements)

        def to_vector():
            found = everyone if x[number] else 0
            for read in flags:
                found |= read()
            write(wide.spread(found))

        return to_vector


def _parameters(line):
    return parameters_of(function_of(line))
