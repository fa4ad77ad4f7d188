# Tests of SOFTMAX on int8 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.script import run_script
from support.single_op import Tensor, single_op
from tflm.prepare.softmax import SOFTMAX
from tflm_tools.flat.flatten import prepare

cases = Cases()


# A model of one SOFTMAX.
def softmax(shape, scale, zero_point=0, *, beta=1.0, output="int8", off=1.0, target=None):
    bits = 8 if output == "int8" else 16
    target = -(2 ** (bits - 1)) if target is None else target
    return single_op(
        "SOFTMAX",
        [Tensor(shape, "int8", scale=scale, zero_point=zero_point)],
        [Tensor(shape, output, scale=off * 2.0**-bits, zero_point=target)],
        beta=beta,
    )


for shape in [(10,), (1, 2), (5, 1), (2, 3, 4), (1, 2, 3, 4, 3), (1, 1, 1, 1, 2, 5), (3, 300)]:
    cases.add(f"shape {shape}", softmax(shape, 0.1))
cases.add("empty rows", softmax((3, 0), 0.1), expected=[[[]]], inputs=[[[]]])

# Scales from tiny differences to multipliers that are capped, and rows with every difference.
every = np.arange(-128, 128)
for output in ("int8", "int16"):
    for scale in (
        2.0**-25,
        1e-6,
        1e-3,
        0.01,
        0.05,
        0.1,
        0.123,
        0.25,
        0.5,
        1.0,
        7.7,
        31.0,
        33.0,
        1e9,
    ):
        rows = np.stack([np.minimum(every, top) for top in (127, 100, 3, -120)])
        name = f"every difference, scale {scale} to {output}"
        cases.add(name, softmax(rows.shape, scale, output=output), inputs=[[rows]])
# Scales that TFLM refuses: all exps are 1.
for scale in (2.0**-26, 1e-9, 1e-30):
    cases.add(
        f"scale {scale}",
        softmax((1, 5), scale),
        inputs=[[[[-128, 0, 127, 3, 4]]]],
        expected=[[[[-77] * 5]]],
    )
for beta in (0.5, 2.0, 0.1, 100.0):
    cases.add(f"beta {beta}", softmax((2, 9), 0.07, beta=beta))
for zero_point in (-128, 127):
    cases.add(f"zero point {zero_point}", softmax((2, 9), 0.2, zero_point))
cases.add("int8 to int16", softmax((4, 17), 0.2, output="int16"))
cases.add("int16 scale nearly 1/65536", softmax((4, 17), 0.2, output="int16", off=1.0005))
cases.add("long row", softmax((1, 3000), 0.2), inputs="random")
cases.add("longest row that TFLM takes equal", softmax((1, 511), 0.2))
cases.add("int16, more equal values", softmax((1, 4095), 0.2, output="int16"))


# A constant input is stored in the model.
def constant():
    model = ModelBuilder("constant")
    x = model.tensor((2, 6), "int8", np.arange(12) * 9 - 50, scale=0.05, zero_point=3)
    unused = model.tensor((1,), "int8", scale=1.0)
    y = model.tensor((2, 6), "int8", scale=1 / 256, zero_point=-128)
    model.operator("SOFTMAX", [x], [y], beta=1.0)
    model.io([unused], [y])
    return model.build()


cases.add("constant input", constant())
# TFLM aborts if the sum of exps exceeds 2**28; the quotients round to 0.
cases.add(
    "row of 1000 equal values",
    softmax((1, 1000), 0.2),
    inputs=[[np.full((1, 1000), 5)]],
    expected=[[np.full((1, 1000), -128)]],
)
cases.add("no beta", softmax((2, 9), 0.07, beta=0.0), error="beta")
cases.add("negative beta", softmax((2, 9), 0.07, beta=-1.0), error="beta")
cases.add("scalar", softmax((), 0.07), error="dimension")
cases.add("output scale", softmax((2, 9), 0.07, off=1.001), error="scale 1/256")
cases.add("output zero point", softmax((2, 9), 0.07, target=0), error="scale 1/256")
cases.add("int16 scale", softmax((2, 9), 0.07, output="int16", off=1.002), error="65536")
cases.add("very long row", softmax((1, 8192), 0.07), error="8192")


@cases.parametrize
def test_softmax(case):
    case.check()


# Kernels shift by 31 bits at most, so that larger multipliers are capped.
def test_large_multiplier_is_capped():
    for scale in (4.0e3, 1e9):
        _, storage = prepare(softmax((1, 2), scale))
        (record,) = storage.records
        fields = dict(zip(SOFTMAX, record.words[1:], strict=False))
        assert (fields["multiplier"], fields["shift"]) == ((1 << 31) - 1, 31)
    _, storage = prepare(softmax((1, 2), 31.0))
    (record,) = storage.records
    fields = dict(zip(SOFTMAX, record.words[1:], strict=False))
    assert (fields["multiplier"], fields["shift"]) == (31 << 26, 31)


# All 32 bits of the kernel's exp() and reciprocal against Prepare's functions: outputs show only 8
# or 16 bits.
EXACT = """
import array, random
from tflm.kernels.softmax import _fill, _invert
from tflm.prepare.softmax import SOFTMAX, _CONSTANTS
from tflm.prepare.fixed_point import *
from tflm.prepare.fixed_point import _two_over_one_plus
random.seed(3)
arena = bytearray(16)
word = lambda at: sum([arena[at + i] << 8 * i for i in range(4)])
for case in range(60):
    shift = random.randint(0, 30)
    fields = {"multiplier": random.randint(1 << 30, 0x7FFFFFFF), "shift": shift}
    op = [1] + [fields.get(name, 0) for name in SOFTMAX] + [c & 0xFFFFFFFF for c in _CONSTANTS]
    op = array.array("I", op)
    for difference in range(min(255, 31 << 26 >> shift) + 1):
        _fill(op, arena, 1, difference)
        x = 0 - difference << shift
        x = saturating_rounding_doubling_high_mul(x, fields["multiplier"])
        assert word(4) == exp_on_negative_values(x, 5), (fields, difference)
sums = [1 << 19, (1 << 19) + 1, (1 << 30) - 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1]
for _ in range(500):
    high = random.getrandbits(16) << 16 >> random.randint(0, 12)
    sums.append((high | random.getrandbits(16)) | 1 << 19)
for total in sums:
    arena[:4] = total.to_bytes(4, "little")
    doubled = _invert(op, arena)
    zeros = 32
    while total >> 32 - zeros:
        zeros -= 1
    assert doubled == zeros, total
    x = (total << zeros) - (1 << 31)
    assert word(0) == saturating_left_shift(_two_over_one_plus(x), 1), total
print("exact")
"""


def test_exact():
    assert run_script(EXACT) == "exact\n"
