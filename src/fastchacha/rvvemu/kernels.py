"""The kernels that ship, called by their contract (csrc/backend.h) with exactly their buffers.

The code is `kernels.elf` in this package: one ELF object made from asm/riscv64.  A kernel is
named by the token that its symbols end in: `zvkb` stands for `fc_chacha20_zvkb` and so on.
Words in memory are little-endian, as on RISC-V.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from .buffers import Buffer, call_with_buffers
from .errors import EmulatorError
from .machine import Machine

#: the extensions that a kernel may use: what its row of csrc/backends.def needs, and I and M
EXTENSIONS = {
    "rv64": ("I", "M"),
    "zbb": ("I", "M", "Zba", "Zbb"),
    "rvv": ("I", "M", "Zicsr", "V"),
    "zvkb": ("I", "M", "Zba", "Zbb", "Zicsr", "V", "Zvkb"),
}
POLY1305_SIZE = 576  #: bytes of struct fc_poly1305


@cache
def image() -> bytes:
    """The ELF object with all kernels."""
    return files(__package__).joinpath("kernels.elf").read_bytes()


def machine_for(kernel: str, vlen: int = 128, **options) -> Machine:
    """A machine with the kernels loaded and the extensions that `kernel` may use.

    `options` are those of `Machine`.  EmulatorError for an unknown kernel.
    """
    if kernel not in EXTENSIONS:
        raise EmulatorError(f"no kernel {kernel!r}; there are {', '.join(EXTENSIONS)}")
    machine = Machine(vlen, **{"extensions": EXTENSIONS[kernel], **options})
    machine.load_elf(image())
    return machine


def symbols() -> list[str]:
    """The functions in the object."""
    machine = Machine()
    return sorted(machine.load_elf(image()).symbols)


KEY_OF_STATE = ((16, 48),)  #: secret bytes of a ChaCha state: the key words
SECRETS_OF_POLY1305 = ((0, 56), (64, POLY1305_SIZE))  #: all but powers_kind


class _Call:
    """The buffers of one call. `addresses` maps their names to addresses of choice."""

    def __init__(self, machine, addresses):
        self.machine, self.addresses = machine, addresses or {}

    def buffer(self, name, data, alignment=1, *, writable=False, secret=None):
        if secret is None:
            secret = ((0, len(data)),) if len(data) else ()
        return Buffer(
            name, data, writable=writable, alignment=alignment,
            address=self.addresses.get(name), secret=secret,
        )  # fmt: skip

    def state(self, state):
        return self.buffer("state", state, 4, secret=KEY_OF_STATE)

    def poly1305(self, poly):
        return self.buffer("poly1305", poly, 8, writable=True, secret=SECRETS_OF_POLY1305)

    def in_and_out(self, data, out):
        target = self.buffer("out", out, writable=True)
        return (target if data is out else self.buffer("in", data)), target


# Each kernel marks its secrets (key, data, Poly1305 state) where the machine follows secrets.
# `addresses` gives the buffers "state", "block0", "in", "out", "poly1305" other addresses than
# the ones with the least alignment that the contract allows.


def chacha20(machine, kernel, state, block0, data, out, rounds=20, *, addresses=None):
    """fc_chacha20_<kernel>: XOR `data` with keystream into `out`, as long as `data`.

    state: 64 bytes; block0: None, or 64 writable bytes for the first block's keystream.
    `data` and `out` the same object: in place.
    """
    call = _Call(machine, addresses)
    call_with_buffers(
        machine,
        f"fc_chacha20_{kernel}",
        call.state(state),
        0 if block0 is None else call.buffer("block0", block0, writable=True),
        *call.in_and_out(data, out),
        len(out),
        rounds,
    )


def hchacha20(machine, kernel, out, state, rounds=20, *, addresses=None):
    """fc_hchacha20_<kernel>: 32 bytes into `out` from the 64 of `state`."""
    call = _Call(machine, addresses)
    target = call.buffer("out", out, 4, writable=True)
    call_with_buffers(machine, f"fc_hchacha20_{kernel}", target, call.state(state), rounds)


def poly1305_blocks(machine, kernel, poly, data, padbit=1, *, addresses=None):
    """fc_poly1305_blocks_<kernel>: absorb `data`, a whole number of 16-byte blocks.

    poly: the 576 bytes of struct fc_poly1305, changed in place.
    """
    call = _Call(machine, addresses)
    call_with_buffers(
        machine,
        f"fc_poly1305_blocks_{kernel}",
        call.poly1305(poly),
        call.buffer("in", data),
        len(data) // 16,
        padbit,
    )


def aead(machine, kernel, state, poly, data, out, decrypt, *, addresses=None):
    """fc_aead_<kernel>: XOR and authenticate `data`, a whole number of 64-byte blocks."""
    call = _Call(machine, addresses)
    call_with_buffers(
        machine,
        f"fc_aead_{kernel}",
        call.state(state),
        call.poly1305(poly),
        *call.in_and_out(data, out),
        len(out),
        int(decrypt),
    )
