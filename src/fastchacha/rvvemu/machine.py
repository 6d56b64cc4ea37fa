"""The machine: state, translation of code to closures, calls, and what is counted.

Code is translated a basic block at a time, once for every vtype and vl it runs under, into a
list of closures that are then called in order.  Nothing is decoded twice.
"""

from __future__ import annotations

import random
import sys
from collections import Counter

from . import scalar
from .elf import Elf
from .encoding import ABI_NAMES, CSR_NAMES, EXTENSIONS, decode, disassemble
from .errors import CallingConvention, EmulatorError, IllegalInstruction, MemoryFault, StepLimit
from .memory import Memory, Region
from .secrets import Secrets
from .vregs import Config, Registers, legal_vtype
from .vunit import build, parameters_of

M64 = (1 << 64) - 1
SAVED = (2, 3, 4, 8, 9, *range(18, 28))  # sp, gp, tp, s0-s11 (psABI 2.1)
ARGUMENTS = range(10, 18)
RETURN_ADDRESS = 0xFFFF_FFFF_FFFF_F000  # never mapped: reaching it ends a call
CODE_BASE = 0x1_0000
STACK_TOP = 0x7FFF_FFFF_F000
BUFFER_BASE = 0x1_0000_0000_0000
BUFFER_SPACING = 1 << 44  # no plausible stride reaches from one buffer into another
MAX_BLOCK = 1024
MAX_CLOSURES = 50_000  # all blocks together; then translation begins anew
_KEYWORDS = {"and": "and_", "or": "or_", "min": "min_", "max": "max_"}


class Block:
    """A translated basic block: `body` closures, then `last`, which gives the next pc or None
    to go on behind the block. `origins` are the (pc, instruction) of all closures."""

    __slots__ = ("body", "closures", "count", "end", "last", "origins", "size")

    def __init__(self, closures, origins, end):
        self.closures, self.origins, self.end = closures, origins, end
        self.body, self.last, self.size = tuple(closures[:-1]), closures[-1], len(closures)
        self.count = 0


