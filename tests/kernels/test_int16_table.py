# Tests of GELU, EXP, LOG and RSQRT of int16, which TFLM lacks, against LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support import litert
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()
_ALL = np.arange(-32768, 32768, dtype=np.int16)
_POSITIVE = np.arange(32768, dtype=np.int16)


# A case with every value as input, or with those that LiteRT accepts.
def add(operator, scales, values=_ALL, zero_points=(0, 0), **options):
    random = generator(f"{operator} {scales}")
    tensors = [
        Tensor(values.shape, "int16", scale=scale, zero_point=zero_point)
        for scale, zero_point in zip(scales, zero_points, strict=True)
    ]
    cases.add(
        f"{operator} {scales} {zero_points} {options}",
        single_op(operator, tensors[:1], tensors[1:], **options),
        inputs=[[values], [random.permutation(values)]],
        expected=litert.outputs,
    )


# A small one, for the tests of the access check.
add("NEG", (2e-4, 2e-4), _ALL[::997])
for approximate in (False, True):
    for scales in ((1 / 4096, 1 / 4096), (1e-4, 2e-4), (0.01, 0.003), (2.3e-5, 1.1e-5)):
        add("GELU", scales, approximate=approximate)
    add("GELU", (5.5e-5, 1.2e-5), zero_points=(-300, 7), approximate=approximate)
for scales in ((1 / 4096, 1 / 1024), (1e-4, 1e-3), (2e-3, 1e20)):
    add("EXP", scales)
for scales in ((1 / 4096, 1 / 4096), (1e-4, 2e-4), (3.0, 1e-3)):
    add("LOG", scales)
    add("RSQRT", scales, _POSITIVE)
# NEG is without zero points, with one scale.
add("NEG", (1e-4, 1e-4))
for dtype, zero_points, scales, error in (
    ("int16", (1, 1), (1.0, 1.0), "a zero point"),
    ("int8", (1, 1), (1.0, 1.0), "a zero point"),
    ("int8", (0, 0), (1.0, 2.0), "an output scale of its own"),
):
    tensors = [
        Tensor((4,), dtype, scale=scale, zero_point=zero_point)
        for scale, zero_point in zip(scales, zero_points, strict=True)
    ]
    name = f"NEG {dtype} {zero_points} {scales}"
    cases.add(name, single_op("NEG", tensors[:1], tensors[1:]), error=error)
x = np.arange(-128, 128, dtype=np.int8)
tensors = [Tensor((256,), "int8", scale=0.5, zero_point=0)] * 2
model = single_op("NEG", tensors[:1], tensors[1:])
cases.add("NEG int8", model, inputs=[[x]], expected=litert.outputs)
for operator in ("LOG", "RSQRT"):
    tensors = [Tensor((4,), "int16", scale=1.0, zero_point=zero_point) for zero_point in (1, 0)]
    model = single_op(operator, tensors[:1], tensors[1:])
    cases.add(f"{operator} zero point", model, error="has a zero point")


@litert.needs_litert
@cases.parametrize
def test_int16_table(case):
    case.check()
