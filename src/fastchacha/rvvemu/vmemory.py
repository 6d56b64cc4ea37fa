"""Vector loads and stores (V 7).

One function per addressing mode builds the closure of an instruction.  All share the same
plan: where the elements are (`base + i*stride` or `base + index[i]`, `nf` fields of
consecutive elements each), the alignment check of V 7.1, one strided copy if every element is
active and inside one buffer, else element by element in order, so that the element that faults
is the one that is reported.
"""

from __future__ import annotations

from .encoding import signed
from .errors import MemoryFault, Misaligned
from .lanes import lanes
from .memory import ELEMENT_CODE
from .vregs import Operand, check_operands, reader, writer

M64 = (1 << 64) - 1


class _Plan:
    """What all vector memory instructions share."""

    def __init__(self, instruction, config, data, control, machine):
        line, value = instruction.line, instruction.operand
        self.is_store = "vs3" in line.fields
        operands = check_operands(instruction, config, self.is_store)
        self.operand = operands["vs3" if self.is_store else "vd"]
        self.index = operands.get("vs2")
        self.instruction, self.config, self.machine = instruction, config, machine
        self.data, self.control, self.fields = data, control, value["nf"]
        self.size = self.operand.eew // 8
        self.elements = config.vl
        self.strict = machine.strict_alignment
        self.masked = instruction.masked

    def groups(self, elements):
        """(reader, writer) of each field's register group."""
        result = []
        for field in range(self.fields):
            register = self.operand.register + field * self.operand.count
            part = Operand("group", register, self.operand.code, self.config.sew, self.config.lmul)
            read = reader(self.data, part, self.config, elements)
            write = writer(self.data, self.control, part, self.config, elements, self.masked)
            result.append((read, write))
        return result

    def base(self):
        """A function that gives the base address."""
        x, number = self.control.x, self.instruction.operand["rs1"]
        return lambda: x[number]

    def check_alignment(self, address):
        if self.strict and address % self.size:
            raise Misaligned(
                f"{self.size}-byte vector element at {address:#x}, which is no multiple of its size"
            )


def _execute(plan: _Plan, addresses, stride_of=None):
    """The closure for a load or store of `plan.elements` elements.

    `addresses()` gives the address of each element (its first field); `stride_of()`, where
    there is one, gives (base, stride) so that a copy in one step can be tried.
    """
    elements, size, fields = plan.elements, plan.size, plan.fields
    if elements == 0:
        return lambda: None
    groups = plan.groups(elements)
    memory, masks, everyone = plan.data.memory, plan.control.v, (1 << elements) - 1
    masked, is_store, total = plan.masked, plan.is_store, elements * size
    segment = fields * size
    code = ELEMENT_CODE[size]

    def one_step():
        """Try to move everything at once; False if that is not possible."""
        if masked and masks[0] & everyone != everyone:
            return False
        base, stride = stride_of()
        if stride < segment or stride % size:
            return False  # backwards, overlapping or misaligned: order or culprit matter
        plan.check_alignment(base)
        view = memory.span(base, stride * (elements - 1) + segment, is_store)
        if view is None:
            return False
        if stride == size:
            if is_store:
                view[:] = groups[0][0]().to_bytes(total, "little")
            else:
                groups[0][1](int.from_bytes(view, "little"))
            return True
        view, step = view.cast(code), stride // size
        stop = step * (elements - 1) + 1
        for field, (read, write) in enumerate(groups):
            column = view[field : field + stop : step]
            if is_store:
                column[:] = memoryview(read().to_bytes(total, "little")).cast(code)
            else:
                write(int.from_bytes(column.tobytes(), "little"))
        return True

    def execute():
        if stride_of and one_step():
            return
        mask = masks[0] if masked else everyone
        lane = lanes(8 * size, elements)
        if is_store:
            columns = [lane.u(read()) for read, _ in groups]
        else:
            columns = [[0] * elements for _ in groups]
        for i, address in enumerate(addresses()):
            if mask >> i & 1:
                for field in range(fields):
                    at = (address + field * size) & M64
                    plan.check_alignment(at)
                    if is_store:
                        memory.store(at, size, columns[field][i])
                    else:
                        columns[field][i] = memory.load(at, size)
        if not is_store:
            for (_, write), column in zip(groups, columns, strict=True):
                write(lane.pack(column))

    return execute


