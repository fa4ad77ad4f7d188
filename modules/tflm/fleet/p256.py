# tflm.fleet: Verify ECDSA signatures on the curve P-256 with SHA-256 (FIPS 186-5).
# MIT license; Copyright (c) 2026 the tflm authors

from hashlib import sha256

# The field, the order of the group, B of y^2 = x^3 - 3x + B, and the generator (SEC 2, 2.4.2).
_P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
_N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
_G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
_BYTES = 32
_ZERO = (0, 1, 0)  # the group's zero as X/Z^2, Y/Z^3


def _inverse(value, modulus):
    low, high, x, y = value, modulus, 1, 0
    while low > 1:
        times = high // low
        low, high, x, y = high - times * low, low, y - times * x, x
    return x % modulus


def _doubled(point):
    x, y, z = point
    zz = z * z % _P
    yy = y * y % _P
    xyy = 4 * x * yy % _P
    slope = 3 * (x - zz) * (x + zz) % _P
    x3 = (slope * slope - 2 * xyy) % _P
    return x3, (slope * (xyy - x3) - 8 * yy * yy) % _P, 2 * y * z % _P


# Return the sum of a point and another one as (x, y), or None for zero.
def _sum(point, other):
    if other is None:
        return point
    x, y, z = point
    if not z:
        return other + (1,)
    zz = z * z % _P
    h = (other[0] * zz - x) % _P
    r = (other[1] * zz % _P * z - y) % _P
    if not h:
        return _ZERO if r else _doubled(point)
    hh = h * h % _P
    hhh = hh * h % _P
    v = x * hh % _P
    x3 = (r * r - hhh - 2 * v) % _P
    return x3, (r * (v - x3) - y * hhh) % _P, z * h % _P


# Return a point as (x, y), or None for zero.
def _affine(point):
    x, y, z = point
    if not z:
        return None
    inverse = _inverse(z, _P)
    square = inverse * inverse % _P
    return x * square % _P, y * square * inverse % _P


# Return the point of a public key; None for bytes that are no point of the curve. The cofactor is
# 1, so no point has a small order.
def _point(key):
    if len(key) != 2 * _BYTES:
        return None
    x = int.from_bytes(key[:_BYTES], "big")
    y = int.from_bytes(key[_BYTES:], "big")
    is_on_curve = x < _P and y < _P and (y * y - x * x * x + 3 * x - _B) % _P == 0
    return (x, y) if is_on_curve else None


def is_key(key):
    """Return True if bytes are a public key: x and y of a point of the curve."""
    return _point(key) is not None


def is_signed(message, signature, key):
    """Return True if a signature over a message is by the owner of a public key.

    message: bytes. signature: 64 bytes, r and s. key: 64 bytes, x and y. Of the two valid s of a
    signature only the smaller one is accepted, so nobody can derive another valid signature.
    """
    point = _point(key)
    if point is None or len(signature) != 2 * _BYTES:
        return False
    r = int.from_bytes(signature[:_BYTES], "big")
    s = int.from_bytes(signature[_BYTES:], "big")
    if not (0 < r < _N and 0 < s <= _N >> 1):
        return False
    inverse = _inverse(s, _N)
    times_g = int.from_bytes(sha256(message).digest(), "big") * inverse % _N
    times_key = r * inverse % _N
    # Compute both products together, bit by bit from the top, to share the doublings.
    added = (None, _G, point, _affine(_sum(_G + (1,), point)))
    found = _ZERO
    for i in range(8 * _BYTES - 1, -1, -1):
        found = _sum(_doubled(found), added[(times_g >> i & 1) | (times_key >> i & 1) << 1])
    x, _, z = found
    if not z:
        return False
    zz = z * z % _P
    return r * zz % _P == x or (r + _N < _P and (r + _N) * zz % _P == x)
