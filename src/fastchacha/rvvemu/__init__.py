"""A pure-Python RISC-V emulator: RV64 I, M, Zba, Zbb, Zicsr, V (integer), Zvkb, Zvbb.

It runs RISC-V kernels on any machine that has Python, at any vector length from 128 to 65536
bits, strictly: see docs/emulator.md.  `encoding` is the instruction table, `scalar` and
`vector` hold one short function for each instruction.
"""

from .elf import Elf
from .encoding import decode, disassemble
from .errors import (
    CallingConvention,
    ElfError,
    EmulatorError,
    IllegalInstruction,
    MemoryFault,
    Misaligned,
    SecretDependence,
    StepLimit,
)
from .machine import Machine, buffer_address

__all__ = [
    "CallingConvention",
    "Elf",
    "ElfError",
    "EmulatorError",
    "IllegalInstruction",
    "Machine",
    "MemoryFault",
    "Misaligned",
    "SecretDependence",
    "StepLimit",
    "buffer_address",
    "decode",
    "disassemble",
]
