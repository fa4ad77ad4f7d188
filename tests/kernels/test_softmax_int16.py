# Tests of SOFTMAX on int16 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.single_op import Tensor, single_op
from tflm.prepare.softmax_int16 import SOFTMAX_INT16
from tflm_tools.flat.flatten import prepare

cases = Cases()
FACTORS = ("multiplier", "shift")


# A model of one SOFTMAX.
def softmax(shape, scale, *, beta=1.0, zero_point=0, off=1.0, output="int16"):
    return single_op(
        "SOFTMAX",
        [Tensor(shape, "int16", scale=scale, zero_point=zero_point)],
        [Tensor(shape, output, scale=off / 32768, zero_point=0)],
        beta=beta,
    )


for shape in [(10,), (1, 2), (5, 1), (2, 3, 4), (1, 2, 3, 4, 3), (3, 300)]:
    cases.add(f"shape {shape}", softmax(shape, 0.0005))
cases.add("empty rows", softmax((3, 0), 0.1), inputs=[[[]]], expected=[[[]]])
# Every interval of the tables, between pairs of values and in rows of many equal values.
differences = np.arange(0, 65536, 61)
pairs = np.stack([np.full_like(differences, 32767), 32767 - differences], 1)
for scale in (1e-6, 1e-4, 10 / 65535, 2e-4, 0.001, 0.01):
    model = softmax(pairs.shape, scale)
    cases.add(f"every difference, scale {scale}", model, inputs=[[pairs]])
for count in (1, 2, 3, 5, 100, 1000):
    rows = np.full((40, count + 1), -1000)
    rows[:, 0] -= np.arange(40) * 700
    model = softmax(rows.shape, 0.0003)
    cases.add(f"{count} equal values", model, inputs=[[rows], [-rows]])


# Return the differences to the largest value whose rescaled value is nearest to a tie.
def near_ties(scale):
    _, storage = prepare(softmax((1, 2), scale))
    (record,) = storage.records
    multiplier, shift = (record.words[1 + SOFTMAX_INT16.index(name)] for name in FACTORS)
    left = shift if shift < 32 else 0
    differences = range(1, 65536)
    remainders = [((-d * multiplier << left) + (1 << 30)) % (1 << 31) for d in differences]
    distances = [min(remainder, (1 << 31) - remainder) for remainder in remainders]
    return np.array(sorted(differences, key=lambda d: distances[d - 1])[:60])


# Differences that only exact rounding rescales correctly.
for scale in (0.00011, 0.00013, 0.0001523, 0.0003, 0.0007, 0.0019):
    near = near_ties(scale)
    rows = np.stack([np.full_like(near, 32767), 32767 - near], 1)
    cases.add(f"near ties, scale {scale}", softmax(rows.shape, scale), inputs=[[rows]])
# Differences whose product is exact only with the carry of its two halves, or only without.
for n, differences in ((0, (13627, 17740)), (1, (9552, 30737)), (3, (7526,)), (4, (3568,))):
    rows = np.array([[32767, 32767 - difference] for difference in differences])
    scale = float(np.float32(0.00011 + 0.0000137 * n))
    cases.add(f"carry, scale {scale:.4g}", softmax(rows.shape, scale), inputs=[[rows]])
for beta in (0.0, 0.5, 2.0, 30.0):
    cases.add(f"beta {beta}", softmax((2, 9), 0.0003, beta=beta))
cases.add("scale nearly 1/32768", softmax((2, 9), 0.0003, off=1.0005))

cases.add("negative beta", softmax((2, 9), 0.0003, beta=-1.0), error="beta")
cases.add("output scale", softmax((2, 9), 0.0003, off=1.002), error="1/32768")
cases.add("zero point", softmax((2, 9), 0.0003, zero_point=1), error="zero point")
cases.add("output type", softmax((2, 9), 0.0003, output="int8"), error="must be int16")
cases.add("very long row", softmax((1, 65536), 0.0003), error="65536")


@cases.parametrize
def test_softmax_int16(case):
    case.check()
