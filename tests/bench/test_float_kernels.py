# Tests of the float32 kernels of instruction sets without an FPU: emulated cores against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from packed_cases import BUILD, cases_of, check_outputs, emulated, firmware_of

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
