"""What the C library calls for the `*_emu` backends: kernels run in the emulator.

Every function takes the kernel's token and memoryviews (format "B") of exactly the buffers of
the C call, and raises whatever the emulator raises; the C side then wipes the output.  In-place
calls pass the same object twice.  Each thread has machines of its own.
"""

from __future__ import annotations

import os
import sys
import threading
from array import array
from functools import cache

from . import kernels

_local = threading.local()


@cache
def vlen() -> int:
    """FASTCHACHA_EMU_VLEN in bits, 128 unless set. `ValueError` if it is no legal VLEN."""
    text = os.environ.get("FASTCHACHA_EMU_VLEN", "") or "128"
    legal = [str(1 << n) for n in range(7, 17)]
    if text not in legal:
        raise ValueError(
            f"FASTCHACHA_EMU_VLEN={text!r}: the vector length is a power of two from 128 to 65536"
        )
    return int(text)


def prepare() -> None:
    """Fail now rather than at the first call: checks the environment and loads the object."""
    vlen()
    kernels.image()


def _run(function, kernel, *arguments):
    """Calls the function with a machine that nobody else uses, a signal handler within this very
    call included; a machine whose call did not end well is not used again."""
    machines = _local.__dict__.setdefault("machines", {})
    machine = machines.pop(kernel, None) or kernels.machine_for(kernel, vlen())
    function(machine, kernel, *arguments)
    machines[kernel] = machine


def _little_endian(words, size):
    """A copy of C words (`size` bytes each) as RISC-V has them in memory, and how to write
    such a copy back; the buffer itself where the host is little-endian too."""
    if sys.byteorder == "little":
        return words, lambda: None
    code = {4: "I", 8: "Q"}[size]

    def swapped(buffer):
        values = array(code, bytes(buffer))
        values.byteswap()
        return values.tobytes()

    copy = bytearray(swapped(words))

    def write_back():
        words[:] = swapped(copy)

    return copy, write_back


def chacha20(kernel, state, block0, data, out, rounds):
    """fc_chacha20_<kernel>; block0 is None or 64 bytes."""
    words, _ = _little_endian(state, 4)
    _run(kernels.chacha20, kernel, words, block0, data, out, rounds)


def hchacha20(kernel, out, state, rounds):
    """fc_hchacha20_<kernel>."""
    words, _ = _little_endian(state, 4)
    result, write_back = _little_endian(out, 4)
    _run(kernels.hchacha20, kernel, result, words, rounds)
    write_back()


def poly1305_blocks(kernel, poly, data, padbit):
    """fc_poly1305_blocks_<kernel>; `data` holds the whole blocks."""
    words, write_back = _little_endian(poly, 8)
    _run(kernels.poly1305_blocks, kernel, words, data, padbit)
    write_back()
