"""The vector arithmetic instructions: one function each, on whole register groups.

A function is named after its mnemonic without the operand letters (`vadd` serves `vadd.vv`,
`vadd.vx`, `vadd.vi`); one whose scalar form works otherwise has a second function that ends
in `_x`.  `L` is a `Lanes` of SEW bits (of 1 bit for mask-register logic) and vl elements.
The other parameters are named after what they are given:

`vs2`, `vs1`, `vd`  body elements, packed; for .vx and .vi forms `vs1` is the scalar in all lanes
`group`             vs2 with all VLMAX elements, for instructions that read past vl
`scalar`            the scalar operand cut to SEW (or immediate)
`amount`, `index`   operands that steer: shift amount or offset (all 64 bits), gather indices
`v0`                mask bits of the body, all ones when the instruction is not masked
`tail`              what tail elements become: all ones, or vd if they are undisturbed
`sew_group`         the `Lanes` that belong to `group`
`fixed`             the fixed-point state: `fixed.vxrm` is read, `fixed.vxsat` set

What it returns is the body of vd: packed lanes, mask bits, one element or an rd value.
Masking, tail and overlap are the caller's work (vunit.py).
"""

from functools import partial
from itertools import accumulate
from operator import add, and_, mul, or_, sub, xor

from .encoding import signed
from .lanes import lanes
from .scalar import quotient, remainder

pairs = partial(zip, strict=True)


# fmt: off
# --- V 11.1: single-width integer add and subtract ---
def vadd(L, vs2, vs1): return L.add(vs2, vs1)
def vsub(L, vs2, vs1): return L.sub(vs2, vs1)
def vrsub(L, vs2, vs1): return L.sub(vs1, vs2)


# --- V 11.2: widening integer add and subtract ---
def vwaddu(L, vs2, vs1): return L.wide.pack_u(map(add, L.u(vs2), L.u(vs1)))
def vwadd(L, vs2, vs1): return L.wide.pack_s(map(add, L.s(vs2), L.s(vs1)))
def vwsubu(L, vs2, vs1): return L.wide.pack_s(map(sub, L.u(vs2), L.u(vs1)))
def vwsub(L, vs2, vs1): return L.wide.pack_s(map(sub, L.s(vs2), L.s(vs1)))
def vwaddu_w(L, vs2, vs1): return L.wide.add(vs2, L.wide.pack_u(L.u(vs1)))
def vwadd_w(L, vs2, vs1): return L.wide.add(vs2, L.wide.pack_s(L.s(vs1)))
def vwsubu_w(L, vs2, vs1): return L.wide.sub(vs2, L.wide.pack_u(L.u(vs1)))
def vwsub_w(L, vs2, vs1): return L.wide.sub(vs2, L.wide.pack_s(L.s(vs1)))


