"""The algorithms as the standards word them, in Python integers, to check the package against.

Independent of the package and of `cryptography`; slow (about 5000 ChaCha blocks a second).
"""

import struct

P = 2**130 - 5
R_MASK = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


def _rounds(state, rounds):
    """The state after `rounds` rounds, without the final addition (RFC 8439, section 2.3)."""
    x = list(state)

    def quarter(a, b, c, d):
        for i, j, k, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[i] = (x[i] + x[j]) & 0xFFFFFFFF
            v = x[k] ^ x[i]
            x[k] = (v << n | v >> (32 - n)) & 0xFFFFFFFF

    for _ in range(rounds // 2):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return x


def _state(key, last16):
    return struct.unpack("<16I", b"expand 32-byte k" + key + last16)


def hchacha(key, nonce16, rounds=20):
    """draft-irtf-cfrg-xchacha-03, section 2.2: 32 bytes."""
    x = _rounds(_state(key, nonce16), rounds)
    return struct.pack("<8I", *x[:4], *x[12:])


def block(key, nonce, counter, rounds=20):
    """The 64 bytes of block `counter`; a nonce of 12 bytes (32-bit counter) or 8 (64-bit)."""
    assert len(nonce) in (8, 12)
    last16 = counter.to_bytes(16 - len(nonce), "little") + nonce
    state = _state(key, last16)
    x = _rounds(state, rounds)
    return struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in zip(x, state, strict=True)))


def keystream(key, nonce, offset, n, rounds=20):
    """n bytes from byte `offset`; nonces of 8, 12 or 24 bytes (the last: XChaCha)."""
    if len(nonce) == 24:
        key, nonce = hchacha(key, nonce[:16], rounds), nonce[16:]
    first, end = offset // 64, (offset + n + 63) // 64
    blocks = b"".join(block(key, nonce, i, rounds) for i in range(first, end))
    return blocks[offset % 64 :][:n]


def xor(a, b):
    n = len(a)
    return (int.from_bytes(a, "little") ^ int.from_bytes(b[:n], "little")).to_bytes(n, "little")


def poly1305(key, message):
    """RFC 8439, section 2.5."""
    r = int.from_bytes(key[:16], "little") & R_MASK
    s = int.from_bytes(key[16:], "little")
    h = 0
    for i in range(0, len(message), 16):
        piece = message[i : i + 16]
        h = (h + int.from_bytes(piece + b"\1", "little")) * r % P
    return ((h + s) % 2**128).to_bytes(16, "little")


def poly1305_zeros(key, n):
    """The tag of n zero bytes: every whole block is 2**128, so h is a sum of powers of r."""
    r = int.from_bytes(key[:16], "little") & R_MASK
    s = int.from_bytes(key[16:], "little")
    blocks, rest = divmod(n, 16)
    if r == 1:
        h = blocks * 2**128 % P
    else:
        # 2**128 (r + r**2 + ... + r**blocks)
        h = 2**128 * r * (pow(r, blocks, P) - 1) * pow(r - 1, -1, P) % P
    if rest:
        h = (h + 2 ** (8 * rest)) * r % P
    return ((h + s) % 2**128).to_bytes(16, "little")


def _pad16(data):
    return data + bytes(-len(data) % 16)


def aead_encrypt(key, nonce, data, aad=b""):
    """RFC 8439, section 2.8; with a 24-byte nonce draft-irtf-cfrg-xchacha-03, section 2."""
    if len(nonce) == 24:
        key, nonce = hchacha(key, nonce[:16]), bytes(4) + nonce[16:]
    one_time = keystream(key, nonce, 0, 32)
    ciphertext = xor(data, keystream(key, nonce, 64, len(data)))
    lengths = struct.pack("<QQ", len(aad), len(data))
    return ciphertext + poly1305(one_time, _pad16(aad) + _pad16(ciphertext) + lengths)
