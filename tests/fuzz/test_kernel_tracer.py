# Tests of modules/tflm/access_checks: kernels access only the memory that their checks compute
# MIT license; Copyright (c) 2026 the tflm authors

import contextlib
import random
import re
import struct
from types import SimpleNamespace

import pytest
from fuzz import kernel_records
from fuzz.forgery import forged_records
from fuzz.kernel_tracer import KERNELS, Endless, Machine, Outside
from tflm.access_checks import check_of
from tflm.access_checks.record import Record
from tflm.errors import TflmError
from tflm.model import FlatModel

_MAX_FORGERIES = 60  # of a record
_MAX_RUNS = 8  # of a kernel, with valid and forged records
_MACHINES = {bits: Machine(bits) for bits in (32, 64)}


# A new kernel requires its test file in kernel_records.
def test_every_kernel_is_traced():
    flats = [flat for name in kernel_records.FILES for flat in kernel_records.models(name)]
    seen = {kernel for flat in flats for kernel in FlatModel(flat).kernels()}
    kernels = set()
    for path in KERNELS.glob("*.py"):
        for function in re.findall(r"^def (eval\w*)", path.read_text(), re.M):
            kernels.add(f"{path.stem}.{function}")
    missing = kernels - seen
    assert not missing


# Return an arena with random contents, including states that no valid model has.
def _arena(rng, size):
    kind = rng.randrange(4)
    if kind == 0:
        return bytearray(rng.randbytes(size))
    if kind == 1:
        return bytearray(rng.choices((0, 0, 0, 1, 3, 9, 255), k=size))
    return bytearray(bytes([(0, 0xFF, 0x7F)[rng.randrange(3)]]) * size)


@pytest.mark.parametrize("name", kernel_records.FILES)
def test_kernels_stay_in_checked_memory(name):
    rng = random.Random(name)
    for flat in kernel_records.models(name):
        model = FlatModel(flat)
        larger = kernel_records.with_spare_bytes(model, rng)
        for _, kernel, data, operands in kernel_records.ops(model):
            if not check_of(kernel):
                continue
            data = kernel_records.without_tail(data, operands)
            forged = forged_records(data, rng, _MAX_FORGERIES)
            records = [
                kernel_records.checked(larger, kernel, each, operands) for each in (data, *forged)
            ]
            assert records[0] is not None
            for record in [record for record in records if record][:_MAX_RUNS]:
                machine = _MACHINES[rng.choice((32, 64))]
                arena, other = _arena(rng, larger.arena_bytes), _arena(rng, larger.arena_bytes)
                meanwhile = rng.choice((None, other))
                with contextlib.suppress(TflmError):  # of indices that are out of range
                    machine.run(kernel, record, arena, larger.buffer, meanwhile)


# Return a record in an arena of 64 bytes, without a model.
def _record(operands, *words):
    model = SimpleNamespace(head_bytes=64, arena_bytes=64, buffer=b"")
    return Record(model, memoryview(struct.pack(f"<{len(words)}I", *words)), operands)


# An access that a check does not compute is reported, and so is an odd address.
def test_access_outside_is_reported():
    kernel = "signal_window.eval_int16"
    record = _record(3, 3, 0, 24 << 2, 32 << 2, 4, 15)  # 3 frames of 4 samples
    check_of(kernel)(record)
    assert record.ranges == {1: (0, 24), 2: (24, 32), 3: (32, 56)}
    for operand, checked in [(1, (0, 22)), (2, (26, 32)), (3, (32, 54)), (None, None)]:
        before = dict(record.ranges)
        if operand is None:
            _MACHINES[32].run(kernel, record, bytearray(64), b"")
            continue
        record.ranges[operand] = checked
        with pytest.raises(Outside, match="write" if operand == 3 else "read"):
            _MACHINES[32].run(kernel, record, bytearray(64), b"")
        record.ranges = before
    record = _record(3, 3, 1 << 2, 24 << 2, 32 << 2, 4, 15)
    record.ranges = {1: (0, 64), 2: (0, 64), 3: (0, 64)}
    with pytest.raises(Outside, match="read of 2 bytes"):
        _MACHINES[64].run(kernel, record, bytearray(64), b"")


# The smaller of two ranges does not hide that the other one overlaps.
def test_operand_that_is_checked_twice():
    record = _record(2, 1, 0, 16 << 2)
    record.writes(1, 24)
    record.writes(1, 8)
    record.reads(2, 8)
    assert record.ranges == {1: (0, 24), 2: (16, 24)}
    with pytest.raises(ValueError):
        record.apart(1, 2)


def test_endless_loop_is_reported():
    record = _record(4, 1, 0, 0, 0, 0, 0xFFFFFFF, 3)
    record.ranges = {1: (0, 64)}
    with pytest.raises(Endless):  # one turn for each bit of a huge shift
        _MACHINES[64].run("signal_pcan.eval_uint32", record, bytearray(64), b"")
