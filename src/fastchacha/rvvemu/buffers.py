"""Calling functions with buffers as arguments, each mapped with exactly its size."""

from __future__ import annotations

from .machine import Machine, buffer_address


class Buffer:
    """An argument that is a pointer to `data`.

    name       what error messages call it
    data       bytes-like; it is used in place, so a bytearray shows what was written
    writable   whether the function may write it
    alignment  what the pointer may rely on, in bytes: the address is an odd multiple of it,
               so that code which relies on more traps or is seen to
    address    overrides the address chosen by `alignment`
    secret     byte ranges (start, stop) that are marked, on a machine that follows secrets
    """

    def __init__(self, name, data, *, writable=False, alignment=1, address=None, secret=()):
        self.name, self.data, self.writable = name, data, writable
        self.alignment, self.address, self.secret = alignment, address, secret


def call_with_buffers(machine: Machine, function: int | str, *arguments) -> int:
    """`Machine.call` with `Buffer`s among the arguments; returns a0.

    The same Buffer given twice is one mapping.  An empty one is a pointer to nothing: every
    access through it faults.
    """
    values, mapped, addresses = [], [], {}
    try:
        for slot, argument in enumerate(arguments):
            if not isinstance(argument, Buffer):
                values.append(argument)
                continue
            if argument not in addresses:
                address = argument.address
                if address is None:
                    address = buffer_address(slot, argument.alignment)
                addresses[argument] = address
                size = len(memoryview(argument.data).cast("B"))
                if size:
                    mapped.append(
                        machine.map(address, argument.data, argument.name, argument.writable)
                    )
                    for start, stop in argument.secret if machine.secrets else ():
                        machine.secrets.mark(address + start, stop - start)
            values.append(addresses[argument])
        return machine.call(function, *values)
    finally:
        for region in mapped:
            machine.unmap(region)