# --- V 7.4, 7.8.1: unit stride; a segment's fields follow each other ---
def load_unit(instruction, config, data, control, machine):
    plan = _Plan(instruction, config, data, control, machine)
    base, step, count = plan.base(), plan.fields * plan.size, plan.elements

    def addresses():
        return [base() + i * step for i in range(count)]

    return _execute(plan, addresses, lambda: (base(), step))


store_unit = load_unit


# --- V 7.4: masks: ceil(vl/8) bytes, EMUL 1, tail always agnostic ---
def load_mask(instruction, config, data, control, machine):
    plan = _Plan(instruction, config, data, control, machine)
    base, memory, size = plan.base(), plan.data.memory, (config.vl + 7) // 8
    if size == 0:
        return lambda: None
    (read, write), *_ = plan.groups(8 * size)

    def execute():
        region = memory.find(base(), size, plan.is_store)
        part = slice(base() - region.base, base() - region.base + size)
        if plan.is_store:
            region.data[part] = read().to_bytes(size, "little")
        else:
            write(int.from_bytes(region.data[part], "little"))

    return execute


store_mask = load_mask


# --- V 7.5, 7.8.2: a signed byte stride in rs2, which may be zero or negative ---
def load_strided(instruction, config, data, control, machine):
    plan = _Plan(instruction, config, data, control, machine)
    base, count = plan.base(), plan.elements
    x, number = control.x, instruction.operand["rs2"]

    def addresses():
        return [base() + i * signed(x[number], 64) for i in range(count)]

    return _execute(plan, addresses, lambda: (base(), signed(x[number], 64)))


store_strided = load_strided


# --- V 7.6, 7.8.3: unsigned byte offsets in vs2; ordered and unordered are the same here ---
def load_indexed(instruction, config, data, control, machine):
    plan = _Plan(instruction, config, data, control, machine)
    base, count = plan.base(), plan.elements
    if count == 0:
        return lambda: None
    read, lane = reader(control, plan.index, config, count), lanes(plan.index.eew, count)

    def addresses():
        return [base() + offset for offset in lane.u(read())]

    return _execute(plan, addresses)


store_indexed = load_indexed


# --- V 7.7: as unit stride, but a fault after element 0 shortens vl instead ---
def load_first(instruction, config, data, control, machine):
    plan = _Plan(instruction, config, data, control, machine)
    base, step, size = plan.base(), plan.fields * plan.size, plan.size
    masked, masks, memory = plan.masked, plan.control.v, plan.data.memory

    def execute():
        columns = [[] for _ in range(plan.fields)]
        for i in range(plan.elements):
            active = not masked or masks[0] >> i & 1
            try:
                for field, column in enumerate(columns):
                    address = (base() + i * step + field * size) & M64
                    if active:
                        plan.check_alignment(address)
                    column.append(memory.load(address, size) if active else 0)
            except (MemoryFault, Misaligned):
                if i == 0:
                    raise
                break
        done = min(len(columns[-1]), plan.elements)
        if done == 0:
            return
        lane = lanes(8 * size, done)
        for (_, write), column in zip(plan.groups(done), columns, strict=True):
            write(lane.pack(column[:done]))
        if not data.is_marks:
            machine.shorten(done)

    return execute


# --- V 7.9: whole registers, whatever vtype and vl are ---
def load_whole(instruction, config, data, control, machine):
    plan = _Plan(instruction, config, data, control, machine)
    eew = {"0": 1, "5": 2, "6": 4, "7": 8}[str(instruction.word >> 12 & 7)]
    plan.size = 1 if plan.is_store else eew  # stores have EEW 8
    base, memory, v, size = plan.base(), plan.data.memory, data.v, config.vlen // 8
    numbers = plan.operand.registers

    def execute():
        address = base()
        plan.check_alignment(address)
        region = memory.find(address, size * len(numbers), plan.is_store)
        at = address - region.base
        for number in numbers:
            if plan.is_store:
                region.data[at : at + size] = v[number].to_bytes(size, "little")
            else:
                v[number] = int.from_bytes(region.data[at : at + size], "little")
            at += size

    return execute


store_whole = load_whole
