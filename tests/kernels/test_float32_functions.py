# Tests of float32 functions against numpy: roots, rounding, division exact, others within 0.7 ulp
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest

from tests.kernels.test_float32 import (
    _EACH,
    COUNT,
    SPECIAL,
    Machine,
    as_bits,
    assert_same,
    floats_of,
    operand_pairs,
)


@pytest.fixture(params=["portable", "x64"])
def machine(tmp_path, request):
    return Machine(tmp_path, request.param)


# All special values, random bits, ordinary numbers, halves, near 1, near multiples of pi / 2.
def arguments(seed):
    random = np.random.default_rng(seed)
    n = COUNT // 4
    with np.errstate(all="ignore"):
        return np.concatenate(
            [
                SPECIAL,
                random.integers(0, 1 << 32, n, np.uint32),
                as_bits(random.normal(0, 3, n)),
                as_bits(random.integers(-400, 400, n) / 4),
                as_bits(random.uniform(-1e5, 1e5, n)),
                as_bits(1 + random.normal(0, 1, n) * 10.0 ** random.uniform(-7, 0, n)),
                as_bits(random.integers(-100000, 100000, n) * (np.pi / 2)),
                as_bits(random.normal(0, 1, n) * np.exp2(random.uniform(-14, 120, n))),
                # The float32 nearest to a multiple of pi / 2; limits of the ranges of `log` and
                # `exp`.
                as_bits(
                    [16367173 * 2.0**72, 4 / 3, 2 / 3, 1.3333334, 0.6666667, -0.17, -32, -31.9]
                ),
                as_bits([0.49999997, -0.49999997, 8388607.5, 4194304.5, 4194303.5, 0.99999994]),
            ]
        )


# The nearest integer as in TFLM: floor(x), or one more.
def nearest(x):
    low = np.floor(x)
    rest = x - low
    down = (rest < 0.5) | (rest == 0.5) & (np.fmod(low, 2) == 0)
    return np.where(down, low, low + np.float32(1))


def test_exact(machine):
    x = arguments(1)
    operand = machine.put_rom(x)
    with np.errstate(all="ignore"):
        values = floats_of(x)
        wanted = [
            (("float32_round", "whole", 0), np.floor(values)),
            (("float32_round", "whole", 1), np.ceil(values)),
            (("float32_round", "whole", 2), nearest(values)),
            (("float32_sqrt", "sqrt"), np.sqrt(values)),
        ]
    words = [machine.put(np.zeros(len(x), np.uint32)) for _ in wanted]
    for word, ((module, name, *rest), _) in zip(words, wanted, strict=True):
        machine.call(module, name, word, operand, len(x), *rest)
    machine.run()
    for word, (_, values) in zip(words, wanted, strict=True):
        assert_same(machine.get(word, len(x)), as_bits(values), x)


# Run a function in place and return the largest error in units in the last place.
@pytest.mark.parametrize(
    "module, name, rest, function, limit",
    [
        ("float32_log", "log", [], np.log, 0.65),
        ("float32_trig", "sine", [0], np.sin, 0.7),
        ("float32_trig", "sine", [1], np.cos, 0.7),
        ("float32_math", "elu", [], lambda x: np.where(x < 0, np.expm1(x), x), 0.65),
    ],
    ids=["log", "sin", "cos", "elu"],
)
def test_functions(machine, module, name, rest, function, limit):
    x = arguments(2)
    operand = machine.put(x)
    machine.call(module, name, operand, operand, len(x), *rest)
    machine.run()
    got = machine.get(operand, len(x))
    with np.errstate(all="ignore"):
        exact = function(floats_of(x).astype(np.float64))
    finite = np.isfinite(exact)
    assert_same(got[~finite], as_bits(exact)[~finite], x[~finite])
    with np.errstate(over="ignore"):
        unit = np.spacing(np.abs(exact[finite]).astype(np.float32))
    error = np.abs(floats_of(got[finite]).astype(np.float64) - exact[finite]) / unit
    print(f"largest error {error.max():.3f} units in the last place")
    assert error.max() < limit, hex(x[finite][error.argmax()])


# Quotients just below an integer that is one more than the middle between two float32. In double
# they equal the integer and round up, where the exact quotients round down.
def awkward_quotients(random):
    pairs = []
    for shift in range(30, 38):
        for divisor in random.integers(1 << 22, 1 << 24, 3000) | 1:
            dividend = -pow(2, -shift, int(divisor)) % int(divisor)
            quotient = (dividend << shift) // int(divisor)
            below = quotient.bit_length() - 24
            if below > 0 and quotient & (1 << below) - 1 == 1 << below - 1:
                pairs.append((float(dividend) * 2.0**shift, float(divisor)))
    return pairs


def test_floor_divide(machine):
    random = np.random.default_rng(3)
    groups = [operand_pairs(random, COUNT)]

    def add(a, b):
        with np.errstate(all="ignore"):
            groups.append((as_bits(a), as_bits(b)))

    n = COUNT // 4
    add(random.normal(0, 10, n), random.normal(0, 3, n))
    add(random.integers(-50, 50, n), random.integers(-9, 9, n))
    b = random.normal(0, 1, n).astype(np.float32)
    add(random.integers(-9, 9, n).astype(np.float32) * b, b)
    for low, high in ((22, 32), (28, 54)):
        a = random.uniform(1, 2, n) * np.exp2(random.integers(low, high, n))
        add(a * random.choice([-1, 1], n), random.integers(1, 4000, n) * random.choice([-1, 1], n))
    awkward = np.array(awkward_quotients(random))
    assert len(awkward) > 100
    add(awkward[:, 0], awkward[:, 1])
    add(awkward[:, 0], -awkward[:, 1])
    a, b = (np.concatenate(side) for side in zip(*groups, strict=True))
    place_a, place_b = machine.put_rom(a), machine.put(b)
    words = [machine.put(np.zeros(len(a), np.uint32)) for _ in range(2)]
    for modulo, word in enumerate(words):
        numbers = (word, place_a, place_b, len(a), _EACH, modulo)
        machine.call("float32_floor_divide", "divide", *numbers)
    machine.run()
    x, y = floats_of(a), floats_of(b)
    with np.errstate(all="ignore"):
        quotient = np.floor(x.astype(np.float64) / y.astype(np.float64)).astype(np.float32)
        quotient[y == 0] = np.nan
        rest = np.fmod(x, y)
        rest = np.where((rest != 0) & ((y < 0) != (rest < 0)), rest + y, rest)
    assert_same(machine.get(words[0], len(a)), as_bits(quotient), a, b)
    assert_same(machine.get(words[1], len(a)), as_bits(rest), a, b)
