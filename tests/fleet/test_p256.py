# Tests of tflm.fleet.p256: valid and forged signatures, against RFC 6979 and cryptography
# MIT license; Copyright (c) 2026 the tflm authors

import hashlib
import json

import numpy as np
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from tflm.fleet import p256
from unit.on_device import device

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
_SHA256 = ec.ECDSA(hashes.SHA256())
_SAME_EACH_TIME = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)


def pair(x, y):
    return x.to_bytes(32, "big") + y.to_bytes(32, "big")


# Return the public key of a private number.
def public(number):
    numbers = ec.derive_private_key(number, ec.SECP256R1()).public_key().public_numbers()
    return numbers.x, numbers.y


# Return r and s of a signature, with the smaller s.
def signed(number, message):
    key = ec.derive_private_key(number, ec.SECP256R1())
    r, s = utils.decode_dss_signature(key.sign(message, _SAME_EACH_TIME))
    return r, min(s, N - s)


# Return what cryptography says of a signature; it refuses points that are not on the curve.
def oracle(message, r, s, x, y):
    try:
        key = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        key.verify(utils.encode_dss_signature(r, s), message, _SHA256)
    except (InvalidSignature, ValueError):
        return False
    return True


def root(square):
    y = pow(square, (P + 1) // 4, P)
    return y if y * y % P == square % P else None


def on_curve(x):
    return root(x**3 - 3 * x + B)


# Return the sum of two points, (x, y) or None, computed in the simplest way.
def point_sum(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and (a[1] + b[1]) % P == 0:
        return None
    if a == b:
        slope = (3 * a[0] ** 2 - 3) * pow(2 * a[1], -1, P)
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def times(number, point):
    found = None
    for bit in bin(number % N)[2:]:
        found = point_sum(found, found)
        found = point_sum(found, point) if bit == "1" else found
    return found


# (message, r, s, x, y, whether it is valid) of RFC 6979, A.2.5. The other s of each signature must
# be refused.
def cases_of_the_rfc():
    x = 0x60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6
    y = 0x7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299
    for message, r, s in (
        (
            b"sample",
            0xEFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716,
            0xF7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8,
        ),
        (
            b"test",
            0xF1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367,
            0x019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083,
        ),
    ):
        assert oracle(message, r, s, x, y) and oracle(message, r, N - s, x, y)
        yield message, r, min(s, N - s), x, y, True
        yield message, r, max(s, N - s), x, y, False


# Signatures of random keys, valid ones and ones with a flipped bit.
def random_cases():
    random = np.random.default_rng(5)
    for _ in range(12):
        number = int.from_bytes(random.bytes(32), "big") % (N - 1) + 1
        message = random.bytes(int(random.integers(0, 300)))
        numbers = [*signed(number, message), *public(number)]
        yield message, *numbers, True
        for i in range(4):
            changed = list(numbers)
            changed[i] ^= 1 << int(random.integers(0, 255))
            yield message, *changed, None
        yield message + b"\0", *numbers, False


# Numbers outside their ranges, and keys with special sums with the generator.
def edge_cases():
    message = b"edges"
    for number in (1, 2, 3, N - 1, N - 2, N >> 1):
        yield message, *signed(number, message), *public(number), True
    (r, s), (x, y) = signed(7, message), public(7)
    for changed in (
        (0, s),
        (r, 0),
        (0, 0),
        (N, s),
        (r, N),
        (N + r & 2**256 - 1, s),
        (P, s),
        (1, 1),
    ):
        yield message, *changed, x, y, False
    yield message, r, s, x, P - y, False
    for point in ((0, 0), (0, on_curve(0)), (1, 0), (x, y + 1), (P, on_curve(0)), (P - 1, P)):
        yield message, r, s, *point, False
    small = next(i for i in range(1, 99) if on_curve(i))
    yield message, r, s, small + P, on_curve(small), False  # another encoding of the same point


# A sum whose x is at least N, so that r is x - N; and a sum of zero, with any r.
def rare_sums():
    message = b"rare"
    digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
    generator = public(1)
    x = next(i for i in range(N, N + 99) if on_curve(i))
    r, s = x - N, 12345
    key = times(pow(r, -1, N), point_sum(times(s, (x, on_curve(x))), times(-digest, generator)))
    yield message, r, s, *key, True
    r = 777
    yield message, r, s, *times(-digest * pow(r, -1, N), generator), False


@pytest.fixture(scope="module")
def cases():
    found = []
    for kind in (cases_of_the_rfc, random_cases, edge_cases, rare_sums):
        for message, r, s, x, y, wanted in kind():
            is_valid = oracle(message, r, s, x, y) and s <= N // 2
            assert wanted is None or is_valid == wanted
            found.append((message.hex(), pair(r, s).hex(), pair(x, y).hex(), is_valid))
    assert sum(is_valid for *_, is_valid in found) > 20
    # Keys and signatures of other lengths.
    message, signature, key, _ = next(case for case in found if case[3])
    for other in ((signature[:-2], key), (signature + "00", key), ("", key), (signature, key[2:])):
        found.append((message, *other, False))
    return found


@pytest.mark.parametrize("where", ["host", "board"])
def test_signatures(cases, where, tmp_path):
    if where == "host":
        found = [p256.is_signed(*map(bytes.fromhex, case[:3])) for case in cases]
    else:
        path = tmp_path / "cases"
        path.write_text(json.dumps(cases))
        lines = device(
            """
            import json
            from tflm.fleet import p256

            for case in json.load(open(PATH)):
                print(int(p256.is_signed(*[bytes.fromhex(text) for text in case[:3]])))
            """,
            PATH=str(path),
        )
        found = [line == "1" for line in lines]
    assert found == [case[3] for case in cases]
