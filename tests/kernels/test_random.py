# Tests of RANDOM_UNIFORM and RANDOM_STANDARD_NORMAL against LiteRT; TFLM has no such operators
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support import litert
from support.check import Cases
from support.single_op import Tensor, single_op

pytestmark = litert.needs_litert

cases = Cases()
_LARGEST = (1 << 63) - 1
_NORMAL = {"rtol": 2e-6, "atol": 2e-6}  # single precision in place of libm


def _model(op, shape, dtype="int32", **options):
    return single_op(
        op,
        [Tensor((len(shape),), dtype, list(shape))],
        [Tensor(shape, "float32")],
        **options,
    )


# Each case has several invokes of one interpreter: the numbers go on.
for op, tolerance in (("RANDOM_UNIFORM", {}), ("RANDOM_STANDARD_NORMAL", _NORMAL)):
    for shape, seed, seed2 in [
        ((10,), 1, 2),
        ((2, 3, 4), 0, 7),
        ((1,), -1, 0),
        ((257,), 0x123456789ABCDEF, _LARGEST),
        ((4,), -_LARGEST - 1, -2),
    ]:
        name = f"{op} {shape} {seed} {seed2}"
        model = _model(op, shape, seed=seed, seed2=seed2)
        cases.add(name, model, [[], [], []], expected=litert.outputs, repeat="reset", **tolerance)
    cases.add(f"{op} empty", _model(op, (0, 3), seed=1), [[]], expected=[[np.zeros((0, 3), "f")]])
    cases.add(f"{op} scalar", _model(op, ()), error="is a scalar")
    x = [Tensor((1,), "int32")]
    computed = single_op(op, x, [Tensor((4,), "float32")], seed=1)
    cases.add(f"{op} computed shape", computed, error="a shape that is not constant")


# The first word of a Philox generator without seeds, from Random123's known answers.
_ZERO_SEEDS = _model("RANDOM_UNIFORM", (4,))
_WORDS = np.array([0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8], np.uint32)
_KNOWN = ((127 << 23 | _WORDS & 0x7FFFFF).view("f") - np.float32(1)).reshape(4)
# No optimization pass replaces the numbers by a constant.
_SAVED = _model("RANDOM_UNIFORM", (9,), seed=3)
_PATHS = ("saved", "tflite")
cases.add("saved", _SAVED, [[], []], expected=litert.outputs, repeat="reset", paths=_PATHS)
cases.add("seeds of zero", _ZERO_SEEDS, [[]], expected=[[_KNOWN]], repeat="reset")


@cases.parametrize
def test_random(case):
    case.check()
