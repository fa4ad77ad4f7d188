# Tests of the int16 kernels for Xtensa with MAC16: their machine code in two emulators
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
import qemu_xtensa
from float_batch import XTENSA_FPU, failures
from kernels.conv_cases import conv
from packed_cases import cases_of
from support.check import flat_model_for
from support.oracle import shared_oracle
from tflm.access_checks import check_of
from tflm.access_checks.record import Record
from tflm.model import FlatModel
from tflm_tools.flat.flatten import prepare
from tflm_tools.model.macs import macs
from xtensa_kernels import Xtensa, code_of

_FILES = ("test_conv_int16", "test_depthwise_conv_int16", "test_fully_connected_int16")
_KERNELS = tuple(f"{file.removeprefix('test_')}.eval_int16" for file in _FILES)
_MOST_MACS = 40_000  # of a case: this emulator is slow


def _cases():
    for file in _FILES:
        for case in cases_of(file):
            if case.error or "computed" in case.name:
                continue
            flat = FlatModel(flat_model_for(case.build(), "flat"))
            if flat.subgraph()[1] == 1 and flat.kernel(0) in _KERNELS:
                _, storage = prepare(case.build())
                if sum(macs(record.node) for record in storage.records) < _MOST_MACS:
                    yield pytest.param(case, flat, id=f"{file} {case.name}")


# The kernel in the emulator. An access outside all operands raises Outside.
class _Machine(Xtensa):
    def __init__(self, kernel):
        super().__init__(kernel)
        file, _, function = kernel.partition(".")
        self._files[file] = {function: self._function(code_of(file)[function][0], 5)}


def _run(flat, data):
    arena = bytearray(flat.arena_bytes)
    at = flat.tensor(0)[0] >> 2
    arena[at : at + len(data)] = data
    kernel, _, _, record, operands, _ = flat.op(0)
    record = Record(flat, memoryview(record), operands)
    check_of(kernel)(record)
    record.settle()
    machine = _Machine(kernel)
    machine.run(kernel, record, arena, flat.buffer)
    word, size, *_ = flat.tensor(1)
    return bytes(arena[word >> 2 : (word >> 2) + size]), machine.core.instructions


@pytest.mark.parametrize(("case", "flat"), list(_cases()))
def test_outputs_are_those_of_tflm(case, flat):
    for run in case.input_lists()[-2:]:
        wanted = shared_oracle().run(case.oracle_model or case.build(), [run], False)[0]
        assert _run(flat, run[0].tobytes())[0] == wanted[0].tobytes()


# Instructions of an output, of 64 inputs as in mlperf_kws.
@pytest.mark.parametrize(("name", "most"), [("1x1", 290), ("3x3 depthwise", 190)])
def test_instructions(name, most):
    source = (1, 3, 3, 64)
    if "depthwise" in name:
        model = conv(name, source=source, multiplier=1)
    else:
        model = conv(name, source=source, window=(1, 1), filters=64)
    flat = FlatModel(flat_model_for(model, "flat"))
    assert _run(flat, bytes(2 * 9 * 64))[1] < most * 9 * 64


@pytest.mark.skipif(
    not qemu_xtensa.is_there(),
    reason="there is no firmware for Xtensa; `bench/cycles.py --core xtensa` builds it",
)
@pytest.mark.parametrize("file", _FILES)
def test_outputs_on_an_emulated_board(file):
    jobs = [(case.name, case.build(), "flat", case.input_lists()) for case in cases_of(file)]
    assert not failures(jobs, XTENSA_FPU)