class Machine:
    """A single RV64 hart with vectors.

    vlen               bits in a vector register: a power of two from 128 to 65536
    extensions         names out of `EXTENSIONS` that are switched on ("Zvbb" includes "Zvkb")
    vl_policy          "max": vl = min(AVL, VLMAX);  "half": ceil(AVL/2) where AVL lies
                       between VLMAX and 2*VLMAX;  "random": anything V 6.3 allows there
    seed               for "random" and for the values registers hold when a call begins
    agnostic_ones      agnostic elements become ones (True) or stay undisturbed (False)
    strict_alignment   a vector element at an address that is no multiple of its size traps
    misaligned_scalar  misaligned scalar accesses work (True) or trap (False)
    secrets            follow secret marks and raise SecretDependence
    max_steps          instructions a call may execute, None for no limit

    `ValueError` for an argument outside these.
    """

    def __init__(
        self,
        vlen: int = 128,
        *,
        extensions=EXTENSIONS,
        vl_policy: str = "max",
        seed: int = 0,
        agnostic_ones: bool = True,
        strict_alignment: bool = True,
        misaligned_scalar: bool = True,
        secrets: bool = False,
        max_steps: int | None = None,
        trace=None,
    ):
        if vlen not in [1 << n for n in range(7, 17)]:
            raise ValueError(f"VLEN {vlen} is not a power of two from 128 to 65536")
        unknown = set(extensions) - set(EXTENSIONS)
        if unknown:
            raise ValueError(f"unknown extensions: {', '.join(sorted(unknown))}")
        if vl_policy not in ("max", "half", "random"):
            raise ValueError(f"vl_policy {vl_policy!r} is none of max, half, random")
        self.vlen, self.vl_policy, self.agnostic_ones = vlen, vl_policy, agnostic_ones
        self.extensions = set(extensions) | ({"Zvkb"} if "Zvbb" in extensions else set())
        self.strict_alignment, self.max_steps, self.trace = strict_alignment, max_steps, trace
        self.memory = Memory(misaligned_scalar)
        self.registers = Registers(self.memory)
        self.x, self.v = self.registers.x, self.registers.v
        self.vxrm = self.vxsat = 0
        self.symbols: dict[str, int] = {}
        self._random = random.Random(seed)
        self._configs: dict = {}
        self._closures = 0
        self._counts: Counter = Counter()
        self._weights: Counter = Counter()
        self._executable: list[Region] = []
        self._poison = [self._random.getrandbits(64) for _ in range(33)]
        self._vector_poison = [self._random.getrandbits(vlen) for _ in range(32)]
        self.config = self._config(None, 0)
        self.secrets = Secrets(self) if secrets else None

    # --- code and symbols ---

    def load_elf(self, image: bytes, base: int = CODE_BASE) -> Elf:
        """Map an ELF file's segments and learn its symbols. `ElfError` if it is not RV64."""
        elf = Elf(image, base)
        for segment in elf.segments:
            region = self.map(segment.address, segment.data, segment.name, segment.writable)
            if segment.executable:
                self._executable.append(region)
        self.symbols.update(elf.symbols)
        return elf

    def load_words(self, words, base: int = CODE_BASE, name: str = "code") -> int:
        """Map machine words as read-only code at `base`; returns `base`."""
        code = b"".join(word.to_bytes(4, "little") for word in words)
        self._executable.append(self.map(base, code, name, False))
        self.symbols[name] = base
        return base

    def map(self, base: int, data, name: str, writable: bool) -> Region:
        """Map a buffer at an address of the caller's choice."""
        region = self.memory.map(base, data, name, writable)
        if self.secrets:
            self.secrets.map(region)
        return region

    def unmap(self, region: Region) -> None:
        """Undo map(). Code that lay there is forgotten."""
        self.memory.unmap(region)
        if region in self._executable:
            self._executable.remove(region)
            self._forget_blocks()
        if self.secrets:
            self.secrets.unmap(region)

    def symbol_at(self, address: int) -> str:
        """`name` or `name+offset` of the nearest symbol at or below an address."""
        best = max(
            ((a, n) for n, a in self.symbols.items() if a <= address),
            default=None,
        )
        if best is None:
            return f"{address:#x}"
        return best[1] if best[0] == address else f"{best[1]}+{address - best[0]:#x}"

    # --- CSRs (V 3) and vsetvl ---

    def read_csr(self, number: int) -> int:
        """The value of a vector CSR; IllegalInstruction for any other."""
        name = CSR_NAMES.get(number)
        if name is None or "V" not in self.extensions:
            raise IllegalInstruction(f"CSR {number:#x} does not exist")
        if name == "vcsr":
            return self.vxrm << 1 | self.vxsat
        if name == "vtype":
            return 1 << 63 if self.config.vtype is None else self.config.vtype
        return {
            "vstart": 0, "vxsat": self.vxsat, "vxrm": self.vxrm,
            "vl": self.config.vl, "vlenb": self.vlen // 8,
        }[name]  # fmt: skip

    def write_csr(self, number: int, value: int) -> None:
        """Write vstart (only 0), vxsat, vxrm or vcsr; IllegalInstruction for the rest."""
        name = CSR_NAMES.get(number)
        if name == "vstart":
            if value & (self.vlen - 1):
                # V 3.7 allows trapping on values that the implementation never produces
                raise IllegalInstruction("vstart other than 0 is not supported")
        elif name == "vxsat":
            self.vxsat = value & 1
        elif name == "vxrm":
            self.vxrm = value & 3
        elif name == "vcsr":
            self.vxrm, self.vxsat = value >> 1 & 3, value & 1
        else:
            raise IllegalInstruction(f"CSR {name or hex(number)} is read-only")

    def _config(self, vtype, vl) -> Config:
        config = self._configs.get((vtype, vl))
        if config is None:
            config = self._configs[vtype, vl] = Config(self.vlen, vtype, vl, self.agnostic_ones)
        return config

    def set_vector_length(self, vtype: int, avl: int | None, keep: bool = False) -> int:
        """V 6: set vtype and vl; `avl` None asks for VLMAX, `keep` for the present vl."""
        if not legal_vtype(vtype):
            self.config = self._config(None, 0)
            return 0
        new = self._config(vtype, 0)
        if keep:
            if self.config.vtype is None or self.config.vlmax != new.vlmax:
                raise IllegalInstruction("vsetvl x0, x0 with another VLMAX is reserved")
            vl = self.config.vl
        else:
            vl = new.vlmax if avl is None else self._choose_vl(avl, new.vlmax)
        self.config = self._config(vtype, vl)
        return vl

    def _choose_vl(self, avl: int, vlmax: int) -> int:
        """V 6.3: vl = AVL up to VLMAX, VLMAX from 2*VLMAX on, a choice in between."""
        if not vlmax < avl < 2 * vlmax or self.vl_policy == "max":
            return min(avl, vlmax)
        least = (avl + 1) // 2
        return least if self.vl_policy == "half" else self._random.randint(least, vlmax)

    def shorten(self, vl: int) -> None:
        """A fault-only-first load ended early: the same vtype with a smaller vl."""
        self.config = self._config(self.config.vtype, vl)

    # --- translation ---

    def _fetch(self, pc: int) -> int:
        for region in self._executable:
            if region.base <= pc and pc + 4 <= region.end:
                if pc & 3:
                    raise MemoryFault(f"jump to {pc:#x}, which is no multiple of 4")
                offset = pc - region.base
                return int.from_bytes(region.data[offset : offset + 4], "little")
        raise MemoryFault(f"no code at {pc:#x}")

    def _translate(self, pc: int) -> Block:
        if self._closures > MAX_CLOSURES:
            self._forget_blocks()
        ops, origins, address = [], [], pc
        while True:
            try:
                word = self._fetch(address)
                op, instruction = self._closure(word, address)
            except EmulatorError as exc:
                if not ops:
                    self._locate(exc, address)
                    raise
                break  # reported when execution gets there, if it does
            ops.append(op)
            origins.append((address, instruction))
            address += 4
            if "end" in instruction.line.flags or len(ops) == MAX_BLOCK:
                break
        block = Block(ops, origins, address)
        self.config.blocks[pc] = block
        self._closures += len(ops)
        return block

    def _closure(self, word: int, pc: int):
        instruction = decode(word)
        if instruction is None:
            hint = "; compressed instructions are not supported" if word & 3 != 3 else ""
            raise IllegalInstruction(f"unknown instruction{hint}")
        line = instruction.line
        if line.extension not in self.extensions:
            raise IllegalInstruction(f"extension {line.extension} is off")
        if line.is_vector and not line.mnemonic.startswith("vset"):
            op = build(instruction, self.config, self.registers, self.registers, self)
        else:
            op = self._scalar(instruction, pc)
        if self.secrets:
            op = self.secrets.guard(instruction, pc, op, self.config)
        if self.trace:
            op = self.trace(self, instruction, pc, op)
        return op, instruction

    def scalar_arguments(self, instruction, pc: int, registers, load, store):
        """For each parameter of a scalar instruction's function, a (kind, value) pair."""
        value = instruction.operand
        function = scalar_function(instruction.line)
        result = []
        for name in parameters_of(function):
            if name in ("rs1", "rs2"):
                result.append(("x", value[name]))
            elif name in ("rs1_zero", "rd_zero"):
                result.append(("constant", value[name[:-5]] == 0))
            elif name in ("load", "store", "machine", "pc"):
                known = {"load": load, "store": store, "machine": self, "pc": pc}
                result.append(("constant", known[name]))
            else:
                result.append(("constant", value[name]))
        return function, result

    def _scalar(self, instruction, pc: int):
        """The closure of a scalar instruction: read, call, cut to 64 bits, write rd."""
        memory, x = self.memory, self.x
        function, arguments = self.scalar_arguments(
            instruction, pc, self.registers, memory.load, memory.store
        )
        value, line = instruction.operand, instruction.line
        rd = (value.get("rd", 0)) or 32
        kinds = tuple(kind for kind, _ in arguments)
        given = [v for _, v in arguments]
        if "target" in value and line.mnemonic != "jal":
            a, b = given
            taken = pc + value["target"] & M64

            def branch():
                return taken if function(x[a], x[b]) else None

            return branch
        if line.mnemonic == "jalr":
            (a, imm), link = given, pc + 4

            def jump_register():
                target = function(x[a], imm) & M64
                x[rd] = link
                return target

            return jump_register
        if line.mnemonic == "jal":
            target, link = function(*given) & M64, pc + 4

            def jump():
                x[rd] = link
                return target

            return jump
        if "rd" not in value:  # stores, fence, ecall

            def effect():
                function(*[x[v] if kind == "x" else v for kind, v in arguments])

            return effect
        if kinds == ("x", "x"):
            a, b = given

            def two_registers():
                x[rd] = function(x[a], x[b]) & M64

            return two_registers
        if kinds == ("x", "constant"):
            a, constant = given

            def register_immediate():
                x[rd] = function(x[a], constant) & M64

            return register_immediate
        if kinds == ("constant", "x", "constant") and given[0] == memory.load:
            load, a, offset = given

            def load_value():
                x[rd] = function(load, x[a], offset) & M64

            return load_value

        def general():
            x[rd] = function(*[x[v] if kind == "x" else v for kind, v in arguments]) & M64

        return general

    def _forget_blocks(self) -> None:
        self._collect_counts()
        for config in self._configs.values():
            config.blocks.clear()
        self._closures = 0
        self._configs = {(self.config.vtype, self.config.vl): self.config}

    def _locate(self, exc: EmulatorError, pc: int) -> None:
        try:
            word = self._fetch(pc)
        except EmulatorError:
            exc.locate(pc, self.symbol_at(pc), 0, "(no code here)")
            return
        exc.locate(pc, self.symbol_at(pc), word, disassemble(word, pc, self.symbol_at))

    # --- execution ---

    def run(self, pc: int, until: int = RETURN_ADDRESS) -> None:
        """Execute from `pc` until control reaches the address `until`."""
        budget = self.max_steps if self.max_steps is not None else sys.maxsize
        block = op = None
        try:
            while pc != until:
                block = self.config.blocks.get(pc)
                if block is None:
                    block = self._translate(pc)
                block.count += 1
                budget -= block.size
                if budget < 0:
                    op = None
                    raise StepLimit(f"more than {self.max_steps} instructions")
                for op in block.body:
                    op()
                op = block.last
                target = op()
                pc = block.end if target is None else target
        except EmulatorError as exc:
            if exc.address is None:
                at = block.closures.index(op) if op is not None else 0
                self._locate(exc, block.origins[at][0])
            raise

    def call(self, function: int | str, *arguments: int, stack_size: int = 65536) -> int:
        """Call a function by the integer calling convention (psABI 2.1); returns a0.

        `arguments` are at most eight integers.  Before the call every other register, vector
        registers included, holds rubbish and vtype is illegal; afterwards callee-saved
        registers are compared: `CallingConvention` if one changed.
        """
        if isinstance(function, str):
            if function not in self.symbols:
                raise EmulatorError(f"no symbol {function!r}")
            function = self.symbols[function]
        if len(arguments) > 8:
            raise ValueError("at most eight arguments")
        self.x[:] = self._poison
        self.x[0] = self.x[32] = 0
        self.v[:] = self._vector_poison
        self.vxrm, self.vxsat = self._poison[32] & 3, 0
        self.config = self._config(None, 0)
        self.x[1], self.x[2] = RETURN_ADDRESS, STACK_TOP
        for number, value in zip(ARGUMENTS, arguments, strict=False):
            self.x[number] = value & M64
        saved = [self.x[number] for number in SAVED]
        stack = self.map(STACK_TOP - stack_size, bytearray(stack_size), "stack", True)
        if self.secrets:
            self.secrets.clear_registers()
        try:
            self.run(function)
        finally:
            self.unmap(stack)
        for number, value in zip(SAVED, saved, strict=True):
            if self.x[number] != value:
                exc = CallingConvention(
                    f"{ABI_NAMES[number]} was {value:#x} on entry, is {self.x[number]:#x} on return"
                )
                self._locate(exc, self._writer_of(number, function))
                raise exc
        return self.x[10]

    def _writer_of(self, register: int, otherwise: int) -> int:
        """The address of an executed instruction that wrote an x register: of several the
        last in memory, but loads, which restore, only if nothing else did."""
        found = [
            ("imm(rs1)" not in instruction.line.operands, pc)
            for config in self._configs.values()
            for block in config.blocks.values()
            for pc, instruction in block.origins
            if block.count and instruction.operand.get("rd") == register
        ]
        return max(found)[1] if found else otherwise

    # --- counting ---

    def _collect_counts(self) -> None:
        for config in self._configs.values():
            registers = max(1, int(config.lmul))
            for block in config.blocks.values():
                for _, instruction in block.origins if block.count else ():
                    name, times = instruction.mnemonic, block.count
                    weighted = instruction.line.is_vector and not name.startswith("vset")
                    self._counts[name] += times
                    self._weights[name] += times * (registers if weighted else 1)
                block.count = 0

    def counts(self) -> tuple[Counter, Counter]:
        """Instructions executed since the last reset, by mnemonic: plain, and weighted by the
        registers in a group (LMUL rounded up to 1; scalar instructions weigh 1)."""
        self._collect_counts()
        return self._counts.copy(), self._weights.copy()

    def reset_counts(self) -> None:
        """Start counting at zero."""
        self._collect_counts()
        self._counts.clear()
        self._weights.clear()


def scalar_function(line):
    """The function of a scalar table line."""
    name = line.mnemonic.replace(".", "_")
    return getattr(scalar, _KEYWORDS.get(name, name))


def buffer_address(slot: int, alignment_offset: int) -> int:
    """An address for buffer number `slot`: a multiple of 4096 plus `alignment_offset`."""
    return BUFFER_BASE + slot * BUFFER_SPACING + alignment_offset
