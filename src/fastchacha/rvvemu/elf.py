"""A small loader for RV64 ELF files: relocatable objects, shared objects and executables.

It understands what the kernels need: sections with code and data, symbols, and the relocations
of position-independent code without a linker (ELF psABI for RISC-V, chapter 8).  Anything
else is an `ElfError`, never a guess.
"""

from __future__ import annotations

from struct import Struct, error, unpack_from

from .errors import ElfError

_HEADER = Struct("<16sHHIQQQIHHHHHH")
_SECTION = Struct("<IIQQQQIIQQ")
_SYMBOL = Struct("<IBBHQQ")
_RELA = Struct("<QQq")
_PROGRAM = Struct("<IIQQQQQQ")

ET_REL, ET_EXEC, ET_DYN = 1, 2, 3
EM_RISCV = 243
SHT_PROGBITS, SHT_SYMTAB, SHT_RELA, SHT_NOBITS, SHT_DYNSYM = 1, 2, 4, 8, 11
SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR = 1, 2, 4
STT_SECTION, STT_FILE = 3, 4
#: R_RISCV_ADD8 ... ADD64, SUB8 ... SUB64: (bytes, sign)
_SUMS = {
    33: (1, 1), 34: (2, 1), 35: (4, 1), 36: (8, 1),
    37: (1, -1), 38: (2, -1), 39: (4, -1), 40: (8, -1),
}  # fmt: skip


class Segment:
    """Bytes to be mapped at `address`."""

    def __init__(self, name: str, address: int, data: bytearray, writable: bool, executable: bool):
        self.name, self.address, self.data = name, address, data
        self.writable, self.executable = writable, executable