# --- V 11.3: integer extension ---
def vzext_vf2(L, vs2): return L.pack_u(lanes(L.sew // 2, L.n).u(vs2))
def vzext_vf4(L, vs2): return L.pack_u(lanes(L.sew // 4, L.n).u(vs2))
def vzext_vf8(L, vs2): return L.pack_u(lanes(L.sew // 8, L.n).u(vs2))
def vsext_vf2(L, vs2): return L.pack_s(lanes(L.sew // 2, L.n).s(vs2))
def vsext_vf4(L, vs2): return L.pack_s(lanes(L.sew // 4, L.n).s(vs2))
def vsext_vf8(L, vs2): return L.pack_s(lanes(L.sew // 8, L.n).s(vs2))


# --- V 11.4: add-with-carry and subtract-with-borrow ---
def _carries(L, v0): return L.spread(v0) & L.unit
def vadc(L, vs2, vs1, v0): return L.add(L.add(vs2, vs1), _carries(L, v0))
def vsbc(L, vs2, vs1, v0): return L.sub(L.sub(vs2, vs1), _carries(L, v0))
def vmadc_v(L, vs2, vs1): return L.less_unsigned(L.add(vs2, vs1), vs2)
def vmsbc_v(L, vs2, vs1): return L.less_unsigned(vs2, vs1)
def vmadc(L, vs2, vs1, v0):
    total = L.add(vs2, vs1)
    return L.less_unsigned(total, vs2) | L.less_unsigned(L.add(total, _carries(L, v0)), total)
def vmsbc(L, vs2, vs1, v0):
    return L.less_unsigned(vs2, vs1) | L.less_unsigned(L.sub(vs2, vs1), _carries(L, v0))


# --- V 11.5: bitwise logical ---
def vand(L, vs2, vs1): return vs2 & vs1
def vor(L, vs2, vs1): return vs2 | vs1
def vxor(L, vs2, vs1): return vs2 ^ vs1


# --- V 11.6: single-width shifts; the amount is taken modulo SEW ---
def vsll(L, vs2, vs1): return L.pack(a << (s % L.sew) for a, s in pairs(L.u(vs2), L.u(vs1)))
def vsrl(L, vs2, vs1): return L.pack(a >> (s % L.sew) for a, s in pairs(L.u(vs2), L.u(vs1)))
def vsra(L, vs2, vs1): return L.pack(a >> (s % L.sew) for a, s in pairs(L.s(vs2), L.u(vs1)))
def vsll_x(L, vs2, scalar): return L.shl(vs2, scalar % L.sew)
def vsrl_x(L, vs2, scalar): return L.shr(vs2, scalar % L.sew)
def vsra_x(L, vs2, scalar): return L.sar(vs2, scalar % L.sew)


# --- V 11.7: narrowing right shifts; the amount is taken modulo 2*SEW ---
def vnsrl(L, vs2, vs1):
    return L.pack(a >> (s % (2 * L.sew)) for a, s in pairs(L.wide.u(vs2), L.u(vs1)))
def vnsra(L, vs2, vs1):
    return L.pack(a >> (s % (2 * L.sew)) for a, s in pairs(L.wide.s(vs2), L.u(vs1)))
def vnsrl_x(L, vs2, scalar): return L.narrow(L.wide.shr(vs2, scalar % (2 * L.sew)))


# --- V 11.8: integer compare ---
def vmseq(L, vs2, vs1): return L.nonzero(vs2 ^ vs1) ^ ((1 << L.n) - 1)
def vmsne(L, vs2, vs1): return L.nonzero(vs2 ^ vs1)
def vmsltu(L, vs2, vs1): return L.less_unsigned(vs2, vs1)
def vmslt(L, vs2, vs1): return L.less_signed(vs2, vs1)
def vmsleu(L, vs2, vs1): return L.less_unsigned(vs1, vs2) ^ ((1 << L.n) - 1)
def vmsle(L, vs2, vs1): return L.less_signed(vs1, vs2) ^ ((1 << L.n) - 1)
def vmsgtu(L, vs2, vs1): return L.less_unsigned(vs1, vs2)
def vmsgt(L, vs2, vs1): return L.less_signed(vs1, vs2)


# --- V 11.9: minimum and maximum ---
def vminu(L, vs2, vs1): return L.pack_u(map(min, L.u(vs2), L.u(vs1)))
def vmin(L, vs2, vs1): return L.pack_s(map(min, L.s(vs2), L.s(vs1)))
def vmaxu(L, vs2, vs1): return L.pack_u(map(max, L.u(vs2), L.u(vs1)))
def vmax(L, vs2, vs1): return L.pack_s(map(max, L.s(vs2), L.s(vs1)))


# --- V 11.10: single-width multiply ---
def vmul(L, vs2, vs1): return L.pack(map(mul, L.u(vs2), L.u(vs1)))
def vmul_x(L, vs2, scalar): return L.times(vs2, scalar)
def vmulh(L, vs2, vs1): return L.pack_s(a * b >> L.sew for a, b in pairs(L.s(vs2), L.s(vs1)))
def vmulhu(L, vs2, vs1): return L.pack_u(a * b >> L.sew for a, b in pairs(L.u(vs2), L.u(vs1)))
def vmulhsu(L, vs2, vs1): return L.pack_s(a * b >> L.sew for a, b in pairs(L.s(vs2), L.u(vs1)))


# --- V 11.11: integer divide; by zero as in M 12.2 ---
def vdivu(L, vs2, vs1): return L.pack(map(quotient, L.u(vs2), L.u(vs1)))
def vdiv(L, vs2, vs1): return L.pack(map(quotient, L.s(vs2), L.s(vs1)))
def vremu(L, vs2, vs1): return L.pack(map(remainder, L.u(vs2), L.u(vs1)))
def vrem(L, vs2, vs1): return L.pack(map(remainder, L.s(vs2), L.s(vs1)))


# --- V 11.12: widening multiply ---
def vwmulu(L, vs2, vs1): return L.wide.pack_u(map(mul, L.u(vs2), L.u(vs1)))
def vwmulu_x(L, vs2, scalar): return L.wide.pack_u(L.u(vs2)) * scalar
def vwmul(L, vs2, vs1): return L.wide.pack_s(map(mul, L.s(vs2), L.s(vs1)))
def vwmulsu(L, vs2, vs1): return L.wide.pack_s(map(mul, L.s(vs2), L.u(vs1)))


# --- V 11.13: single-width multiply-add ---
def vmacc_x(L, scalar, vs2, vd): return L.add(vd, L.times(vs2, scalar))
def vmacc(L, vs1, vs2, vd): return L.add(vd, vmul(L, vs2, vs1))
def vnmsac(L, vs1, vs2, vd): return L.sub(vd, vmul(L, vs2, vs1))
def vmadd(L, vs1, vs2, vd): return L.add(vs2, vmul(L, vd, vs1))
def vnmsub(L, vs1, vs2, vd): return L.sub(vs2, vmul(L, vd, vs1))


# --- V 11.14: widening multiply-add ---
def vwmaccu_x(L, scalar, vs2, vd): return L.wide.add(vd, vwmulu_x(L, vs2, scalar))
def vwmaccu(L, vs1, vs2, vd): return L.wide.add(vd, vwmulu(L, vs2, vs1))
def vwmacc(L, vs1, vs2, vd): return L.wide.add(vd, vwmul(L, vs2, vs1))
def vwmaccsu(L, vs1, vs2, vd): return L.wide.add(vd, vwmulsu(L, vs1, vs2))
def vwmaccus(L, vs1, vs2, vd): return L.wide.add(vd, vwmulsu(L, vs2, vs1))


# --- V 11.15, 11.16: merge and move ---
def vmv_v(L, vs1): return vs1
def vmerge(L, vs2, vs1, v0):
    chosen = L.spread(v0)
    return vs1 & chosen | vs2 & ~chosen


# --- V 12: fixed point (rounding: V 3.8; saturation: V 3.9) ---
def _saturate(L, values, signed_range, v0, fixed):
    least, most = (-1 << L.sew - 1, L.max >> 1) if signed_range else (0, L.max)
    result = []
    for i, value in enumerate(values):
        clipped = min(max(value, least), most)
        if clipped != value and v0 >> i & 1:
            fixed.vxsat = 1
        result.append(clipped)
    return L.pack(result)


def _round(value, shift, mode):
    """value / 2**shift, rounded up to nearest, to nearest even, down, or to odd (V 3.8)."""
    if shift == 0:
        return value
    half, rest = value >> shift - 1 & 1, value & (1 << shift - 1) - 1
    odd = value >> shift & 1
    up = (half, half & (rest != 0 or odd), 0, not odd and (half or rest != 0))[mode]
    return (value >> shift) + up


def vsaddu(L, vs2, vs1, v0, fixed):
    return _saturate(L, map(add, L.u(vs2), L.u(vs1)), False, v0, fixed)
def vsadd(L, vs2, vs1, v0, fixed):
    return _saturate(L, map(add, L.s(vs2), L.s(vs1)), True, v0, fixed)
def vssubu(L, vs2, vs1, v0, fixed):
    return _saturate(L, map(sub, L.u(vs2), L.u(vs1)), False, v0, fixed)
def vssub(L, vs2, vs1, v0, fixed):
    return _saturate(L, map(sub, L.s(vs2), L.s(vs1)), True, v0, fixed)
def vaaddu(L, vs2, vs1, fixed):
    return L.pack(_round(a + b, 1, fixed.vxrm) for a, b in pairs(L.u(vs2), L.u(vs1)))
def vaadd(L, vs2, vs1, fixed):
    return L.pack(_round(a + b, 1, fixed.vxrm) for a, b in pairs(L.s(vs2), L.s(vs1)))
def vasubu(L, vs2, vs1, fixed):
    return L.pack(_round(a - b, 1, fixed.vxrm) for a, b in pairs(L.u(vs2), L.u(vs1)))
def vasub(L, vs2, vs1, fixed):
    return L.pack(_round(a - b, 1, fixed.vxrm) for a, b in pairs(L.s(vs2), L.s(vs1)))
def vsmul(L, vs2, vs1, v0, fixed):
    products = (_round(a * b, L.sew - 1, fixed.vxrm) for a, b in pairs(L.s(vs2), L.s(vs1)))
    return _saturate(L, products, True, v0, fixed)
def vssrl(L, vs2, vs1, fixed):
    return L.pack(_round(a, s % L.sew, fixed.vxrm) for a, s in pairs(L.u(vs2), L.u(vs1)))
def vssra(L, vs2, vs1, fixed):
    return L.pack(_round(a, s % L.sew, fixed.vxrm) for a, s in pairs(L.s(vs2), L.u(vs1)))
def vnclipu(L, vs2, vs1, v0, fixed):
    scaled = (_round(a, s % (2 * L.sew), fixed.vxrm) for a, s in pairs(L.wide.u(vs2), L.u(vs1)))
    return _saturate(L, scaled, False, v0, fixed)
def vnclip(L, vs2, vs1, v0, fixed):
    scaled = (_round(a, s % (2 * L.sew), fixed.vxrm) for a, s in pairs(L.wide.s(vs2), L.u(vs1)))
    return _saturate(L, scaled, True, v0, fixed)


# --- V 14: reductions: vd[0] = vs1[0] op all active elements of vs2 ---
def _fold(function, values, v0, start):
    for i, value in enumerate(values):
        if v0 >> i & 1:
            start = function(start, value)
    return start


def vredsum(L, vs2, vs1, v0): return _fold(add, L.u(vs2), v0, vs1) & L.max
def vredand(L, vs2, vs1, v0): return _fold(and_, L.u(vs2), v0, vs1)
def vredor(L, vs2, vs1, v0): return _fold(or_, L.u(vs2), v0, vs1)
def vredxor(L, vs2, vs1, v0): return _fold(xor, L.u(vs2), v0, vs1)
def vredminu(L, vs2, vs1, v0): return _fold(min, L.u(vs2), v0, vs1)
def vredmin(L, vs2, vs1, v0): return _fold(min, L.s(vs2), v0, signed(vs1, L.sew)) & L.max
def vredmaxu(L, vs2, vs1, v0): return _fold(max, L.u(vs2), v0, vs1)
def vredmax(L, vs2, vs1, v0): return _fold(max, L.s(vs2), v0, signed(vs1, L.sew)) & L.max
def vwredsumu(L, vs2, vs1, v0): return _fold(add, L.u(vs2), v0, vs1) & L.wide.max
def vwredsum(L, vs2, vs1, v0): return _fold(add, L.s(vs2), v0, vs1) & L.wide.max


# --- V 15: mask registers ---
def vmandn(L, vs2, vs1): return vs2 & ~vs1
def vmand(L, vs2, vs1): return vs2 & vs1
def vmor(L, vs2, vs1): return vs2 | vs1
def vmxor(L, vs2, vs1): return vs2 ^ vs1
def vmorn(L, vs2, vs1): return vs2 | L.ones ^ vs1
def vmnand(L, vs2, vs1): return L.ones ^ (vs2 & vs1)
def vmnor(L, vs2, vs1): return L.ones ^ (vs2 | vs1)
def vmxnor(L, vs2, vs1): return L.ones ^ vs2 ^ vs1
def vcpop_m(L, vs2, v0): return (vs2 & v0).bit_count()
def vfirst_m(L, vs2, v0): return ((vs2 & v0) & -(vs2 & v0)).bit_length() - 1
def vmsbf(L, vs2, v0): return (((vs2 & v0) & -(vs2 & v0)) - 1) & L.ones
def vmsif(L, vs2, v0): return ((vs2 & v0) ^ ((vs2 & v0) - 1)) & L.ones
def vmsof(L, vs2, v0): return (vs2 & v0) & -(vs2 & v0)
def vid(L): return L.pack(range(L.n))
def viota(L, vs2, v0):
    counts = accumulate(((vs2 & v0) >> i & 1 for i in range(L.n)), initial=0)
    return L.pack(list(counts)[: L.n])


# --- V 16.1: integer scalar moves ---
def vmv_x_s(L, vs2): return signed(vs2, L.sew)
def vmv_s_x(L, scalar): return scalar


# --- V 16.3: slides ---
def vslideup(L, vs2, amount, vd):
    shift = min(amount, L.n) * L.sew
    return (vs2 << shift & L.ones) | vd & ((1 << shift) - 1)
def vslidedown(L, group, amount): return group >> min(amount * L.sew, group.bit_length()) & L.ones
def vslide1up(L, vs2, scalar): return (vs2 << L.sew & L.ones) | scalar
def vslide1down(L, vs2, scalar): return vs2 >> L.sew | scalar << (L.bits - L.sew)


# --- V 16.4, 16.5: register gather and compress ---
def _gather(L, sew_group, group, indices):
    table = sew_group.u(group)
    return L.pack_u([table[i] if i < sew_group.n else 0 for i in indices])


def vrgather(L, sew_group, group, index): return _gather(L, sew_group, group, L.u(index))
def vrgatherei16(L, sew_group, group, index):
    return _gather(L, sew_group, group, lanes(16, L.n).u(index))
def vrgather_x(L, sew_group, group, amount):
    return (group >> amount * L.sew & L.max) * L.unit if amount < sew_group.n else 0
def vcompress(L, vs2, vs1, tail):
    kept = [value for i, value in enumerate(L.u(vs2)) if vs1 >> i & 1]
    return L.pack(kept + list(L.u(tail))[len(kept) :])


# --- Zvkb and Zvbb ---
_REVERSED = bytes(int(f"{b:08b}"[::-1], 2) for b in range(256))


def vandn(L, vs2, vs1): return vs2 & (vs1 ^ L.ones)
def vror(L, vs2, vs1):
    return L.pack((a << L.sew | a) >> s % L.sew for a, s in pairs(L.u(vs2), L.u(vs1)))
def vrol(L, vs2, vs1):
    return L.pack((a << L.sew | a) >> -s % L.sew for a, s in pairs(L.u(vs2), L.u(vs1)))
def vror_x(L, vs2, scalar): return L.rotr(vs2, scalar % L.sew)
def vrol_x(L, vs2, scalar): return L.rotr(vs2, -scalar % L.sew)
def vbrev8(L, vs2):
    return int.from_bytes(vs2.to_bytes(L.bits // 8, "little").translate(_REVERSED), "little")
def vrev8(L, vs2):
    return L.pack(int.from_bytes(a.to_bytes(L.sew // 8, "little"), "big") for a in L.u(vs2))
def vbrev(L, vs2): return vrev8(L, vbrev8(L, vs2))
def vclz(L, vs2): return L.pack(L.sew - a.bit_length() for a in L.u(vs2))
def vctz(L, vs2): return L.pack((a & -a).bit_length() - 1 if a else L.sew for a in L.u(vs2))
def vcpop(L, vs2): return L.pack(a.bit_count() for a in L.u(vs2))
def vwsll(L, vs2, vs1):
    return L.wide.pack(a << s % (2 * L.sew) for a, s in pairs(L.u(vs2), L.u(vs1)))
# fmt: on
