# Tests of the float32 kernels of instruction sets without an FPU: emulated cores against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from float_batch import failures
from packed_cases import BUILD, cases_of, check_outputs, emulated, firmware_of
from support.inputs import generator
from support.single_op import Tensor, single_op

_EVERY = 3  # one of this number of random cases runs here
_FILES = (
    "test_fully_connected_float",
    "test_conv_float",
    "test_depthwise_conv_float",
    "test_pooling_float",
)
# Operators that use the products and sums in assembler, and how many of their cases run.
_USERS = {
    "test_arithmetic_float": 4,
    "test_batch_matmul": 8,
    "test_reduce_float": 9,
    "test_softmax_float": 5,
    "test_svdf_float": 2,
    "test_unidirectional_sequence_lstm": 2,
}


# The cases of a file: those with a description, and some of the random ones.
def _chosen(file):
    cases = cases_of(file)
    random = [case for case in cases if case.name.startswith("random")]
    return [case for case in cases if case not in random] + random[::_EVERY]


# The float32 cases of a file, which has cases of no other type or names the type.
def _some(file, every):
    cases = cases_of(file)
    named = [case for case in cases if "float32" in case.name]
    return (named or cases)[::every]


_CASES = [case for file in _FILES for case in _chosen(file)]
_CASES += [case for file, every in _USERS.items() for case in _some(file, every)]


@pytest.fixture(scope="module", params=["m0plus"])
def core(request):
    if not firmware_of(request.param).exists():
        pytest.skip(f"there is no firmware for {request.param}; `make -C tests asm` builds it")
    return request.param, emulated.file_system(BUILD, request.param)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in _CASES])
def test_outputs_are_those_of_tflm(case, core):
    check_outputs(case, *core)


# Numbers of all kinds; then sums that cancel, and sums of numbers with close exponents.
def _numbers(shape, random):
    bits = random.integers(0, 1 << 32, shape, dtype=np.uint64).astype(np.uint32)
    near = (bits & 0x83FFFFFF) + 0x3E000000
    few = near & np.uint32(0xFFF00000)
    signed = random.choice([0x00000000, 0x80000000], shape).astype(np.uint32)
    all_bits = bits.view(np.float32)
    return (
        all_bits,
        (bits & 0x807FFFFF).view(np.float32),
        near.view(np.float32),
        few.view(np.float32),
        signed.view(np.float32),
        np.where(random.random(shape) < 0.1, all_bits, near.view(np.float32)),
    )


# Pools whose windows have any number of cells, and one of a whole image.
def _pools():
    for kind in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        for size, stride, padding, activation in (
            ((3, 3), 1, "SAME", "NONE"),
            ((2, 2), 2, "VALID", "RELU"),
            ((4, 2), 1, "SAME", "RELU6"),
            ((6, 7), 7, "SAME", "RELU_N1_TO_1"),
        ):
            name = f"{kind} {size} {padding} {activation}"
            shape = (2, 6, 7, 5)
            sides = [
                -(-side // stride) if padding == "SAME" else (side - window) // stride + 1
                for side, window in zip(shape[1:3], size, strict=True)
            ]
            model = single_op(
                kind,
                [Tensor(shape, "float32")],
                [Tensor((2, *sides, 5), "float32")],
                filter_height=size[0],
                filter_width=size[1],
                stride_h=stride,
                stride_w=stride,
                padding=padding,
                fused_activation_function=activation,
            )
            yield name, model, "flat", [[each] for each in _numbers(shape, generator(name))]


def test_pools_have_the_bits_of_the_portable_kernel():
    if not firmware_of("m0plus").exists():
        pytest.skip("there is no firmware for m0plus; `make -C tests asm` builds it")
    assert not failures(list(_pools()), "m0plus", with_portable=True)