class Elf:
    """A loaded file: `segments`, and `symbols` (name to address)."""

    def __init__(self, image: bytes, base: int = 0x10000):
        self.segments: list[Segment] = []
        self.symbols: dict[str, int] = {}
        try:
            self._load(bytes(image), base)
        except (error, IndexError, ValueError) as exc:
            raise ElfError(f"damaged ELF file: {exc}") from exc

    def _load(self, image: bytes, base: int) -> None:
        if image[:4] != b"\x7fELF":
            raise ElfError("not an ELF file")
        ident, kind, machine, _, _, program_at, section_at, *rest = _HEADER.unpack_from(image)
        _, _, _, programs, _, sections, names = rest
        if ident[4] != 2 or ident[5] != 1 or machine != EM_RISCV:
            raise ElfError("not a little-endian RV64 ELF file")
        if kind not in (ET_REL, ET_EXEC, ET_DYN):
            raise ElfError(f"ELF type {kind} cannot be loaded")
        self._image = image
        headers = [_SECTION.unpack_from(image, section_at + 64 * i) for i in range(sections)]
        strings = headers[names] if sections else None
        address_of: dict[int, int] = {}
        if kind == ET_REL:
            self._place_sections(headers, strings, base, address_of)
        else:
            self._place_programs(program_at, programs, base if kind == ET_DYN else 0)
        shift = base if kind == ET_DYN else 0
        tables = {}
        for i, header in enumerate(headers):
            if header[1] in (SHT_SYMTAB, SHT_DYNSYM):
                tables[i] = self._read_symbols(header, headers[header[6]], kind, shift, address_of)
        for header in headers:
            if header[1] == SHT_RELA and (kind != ET_REL or header[7] in address_of):
                if kind == ET_REL:
                    self._relocate(header, tables[header[6]], address_of[header[7]])
                elif header[5] and header[2] & SHF_ALLOC:
                    raise ElfError("dynamic relocations: link statically or load the object")

    def _text(self, table, offset: int) -> str:
        start = table[4] + offset
        return self._image[start : self._image.index(b"\0", start)].decode()

    def _place_sections(self, headers, strings, base, address_of) -> None:
        address = base
        for i, (name, kind, flags, _, offset, size, _, _, align, _) in enumerate(headers):
            # unwind tables are of no use here and full of relocations
            if not flags & SHF_ALLOC or not size or self._text(strings, name) == ".eh_frame":
                continue
            address += -address % max(align, 16)
            data = bytearray(self._image[offset : offset + size] if kind != SHT_NOBITS else size)
            if len(data) != size:
                raise ElfError("section outside the file")
            address_of[i] = address
            self.segments.append(
                Segment(
                    self._text(strings, name), address, data,
                    bool(flags & SHF_WRITE), bool(flags & SHF_EXECINSTR),
                )
            )  # fmt: skip
            address += size + 4096  # nothing adjoins

    def _place_programs(self, at, count, shift) -> None:
        for i in range(count):
            kind, flags, offset, address, _, file_size, size, _ = _PROGRAM.unpack_from(
                self._image, at + 56 * i
            )
            if kind == 1 and size:  # PT_LOAD
                data = bytearray(self._image[offset : offset + file_size])
                data += bytes(size - len(data))
                self.segments.append(
                    Segment(f"segment {i}", address + shift, data, bool(flags & 2), bool(flags & 1))
                )

    def _read_symbols(self, header, strings, kind, shift, address_of):
        """(name, address or None) of each symbol; the named ones go to `symbols`."""
        values: list[tuple[str, int | None]] = []
        for at in range(header[4], header[4] + header[5], 24):
            name, info, _, section, value, _ = _SYMBOL.unpack_from(self._image, at)
            if kind == ET_REL and section < 0xFF00:
                place = address_of.get(section)
                address = None if place is None else place + value
            else:
                address = value + (shift if section != 0xFFF1 else 0) if section else None
            text = self._text(strings, name) if name else ""
            values.append((text, address))
            own_mark = info & 15 in (STT_SECTION, STT_FILE) or text.startswith((".L", "$"))
            if address is not None and text and not own_mark:
                self.symbols[text] = address
        return values

    def _relocate(self, header, symbols, place) -> None:
        segment = next(s for s in self.segments if s.address == place)
        high_parts: dict[int, int] = {}
        later = []
        for at in range(header[4], header[4] + header[5], 24):
            offset, info, addend = _RELA.unpack_from(self._image, at)
            kind, (name, symbol) = info & 0xFFFFFFFF, symbols[info >> 32]
            if kind in (43, 51):  # ALIGN, RELAX: offers to a linker; unlinked code is right
                continue
            if symbol is None:
                raise ElfError(f"{name!r} is not defined in the object")
            value = symbol + addend
            if kind in (24, 25):  # PCREL_LO12_I, _S: value of the AUIPC that `symbol` labels
                later.append((offset, kind, symbol))
                continue
            distance = value - (place + offset)
            if kind == 23:  # PCREL_HI20
                high_parts[place + offset] = distance
            self._apply(segment.data, offset, kind, value, distance)
        for offset, kind, label in later:
            if label not in high_parts:
                raise ElfError(f"relocation at {place + offset:#x}: no AUIPC at {label:#x}")
            self._apply(segment.data, offset, kind, 0, high_parts[label])

    @staticmethod
    def _apply(data, offset, kind, value, distance) -> None:
        def patch(keep, bits):
            (word,) = unpack_from("<I", data, offset)
            data[offset : offset + 4] = (word & keep | bits).to_bytes(4, "little")

        if kind == 1:  # R_RISCV_32
            data[offset : offset + 4] = (value & 0xFFFFFFFF).to_bytes(4, "little")
        elif kind == 2:  # R_RISCV_64
            data[offset : offset + 8] = (value & (1 << 64) - 1).to_bytes(8, "little")
        elif kind in _SUMS:  # differences of labels: jump tables
            size, sign = _SUMS[kind]
            total = int.from_bytes(data[offset : offset + size], "little") + sign * value
            data[offset : offset + size] = (total % (1 << 8 * size)).to_bytes(size, "little")
        elif kind == 16 and -4096 <= distance < 4096:  # R_RISCV_BRANCH
            d = distance
            low = (d >> 1 & 15) << 8 | (d >> 11 & 1) << 7
            patch(0x01FFF07F, (d >> 12 & 1) << 31 | (d >> 5 & 63) << 25 | low)
        elif kind == 17 and -(1 << 20) <= distance < 1 << 20:  # R_RISCV_JAL
            d = distance
            low = (d >> 11 & 1) << 20 | (d >> 12 & 255) << 12
            patch(0xFFF, (d >> 20 & 1) << 31 | (d >> 1 & 1023) << 21 | low)
        elif kind in (18, 19):  # R_RISCV_CALL, CALL_PLT: AUIPC and JALR
            patch(0xFFF, (distance + 0x800) & 0xFFFFF000)
            (second,) = unpack_from("<I", data, offset + 4)
            second = second & 0xFFFFF | (distance & 0xFFF) << 20
            data[offset + 4 : offset + 8] = second.to_bytes(4, "little")
        elif kind in (23, 26):  # R_RISCV_PCREL_HI20, HI20
            part = distance if kind == 23 else value
            patch(0xFFF, (part + 0x800) & 0xFFFFF000)
        elif kind in (24, 27):  # R_RISCV_PCREL_LO12_I, LO12_I
            part = distance if kind == 24 else value
            patch(0xFFFFF, (part & 0xFFF) << 20)
        elif kind in (25, 28):  # R_RISCV_PCREL_LO12_S, LO12_S
            part = distance if kind == 25 else value
            patch(0x01FFF07F, (part >> 5 & 127) << 25 | (part & 31) << 7)
        else:
            raise ElfError(f"relocation type {kind} at offset {offset:#x} (or its distance)")
