# Tests of the shipped machine code for Xtensa in the emulator of bench/xtensa_core.py
# MIT license; Copyright (c) 2026 the tflm authors

# MULSH and CLAMPS run nowhere else here; each word that is read or written must be an operand's.

from pathlib import Path

import mac16
import pytest
import qemu_xtensa
from support.check import flat_model_for
from support.oracle import shared_oracle
from tflm.access_checks import check_of
from tflm.access_checks.record import Record
from tflm.model import FlatModel
from tflm_tools.flat.flatten import prepare
from tflm_tools.model.macs import macs
from tflm_tools.optimize.memory.levels import OFF, RAM
from tflm_tools.packages.machine_code import listing
from xtensa_kernels import Xtensa

from tests.kernels import test_dsp, test_lanes, test_mac16, test_pie

_DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits" / "digits_int8.tflite"
_MOST_MACS = 60_000  # of a case: this emulator is slow
_EVERY = 6  # one of this number of cases runs here
_EVERY_PIE = 3

_PACKED = ("conv", "fully_connected", "depthwise_conv")
_KERNELS = [f"{name}_{packing}" for name in _PACKED for packing in ("mac16", "lanes", "pie")]
_KERNELS.remove("depthwise_conv_lanes")  # tests/bench/test_compiled_kernels.py runs it


# {function: (machine code, number of arguments)} of the code that runs in qemu.
def _without_mulsh(file):
    sources = {path.rpartition("/")[2]: source for path, source in qemu_xtensa.without_mulsh()}
    return {name: (code, count) for name, count, code in listing.functions(sources[f"{file}.py"])}


# (output, instructions) of a flat model of one operator for the bytes of its input.
def _run(flat, machine, data):
    arena = bytearray(flat.arena_bytes)
    at = flat.tensor(0)[0] >> 2
    arena[at : at + len(data)] = data
    kernel, _, _, record, operands, _ = flat.op(0)
    record = Record(flat, memoryview(record), operands)
    check_of(kernel)(record)
    record.settle()
    machine.run(kernel, record, arena, flat.buffer)
    word, size, *_ = flat.tensor(1)
    return bytes(arena[word >> 2 : (word >> 2) + size]), machine.core.instructions


# Multiply-accumulates of a model.
def _work(model):
    prepared, storage = prepare(model)
    return sum(macs(record.node) for record in storage.records)


# Small models of one operator with packed weights: (case, flat model).
def _models():
    packed = [list(source.cases)[::_EVERY] for source in (test_mac16, test_lanes)]
    packed.append(list(test_pie.cases)[::_EVERY_PIE])
    for chosen, path in zip(packed, (None, "armv6m", "pie"), strict=True):
        for case in chosen:
            if _work(case.build()) > _MOST_MACS:
                continue
            name = path or case.paths[0]
            flat = FlatModel(flat_model_for(case.build(), name))
            if flat.subgraph()[1] == 1 and flat.kernel(0).partition(".")[0] in _KERNELS:
                yield pytest.param(case, flat, id=f"{name} {case.name}")


# An access outside all operands, such as one word too far, raises Outside.
@pytest.mark.parametrize(("case", "flat"), list(_models()))
def test_outputs_are_those_of_tflm(case, flat):
    run = case.input_lists()[-1]
    wanted = shared_oracle().run(case.oracle_model or case.build(), [run], False)[0]
    output, instructions = _run(flat, Xtensa(flat.kernel(0)), run[0].tobytes())
    assert output == wanted[0].tobytes()
    if "mac16" not in flat.kernel(0):
        return
    # The difference is what mac16.py predicts, except for a branch at the end of a row.
    output, more = _run(flat, Xtensa(flat.kernel(0), _without_mulsh), run[0].tobytes())
    assert output == wanted[0].tobytes()
    (surplus,) = mac16.surplus(bytes(flat.buffer))
    assert 0 <= surplus - (more - instructions) <= surplus // 24


# Cycles of an output of the vector kernels, with the copies of its inputs, by the model in
# bench/xtensa_core.py: 64 channels as in mlperf_kws.
@pytest.mark.parametrize(
    ("name", "most"), [("1x1", 18.0), ("3x3 depthwise", 17.0), ("1x1 without RELU", 50.0)]
)
def test_cycles_of_vector_kernels(name, most):
    options = {} if "without" in name else test_dsp.RELU
    source = (1, 8, 5, 64)
    if "depthwise" in name:
        model = test_dsp.depthwise(name, source, **options)
    else:
        model = test_dsp.random_conv(name, (64, 1, 1, 64), source, **options)
    flat = FlatModel(flat_model_for(model, "pie"))
    machine = Xtensa(flat.kernel(0))
    _run(flat, machine, bytes(8 * 5 * 64))
    assert machine.core.cycles < most * 8 * 5 * 64


# What the bench takes off what runs in bands: a part of what it takes off the whole.
def test_surplus_of_bands():
    model, found = _DIGITS.read_bytes(), []
    for level in (OFF, RAM):
        _, storage = prepare(model, target="mac16", optimize=level)
        found.append({})
        for record in storage.records:
            more = mac16.surplus_of(record.kernel, record.words, storage.constants)
            if "mac16" in record.kernel:
                found[-1][record.node.index] = more
            else:
                assert more == 0
    whole, banded = found
    assert whole.keys() == banded.keys()
    assert all(0 < banded[node] <= whole[node] for node in whole)
    assert any(banded[node] < whole[node] for node in whole)
