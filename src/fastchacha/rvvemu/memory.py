"""Memory: regions of exact size, nothing between them.

A region is a buffer at an address.  Whatever is not wholly inside one region faults, so a
buffer handed to a kernel is guarded to the byte on both sides.
"""

from __future__ import annotations

from bisect import bisect_right
from struct import Struct

from .errors import MemoryFault, Misaligned

M64 = (1 << 64) - 1
ELEMENT_CODE = {1: "B", 2: "H", 4: "I", 8: "Q"}
_UNPACK = {size: Struct("<" + code).unpack_from for size, code in ELEMENT_CODE.items()}
_PACK = {size: Struct("<" + code).pack_into for size, code in ELEMENT_CODE.items()}
SLOT_BITS = 44  # regions are looked up by address >> SLOT_BITS where they are alone there


class Region:
    """`data` (a writable or read-only buffer of bytes) mapped at `base`."""

    __slots__ = ("base", "data", "end", "name", "writable")

    def __init__(self, base: int, data, name: str, writable: bool):
        self.data = memoryview(data).cast("B")
        if writable and self.data.readonly:
            raise ValueError(f"region {name}: a read-only buffer cannot be mapped writable")
        self.base, self.end, self.name, self.writable = base, base + len(self.data), name, writable


class Memory:
    """The regions, and checked access to them. Sizes are in bytes.

    `misaligned` allows scalar accesses whose address is no multiple of their size (the base
    ISA leaves that to the platform, I 2.6); vector elements are checked by `vmemory`.
    """

    def __init__(self, misaligned: bool = True):
        self.misaligned = misaligned
        self._regions: list[Region] = []
        self._bases: list[int] = []
        self._alone: dict[int, Region] = {}

    def _index(self) -> None:
        """Find the slots that belong to a single region: most do, and need no search."""
        slots: dict[int, Region | None] = {}
        for region in self._regions:
            first, last = region.base >> SLOT_BITS, max(region.end - 1, region.base) >> SLOT_BITS
            for slot in {first, last}:
                slots[slot] = None if slot in slots else region
        self._alone = {slot: region for slot, region in slots.items() if region is not None}

    def map(self, base: int, data, name: str, writable: bool) -> Region:
        """Map a buffer; `ValueError` if it overlaps another or wraps around."""
        region = Region(base, data, name, writable)
        at = bisect_right(self._bases, base)
        below = self._regions[at - 1] if at else None
        above = self._regions[at] if at < len(self._regions) else None
        if (below and below.end > base) or (above and region.end > above.base) or region.end > M64:
            raise ValueError(f"region {name} at {base:#x} overlaps another")
        self._regions.insert(at, region)
        self._bases.insert(at, base)
        self._index()
        return region

    def unmap(self, region: Region) -> None:
        """Forget a region; the buffer itself stays with its owner."""
        at = self._regions.index(region)
        del self._regions[at], self._bases[at]
        self._index()

    def regions(self) -> list[Region]:
        """All regions in order of address."""
        return list(self._regions)

    def find(self, address: int, size: int, write: bool) -> Region:
        """The region that holds all of [address, address + size); MemoryFault otherwise."""
        region = self._alone.get(address >> SLOT_BITS)
        if region is None or address < region.base or address + size > region.end:
            at = bisect_right(self._bases, address) - 1
            region = self._regions[at] if at >= 0 else None
            if region is None or address + size > region.end:
                raise MemoryFault(self._explain(address, size, write))
        if write and not region.writable:
            raise MemoryFault(f"write of {size} bytes at {address:#x}: {region.name} is read-only")
        return region

    def _explain(self, address: int, size: int, write: bool) -> str:
        verb = "write" if write else "read"
        text = f"{verb} of {size} bytes at {address:#x} is outside every buffer"
        near = min(
            self._regions,
            key=lambda r: max(r.base - address, address - r.end, 0),
            default=None,
        )
        if near is not None:
            if address < near.base:
                text += f"; {near.base - address} bytes before {near.name}"
            else:
                text += f"; at offset {address - near.base} of {near.name}"
            text += f" ({near.end - near.base} bytes at {near.base:#x})"
        return text

    def load(self, address: int, size: int) -> int:
        """Scalar load, little-endian, not extended."""
        address &= M64
        if address % size and not self.misaligned:
            raise Misaligned(f"load of {size} bytes at {address:#x}")
        region = self._alone.get(address >> SLOT_BITS)
        if region is None or address < region.base or address + size > region.end:
            region = self.find(address, size, False)
        return _UNPACK[size](region.data, address - region.base)[0]

    def store(self, address: int, size: int, value: int) -> None:
        """Scalar store of the low `size` bytes of `value`, little-endian."""
        address &= M64
        if address % size and not self.misaligned:
            raise Misaligned(f"store of {size} bytes at {address:#x}")
        region = self._alone.get(address >> SLOT_BITS)
        if (
            region is None
            or address < region.base
            or address + size > region.end
            or not region.writable
        ):
            region = self.find(address, size, True)
        _PACK[size](region.data, address - region.base, value & ((1 << 8 * size) - 1))

    def span(self, address: int, size: int, write: bool):
        """The `size` bytes from `address` as a memoryview, or None where they are not wholly
        inside one region that allows it: the caller then goes element by element to find the
        culprit."""
        region = self._alone.get(address >> SLOT_BITS)
        if region is None:
            at = bisect_right(self._bases, address) - 1
            region = self._regions[at] if at >= 0 else None
            if region is None:
                return None
        offset = address - region.base
        if offset < 0 or address + size > region.end or (write and not region.writable):
            return None
        return region.data[offset : offset + size]
