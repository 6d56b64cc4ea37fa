"""Many lanes in one Python integer.

A vector value is an integer whose bits `i*sew` to `i*sew + sew - 1` are element i.  Additions,
shifts, rotates and comparisons work on all lanes at once by masking what would cross a lane
border; the rest unpacks to lists.
"""

from functools import lru_cache
from struct import Struct

_BIT_DIGITS = bytes.maketrans(b"\x00\x80", b"01")


class Lanes:
    """`n` lanes of `sew` bits (1, 8, 16, 32 or 64)."""

    def __init__(self, sew: int, n: int):
        self.sew, self.n, self.bits = sew, n, sew * n
        self.max = (1 << sew) - 1  #: one lane of ones
        self.ones = (1 << self.bits) - 1  #: every bit of every lane
        self.unit = self.ones // self.max  #: 1 in every lane
        self.high = self.unit << (sew - 1)  #: the top bit of every lane
        self.low = self.ones ^ self.high  #: all but the top bits
        pairs = self.ones | self.ones << sew if n % 2 else self.ones
        self.even = pairs // ((1 << 2 * sew) - 1) * self.max  #: every second lane from lane 0
        if sew > 1:
            code = {8: "b", 16: "h", 32: "i", 64: "q"}[sew]
            self._code = code.upper()
            self._signed = Struct(f"<{n}{code}")
            self._unsigned = Struct(f"<{n}{self._code}")
        self._kept: dict[int, int] = {}

    @property
    def wide(self):
        """As many lanes of twice the width."""
        return lanes(2 * self.sew, self.n)

    # --- lists ---
    def u(self, a):
        """The lanes as a tuple of unsigned integers."""
        return self._unsigned.unpack(a.to_bytes(self.bits // 8, "little"))

    def s(self, a):
        """The lanes as a tuple of signed integers."""
        return self._signed.unpack(a.to_bytes(self.bits // 8, "little"))

    def pack(self, values):
        """Lanes from `n` integers, each cut to `sew` bits."""
        cut = self.max
        return int.from_bytes(self._unsigned.pack(*[v & cut for v in values]), "little")

    def pack_u(self, values):
        """Lanes from `n` integers that fit unsigned (quicker than pack)."""
        return int.from_bytes(self._unsigned.pack(*values), "little")

    def pack_s(self, values):
        """Lanes from `n` integers that fit signed (quicker than pack)."""
        return int.from_bytes(self._signed.pack(*values), "little")

    def narrow(self, a):
        """The low half of each of `n` lanes of twice the width."""
        halves = memoryview(a.to_bytes(self.bits // 4, "little")).cast(self._code)
        return int.from_bytes(halves[::2].tobytes(), "little")

    # --- all lanes at once ---
    def add(self, a, b):
        low = self.low
        return ((a & low) + (b & low)) ^ ((a ^ b) & self.high)

    def sub(self, a, b):
        high = self.high
        return ((a | high) - (b & self.low)) ^ ((a ^ b ^ self.ones) & high)

    def keep(self, shift):
        """Mask of the bits that a right shift of each lane by `shift` leaves."""
        mask = self._kept.get(shift)
        if mask is None:
            mask = self._kept[shift] = self.unit * (self.max >> shift)
        return mask

    def times(self, a, scalar):
        """Each lane times one factor of `sew` bits, cut to `sew` bits: even and odd lanes
        apart, so that a product has room for its upper half."""
        even = self.even
        low = (a & even) * scalar & even
        return low | ((a >> self.sew & even) * scalar & even) << self.sew & self.ones

    def shl(self, a, shift):
        return (a & self.keep(shift)) << shift

    def shr(self, a, shift):
        return a >> shift & self.keep(shift)

    def sar(self, a, shift):
        sign = self.high >> shift
        return self.sub(self.shr(a, shift) ^ sign, sign)

    def rotr(self, a, shift):
        if not shift:
            return a
        keep = self.keep(shift)
        return (a >> shift & keep) | ((a << (self.sew - shift)) & (self.ones ^ keep))

    def less_unsigned(self, a, b):
        """Mask (one bit a lane) of a < b."""
        not_a = a ^ self.ones
        return self.flags((not_a & b | (not_a ^ b) & self.sub(a, b)) & self.high)

    def less_signed(self, a, b):
        return self.less_unsigned(a ^ self.high, b ^ self.high)

    def nonzero(self, a):
        """Mask (one bit a lane) of a != 0."""
        if self.sew == 1:
            return a
        return self.flags((((a & self.low) + self.low) | a) & self.high)

    def flags(self, tops):
        """Mask made of the top bit of each lane; all other bits must be 0."""
        if self.sew == 1:
            return tops
        size = self.sew // 8
        top_bytes = tops.to_bytes(self.bits // 8, "little")[size - 1 :: size]
        return int(top_bytes[::-1].translate(_BIT_DIGITS), 2)

    def spread(self, mask):
        """All ones in every lane whose mask bit is set; the mask may have more bits."""
        if self.sew == 1:
            return mask & self.ones
        digits = f"{mask & ((1 << self.n) - 1):0{self.n}b}"
        size = self.sew // 4
        return int(digits.replace("0", "0" * size).replace("1", "f" * size), 16)


@lru_cache(maxsize=256)
def lanes(sew: int, n: int) -> Lanes:
    """The shared `Lanes` object for a width and number of lanes."""
    return Lanes(sew, n)
