# Tests of GELU, which TFLM lacks, against LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support import litert
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()


def _gelu(shape, dtype, approximate, source=None, target=None):
    tensors = Tensor(shape, dtype, **source or {}), Tensor(shape, dtype, **target or {})
    return single_op("GELU", tensors[:1], tensors[1:], approximate=approximate)


_EDGES = np.array(
    [0, -0.0, 1e-40, -1e-40, 1e-20, 6, -6, 5.9999, -5.9999, 8, -8, 1e30, np.inf, 3e38, 0.03125],
    "f",
)
for approximate in (False, True):
    word = "tanh" if approximate else "erf"
    atol = 1e-6 if approximate else 3e-7  # LiteRT's 1 + tanh(x) loses bits for negative x
    for shape in [(), (7,), (3, 40), (0, 2)]:
        x = np.linspace(-7, 7, int(np.prod(shape)), dtype="f").reshape(shape)
        cases.add(
            f"float32 {word} {shape}",
            _gelu(shape, "float32", approximate),
            inputs=[[x], [x * 0.1]],
            rtol=2e-6,
            atol=atol,
            expected=litert.outputs,
        )
    cases.add(
        f"float32 {word} edges",
        _gelu(_EDGES.shape, "float32", approximate),
        inputs=[[_EDGES]],
        rtol=2e-6,
        atol=atol,
        expected=litert.outputs,
    )
    for number, (source, target) in enumerate(
        [((0.03, 0), (0.017, -100)), ((0.05, -128), (0.05, -128)), ((0.2, 127), (0.001, 3))]
    ):
        cases.add(
            f"int8 {word} {number}",
            _gelu(
                (256,),
                "int8",
                approximate,
                {"scale": source[0], "zero_point": source[1]},
                {"scale": target[0], "zero_point": target[1]},
            ),
            inputs=[[np.arange(-128, 128)]],
            expected=litert.outputs,
        )


@litert.needs_litert
@cases.parametrize
def test_gelu(case):
    case.check()
