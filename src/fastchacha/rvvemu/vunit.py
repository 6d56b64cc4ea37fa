"""The vector unit: from a decoded vector instruction to a Python closure.

A closure is built once for each instruction and `Config`, so that everything static (group
sizes, legality, masks, lanes) is settled beforehand; what remains is reading registers,
calling the instruction's function and writing the result.

`data` and `control` are register files (`Registers`).  They are the same in a plain run; to
follow secrets, a data-moving instruction is run a second time on the marks (`data`) while its
addresses, indices and masks still come from the real registers (`control`).
"""

from __future__ import annotations

import inspect

from . import vector, vmemory
from .lanes import lanes
from .vregs import Config, Registers, check_operands, reader, writer

# --- instructions and their functions ---


def function_of(line):
    """The function of a vector table line: its own flag, or found by mnemonic."""
    if line.function:
        return getattr(vector, line.function, None) or BUILDERS[line.function]
    base, _, suffix = line.mnemonic.replace(".v.", "_v.").partition(".")
    own = line.mnemonic.replace(".", "_")
    names = [own]
    if suffix.startswith("w"):
        names.append(base + "_w")
    if suffix.endswith(("x", "i")):
        names.append(base + "_x")
    names.append(base)
    for name in names:
        if hasattr(vector, name):
            return getattr(vector, name)
    raise LookupError(f"no function for {line.mnemonic}")


_PARAMETERS: dict = {}


def parameters_of(function) -> tuple[str, ...]:
    """The parameter names of an instruction's function."""
    if function not in _PARAMETERS:
        _PARAMETERS[function] = tuple(inspect.signature(function).parameters)
    return _PARAMETERS[function]


def build(instruction, config: Config, data: Registers, control: Registers, machine):
    """The closure that executes a vector instruction. IllegalInstruction if reserved."""
    line = instruction.line
    function = function_of(line)
    if line.function in BUILDERS:
        return function(instruction, config, data, control, machine)
    return _arithmetic(instruction, config, data, control, machine, function)


def vmv_whole(instruction, config, data, control, machine):
    """V 16.6: copy 1, 2, 4 or 8 whole registers, whatever vtype and vl are."""
    operands = check_operands(instruction, config, False)
    v, target, source = data.v, operands["vd"].registers, operands["vs2"].registers
    to, of = slice(target.start, target.stop), slice(source.start, source.stop)

    def execute():
        v[to] = v[of]

    return execute


#: what a `=name` flag of the table may name besides a function in `vector`
BUILDERS = {
    name: function
    for name, function in vars(vmemory).items()
    if name.startswith(("load_", "store_"))
} | {"vmv_whole": vmv_whole}


def _scalar(instruction, control, cut, whole=False):
    """A function giving the scalar operand (register or immediate) and, for an immediate,
    its constant value."""
    value = instruction.operand
    limit = (1 << 64) - 1 if whole else cut
    if "rs1" in instruction.line.fields:
        x, number = control.x, value["rs1"]
        return (lambda: x[number] & limit), None
    constant = value["uimm" if "uimm" in value else "imm"] & limit
    return (lambda: constant), constant


def _arithmetic(instruction, config, data, control, machine, function):
    line, vl = instruction.line, config.vl
    names = parameters_of(function)
    operands = check_operands(instruction, config, "vd" in names)
    target = operands.get("vd")
    if vl == 0 and target is not None:
        return lambda: None  # V 4.5: no element is updated, tail included
    mask_only = "vs2" in operands and operands["vs2"].is_mask and (target is None or target.is_mask)
    L = lanes(1 if mask_only else config.sew, vl) if vl else lanes(config.sew, 1)
    sew_group = lanes(config.sew, config.vlmax)
    one_bits = lanes(1, vl).ones

    def getter(name):
        """What the function's parameter `name` is given, as a function and maybe a constant."""
        if name == "L":
            return (lambda: L), L
        if name == "sew_group":
            return (lambda: sew_group), sew_group
        if name == "fixed":
            return (lambda: machine), machine
        if name == "v0":
            v = data.v
            if instruction.masked or "v0" in line.operands:
                return (lambda: v[0] & one_bits), None
            return (lambda: one_bits), one_bits
        if name in ("vs1", "vs2", "index", "vd", "tail"):
            register = "vs1" if name == "index" else "vd" if name == "tail" else name
            operand = operands.get(register)
            if operand is None:  # .vx and .vi: the scalar in every lane
                read, constant = _scalar(instruction, data, L.max)
                if constant is not None:
                    constant *= L.unit
                    return (lambda: constant), constant
                unit = L.unit
                return (lambda: read() * unit), None
            if name == "tail" and config.fill_tail:
                return (lambda: L.ones), L.ones
            elements = 1 if operand.is_scalar else vl
            return reader(control if name == "index" else data, operand, config, elements), None
        if name == "group":
            return reader(data, operands["vs2"], config, config.vlmax), None
        if name == "amount":
            return _scalar(instruction, control, 0, whole=True)
        if name == "scalar":
            return _scalar(instruction, data, L.max)
        raise LookupError(f"{function.__name__}: unknown parameter {name}")

    getters = [getter(name) for name in names]
    reads = [read for read, _ in getters]

    if target is None:  # result in an x register
        x, rd = data.x, instruction.operand["rd"] or 32
        limit = (1 << 64) - 1

        def execute():
            x[rd] = function(*[read() for read in reads]) & limit

        return execute

    elements = 1 if target.is_scalar else vl
    simple = not instruction.masked and target.count == 1 and elements * target.eew == config.vlen
    if simple:
        fast = _fast(function, names, getters, operands, target, data.v)
        if fast:
            return fast
    always = None
    if line.mnemonic.startswith("vslideup"):  # V 16.3.1: elements below the offset stay
        amount = getters[names.index("amount")][0]

        def always():
            return min(amount(), vl)

    masked = instruction.masked and not target.is_scalar
    write = writer(data, control, target, config, elements, masked, always)

    def execute():
        write(function(*[read() for read in reads]))

    return execute


def _fast(function, names, getters, operands, target, v):
    """Closures for the common shapes: unmasked, full single registers."""

    def source(index):
        """The register number of a plain whole-register operand, else None."""
        operand = operands.get(names[index])
        if operand is None or operand.count != 1 or operand.is_scalar or operand.is_mask:
            return None
        return operand.register if operand.eew == target.eew else None

    d, L = target.register, getters[0][1]
    if names == ("L", "vs2", "vs1"):
        a, b = source(1), source(2)
        if a is not None and b is not None:

            def execute():
                v[d] = function(L, v[a], v[b])

            return execute
    if len(names) == 3 and names[1] == "vs2":
        a, constant = source(1), getters[2][1]
        if a is not None and constant is not None:

            def execute():
                v[d] = function(L, v[a], constant)

            return execute
    return None
