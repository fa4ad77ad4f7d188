# Tests of kernels of int16 and SVDF for RV32: they access only memory that their checks compute
# MIT license; Copyright (c) 2026 the tflm authors

import functools
import random
import struct
from types import SimpleNamespace

import numpy as np
import pytest
from fuzz.forgery import forged_records
from packed_cases import cases_of
from rv32_source import Rv32Machine
from support.check import flat_model_for
from support.oracle import shared_oracle
from tflm import format as layout
from tflm.access_checks import check_of
from tflm.access_checks.record import Record
from tflm.model import FlatModel
from tflm_tools.flat.flatten import prepare
from tflm_tools.model.macs import macs

# {file of tests/kernels: kernel}.
_KERNELS = {
    "test_conv_int16": "conv_int16.eval_int16",
    "test_depthwise_conv_int16": "depthwise_conv_int16.eval_int16",
    "test_fully_connected_int16": "fully_connected_int16.eval_int16",
    "test_svdf": "svdf.eval_int8",
}
_WITHOUT_STATE = [file for file in _KERNELS if file != "test_svdf"]
_MOST_MACS = 3000  # of a case: the emulator is slow
_FEW = 24  # cases of a kernel, about
_MAX_FORGERIES = 60  # of a record
_MAX_RUNS = 6  # of them
_SPARE_BYTES = 512  # after the end of the arena and of the model
# {file: operand with the output}, of kernels whose units are pixels, rows or channels.
_OUTPUT = {
    "test_conv_int16": 4,
    "test_depthwise_conv_int16": 4,
    "test_fully_connected_int16": 4,
}


# Some small cases of a kernel: (case, flat model).
@functools.cache
def _cases(file):
    found = []
    for case in cases_of(file):
        if case.error:
            continue
        flat = FlatModel(flat_model_for(case.build(), "flat"))
        if flat.subgraph()[1] != 1 or flat.kernel(0) != _KERNELS[file]:
            continue
        _, storage = prepare(case.build())
        if sum(macs(record.node) or 0 for record in storage.records) < _MOST_MACS:
            found.append((case, flat))
    return found[:: max(1, len(found) // _FEW)]


# Return the Record of an op if it passes its check, else None.
def _checked(model, kernel, data, operands):
    record = Record(model, memoryview(data), operands)
    try:
        record.need(record.units)
        check_of(kernel)(record)
        record.settle()
    except ValueError:
        return None
    return record


# Return the bytes of a record without operands in the tail, such as states.
def _without_tail(data, operands):
    words = list(struct.unpack(f"<{len(data) // 4}I", data))
    for i in range(1, operands + 1):
        words[i] &= 0xFFFFFFFF if words[i] & 1 else 0xFFFFFFFF ^ layout.IN_TAIL
    return struct.pack(f"<{len(words)}I", *words)


def _run(machine, kernel, record, arena, rom, meanwhile=None):
    machine.run(f"rv32imc/{kernel}", record, arena, rom, meanwhile)


@pytest.mark.parametrize("file", _WITHOUT_STATE)
def test_outputs_are_those_of_tflm(file):
    machine = Rv32Machine()
    for case, flat in _cases(file):
        run = case.input_lists()[-1]
        arena = bytearray(flat.arena_bytes)
        for i, array in enumerate(run):
            at = flat.tensor(i)[0] >> 2
            arena[at : at + array.nbytes] = array.tobytes()
        kernel, _, _, data, operands, _ = flat.op(0)
        _run(machine, kernel, _checked(flat, kernel, data, operands), arena, flat.buffer)
        wanted = shared_oracle().run(case.oracle_model or case.build(), [run], False)[0][0]
        word, size, *_ = flat.tensor(len(run))
        got = np.frombuffer(arena[word >> 2 : (word >> 2) + size], wanted.dtype)
        assert got.tobytes() == wanted.tobytes(), case.name
    assert machine.calls


# Forged records that pass their check, in memory that another task writes between two slices.
@pytest.mark.parametrize("file", _KERNELS)
def test_forged_records_stay_in_checked_memory(file):
    rng = random.Random(file)
    machine = Rv32Machine()
    for _, flat in _cases(file):
        kernel, _, _, data, operands, _ = flat.op(0)
        data = _without_tail(data, operands)
        size = flat.arena_bytes + _SPARE_BYTES
        rom = bytes(flat.buffer) + rng.randbytes(_SPARE_BYTES)
        model = SimpleNamespace(head_bytes=size, arena_bytes=size, buffer=memoryview(rom))
        forged = forged_records(data, rng, _MAX_FORGERIES)
        records = [_checked(model, kernel, each, operands) for each in (data, *forged)]
        assert records[0] is not None
        for record in [record for record in records if record][:_MAX_RUNS]:
            arena, other = (bytearray(rng.randbytes(size)) for _ in range(2))
            _run(machine, kernel, record, arena, model.buffer, rng.choice((None, other)))
    assert machine.calls


# An output that ends where the arena ends passes its check; one that ends an element later, or
# one with a unit more, does not.
@pytest.mark.parametrize("file", _OUTPUT)
def test_an_element_too_far_is_refused(file):
    for _, flat in _cases(file):
        kernel, _, _, data, operands, _ = flat.op(0)
        words = list(struct.unpack(f"<{len(data) // 4}I", data))
        operand = _OUTPUT[file]
        start, stop = _checked(flat, kernel, data, operands).ranges[operand]
        size = flat.arena_bytes + _SPARE_BYTES
        last = size - (stop - start)  # where the output may begin at the latest
        rom = memoryview(flat.buffer)
        model = SimpleNamespace(head_bytes=size, arena_bytes=size, buffer=rom)

        for changes, passes in (
            ({operand: last << 2}, True),
            ({operand: last + 2 << 2}, False),
            ({operand: last << 2, 0: words[0] + 1}, False),
        ):
            changed = [changes.get(i, word) for i, word in enumerate(words)]
            forged = struct.pack(f"<{len(words)}I", *changed)
            assert (_checked(model, kernel, forged, operands) is not None) == passes
