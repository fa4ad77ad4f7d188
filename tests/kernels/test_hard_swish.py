# Tests of HARD_SWISH on int8 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from support.check import Cases
from support.every_value import every_value, every_value_model, random_quantizations
from support.single_op import Tensor, single_op

cases = Cases()

for seed, scales, ratios in [
    (1, (1e-3, 1.0), (0.1, 10.0)),
    (2, (1e-8, 1e-3), (0.1, 10.0)),
    (3, (1.0, 1e4), (0.1, 10.0)),
    (4, (1e-3, 1.0), (1 / 126, 0.1)),
    (5, (1e-3, 1.0), (10.0, 1e5)),
]:
    quantizations = random_quantizations(seed, 24, scales, ratios)
    cases.add(
        f"every value, scales {scales}, ratios {ratios}",
        every_value_model("HARD_SWISH", quantizations),
        inputs=every_value(quantizations),
    )
# The multiplier of the output is one less when the scales are divided in double, not in float.
quantizations = [
    (0.020804855972528458, 0, 0.014984801411628723, 0),
    (0.03762093186378479, 0, 0.052234601229429245, 0),
    (0.049706101417541504, 0, 0.05476972833275795, 0),
]
cases.add(
    "precision of the multiplier",
    every_value_model("HARD_SWISH", quantizations),
    inputs=every_value(quantizations),
)
for shape in [(), (7,), (2, 5), (1, 2, 3, 4, 5, 2)]:
    x, y = (Tensor(shape, "int8", scale=0.05, zero_point=-4) for _ in range(2))
    cases.add(f"shape {shape}", single_op("HARD_SWISH", [x], [y]))
x = Tensor((4,), "int8", scale=1.0, zero_point=0)
y = Tensor((4,), "int8", scale=1 / 300, zero_point=0)
cases.add("output scale too small", single_op("HARD_SWISH", [x], [y]), error="output scale")


@cases.parametrize
def test_hard_swish(case):
    case.check()
