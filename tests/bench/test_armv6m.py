# Tests of the assembler kernels: their machine code in the emulated Cortex-M0+, against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from packed_cases import (
    BUILD,
    cases_of,
    check_outputs,
    emulated,
    firmware_of,
    packed_cases,
    pooling_cases,
    require_firmware,
)
from support.check import flat_model_for
from support.compare import difference
from support.kernel_tests import module_of
from support.oracle import shared_oracle

require_firmware("m0plus")
_EVERY = 7  # one of this number of cases of the operators' own tests runs here
_CASES = packed_cases(_EVERY) + pooling_cases(_EVERY) + cases_of("test_dense_lut")
# What the operators of an audio front end find hardest: all magnitudes, roots of all ones, FFTs
# with all radices, both ways, of rows and of less than their length.
_SIGNAL_NAMES = """
square root 0, square root 17, square root bits as input
rfft int16 4, rfft int16 16, rfft int16 24, rfft int16 32 of 7 (3,), rfft int16 512 of 480 ()
irfft int16 8, irfft int16 24, irfft int16 512, rfft int32 8
window (3, 2, 7) 7, window (12,) 0, window constant, auto scale with -32768, auto scale magnitudes
energy 257 0 257, filter bank 40 -32768 True, filter bank 7 -32768 False
"""
# Bits of smoothing and of what is shifted back, and clamping.
_SUBTRACTIONS = "10 14 False", "17 31 False", "31 45 True", "4 0 True", "16 63 False", "15 32 True"
_SIGNAL = [
    case
    for file in ("test_signal_front_end", "test_signal_fft")
    for case in cases_of(file)
    if case.name in _SIGNAL_NAMES.strip().replace("\n", ", ").split(", ")
    or case.name.startswith("spectral subtraction")
    and case.name.endswith(_SUBTRACTIONS)
]
# What TFLM would read outside of its tensors for; all uint64.
_OUTSIDE = [case for case in module_of("test_signal_front_end").cases if case.expected]
# Rows of weights as they are in the model, times what is used once; exponentials.
_ROWS = [
    case
    for file, every in (
        ("test_fully_connected", 5),
        ("test_softmax", 9),
        ("test_svdf", 3),
        ("test_unidirectional_sequence_lstm", 3),
    )
    for case in cases_of(file)[::every]
]
_ROWS += [case for case in cases_of("test_transpose_conv") if case.name.startswith("int8")]
# Run all inputs of a case, whole and in slices that start within blocks of butterflies. Slices
# give the same bits as the whole, which are TFLM's except for the last bits of float32.
_SCRIPT = """
import cycles_device, tflm, uctypes
model = uctypes.bytearray_at({model}, {model_bytes})
for units in (None, 3):
    interpreter = tflm.Interpreter(model, slice_units=units)
    for i in range({runs}):
        cycles_device.set_inputs(interpreter, {inputs} + i * {inputs_bytes})
        cycles_device.count(1)  # which looks at the alignment of loads and stores
        interpreter.invoke()
        cycles_device.count(0)
        for k in range(interpreter.outputs_size()):
            print(bytes(interpreter.output(k).raw).hex())
"""


@pytest.fixture(scope="module")
def files():
    return emulated.file_system(BUILD, "m0plus")


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in _CASES])
def test_outputs_are_those_of_tflm(case, files):
    check_outputs(case, "m0plus", files)


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.name) for case in _SIGNAL + _OUTSIDE + _ROWS]
)
def test_in_slices(case, files):
    model, runs = flat_model_for(case.build(), "flat"), case.input_lists()
    sent = [b"".join(array.tobytes() for array in run) for run in runs]
    script = _SCRIPT.format(
        model=emulated.MODEL,
        model_bytes=len(model),
        inputs=emulated.INPUTS,
        inputs_bytes=len(sent[0]),
        runs=len(runs),
    )
    contents = (emulated.MODEL, model), (emulated.INPUTS, b"".join(sent))
    core = "m0plus"
    answer = emulated.run(core, firmware_of(core), files, script, contents, alignment=True)
    if case.expected:
        wanted = np.array(case.expected, np.uint64)
    else:
        wanted = shared_oracle().run(case.build(), runs, False)
    arrays = [array for run in wanted for array in run]
    got = [bytes.fromhex(line) for line in answer["text"].split()]
    whole, sliced = got[: len(arrays)], got[len(arrays) :]
    assert sliced == whole
    for data, array in zip(whole, arrays, strict=True):
        output = np.frombuffer(data, array.dtype).reshape(array.shape)
        assert not difference(output, array, case.rtol, case.atol)
