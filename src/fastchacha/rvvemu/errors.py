"""What the emulator raises.

Every error that an instruction causes is an `EmulatorError`; `Machine` adds to it which
instruction it was: address, symbol, machine word and disassembly.
"""


class EmulatorError(Exception):
    """Base class. `where` is filled in by the machine once the instruction is known."""

    def __init__(self, message: str):
        super().__init__(message)
        self.message = message
        self.where = ""
        self.address: int | None = None
        self.symbol: str | None = None
        self.disassembly: str | None = None

    def locate(self, address: int, symbol: str, word: int, disassembly: str) -> None:
        """Say which instruction raised this; the innermost place wins."""
        if self.address is None:
            self.address, self.symbol, self.disassembly = address, symbol, disassembly
            self.where = f"at {address:#x} <{symbol}>: {word:08x}  {disassembly}"

    def __str__(self) -> str:
        return f"{self.message}\n  {self.where}" if self.where else self.message


class IllegalInstruction(EmulatorError):
    """Unknown or reserved encoding, an extension that is off, or `vill` set."""


class MemoryFault(EmulatorError):
    """An access outside the mapped regions, or against a region's permission."""


class Misaligned(EmulatorError):
    """An element or scalar access whose address is no multiple of its size."""


class CallingConvention(EmulatorError):
    """A called function returned with a callee-saved register changed."""


class SecretDependence(EmulatorError):
    """A branch, address, `vl` or variable-latency instruction depends on a secret."""


class StepLimit(EmulatorError):
    """More instructions than the caller allows: an endless loop, most likely."""


class ElfError(EmulatorError):
    """The file is no RV64 ELF file that the loader understands."""
