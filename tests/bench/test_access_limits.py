# Tests of overrides: in an emulated core they access only memory that is checked
# MIT license; Copyright (c) 2026 the tflm authors

import copy
import functools
import random
import struct
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
from fuzz.campaign import cases_of
from fuzz.forgery import forged_records
from fuzz.kernel_tracer import Endless, Machine
from packed_cases import BUILD, emulated, firmware_of
from tflm import format as layout
from tflm.access_checks import check_of
from tflm.access_checks.record import Record
from tflm.model import FlatModel
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import flatten

_ARCHS = {"rv32": "rv32imc", "m0plus": "armv6m", "m33": "armv7emsp"}

# {kernel that has an override: the tests with its cases}
_KERNELS = {
    "conv_float.eval_float32": "test_conv_float",
    "depthwise_conv_float.eval_float32": "test_depthwise_conv_float",
    "fully_connected_float.eval_float32": "test_fully_connected_float",
    "pooling_float.eval_float32": "test_pooling_float",
    "hybrid.eval_float32": "test_hybrid",
    "hybrid_quantize.eval_float32": "test_hybrid",
    "unidirectional_sequence_lstm_float.eval_float32": "test_unidirectional_sequence_lstm",
}
# Kernels with an override on one core only.
_MORE = {"m0plus": {"sigmoid_int16.eval_int16": "test_sigmoid_int16"}}
_TESTS = _KERNELS | {kernel: test for each in _MORE.values() for kernel, test in each.items()}
_PAIRS = [(core, kernel) for core in _ARCHS for kernel in (*_KERNELS, *_MORE.get(core, ()))]
# LSTM runs on one core only, because its portable kernel takes minutes.
_LSTM = "unidirectional_sequence_lstm_float.eval_float32"
_PAIRS = [pair for pair in _PAIRS if pair[1] != _LSTM or pair[0] == "rv32"]
# Operands that are scratch buffers. An override may leave other numbers in them.
_SCRATCH = {
    "pooling_float.eval_float32": 3,
    "unidirectional_sequence_lstm_float.eval_float32": 5,
}
# Results that are not compared: SMLAD uses zero points of 16 bits, but random ones have 32.
_NOT_COMPARED = {("m33", "hybrid.eval_float32")}
_MAX_RECORDS, _MAX_FORGERIES = 16, 200
_MAX_FORGED_RUNS = 12  # of a record
_MAX_JOBS = 110

# Each job has a window of addresses: slots for operands in the arena, then slots for operands in
# the model. Only the pages of the operands exist. An operand is at the end or at the beginning of
# its pages, so that an access outside stops the core.
_FIRST_WINDOW, _WINDOW, _SLOT, _PAGE = 0x00200000, 0x200000, 0x8000, 0x1000
_ROM = _WINDOW // 2
_PAGES_END = _SLOT - _PAGE
_LIST = 0x14000000

_SCRIPT = """\
import struct, sys, uctypes
from binascii import hexlify
from tflm.op_resolver import OpResolver

words = struct.unpack("<{count}I", uctypes.bytearray_at({jobs}, 4 * {count}))
kernel = OpResolver().kernel("{kernel}")
assert "tflm.kernels.{arch}.{file}" in sys.modules
at = 0
while at < {count}:
    record, size, base, units, outputs = words[at : at + 5]
    at += 5
    buffers = uctypes.bytearray_at(record, size), uctypes.bytearray_at(base, {rom}), (
        uctypes.bytearray_at(base + {rom}, {rom})
    )
    half = units // 2
    for start, stop in ((0, half), (half, units)):
        if start < stop:
            kernel(*buffers, start, stop)
    for _ in range(outputs):
        print(hexlify(uctypes.bytearray_at(*words[at : at + 2])).decode())
        at += 2
    print(".")
"""


# A record whose operands each have their own pages.
class _Job:
    def __init__(self, record, operands, contents, rng, at_end):
        words = list(struct.unpack(f"<{record.words}I", record.table(0, record.words)))
        self.memory = {}  # {offset in the window: bytes}, of whole operands
        self.ranges = {}
        for operand, (start, stop) in sorted(record.ranges.items()):
            size, in_model = stop - start, words[operand] & 1
            if not size:
                continue
            slot = operand * _SLOT
            at = slot + (_PAGES_END - size if at_end else _PAGE)
            words[operand] = at << 2 | in_model
            data = contents(rng, size)
            if in_model and stop <= len(record.model.buffer):
                data = bytes(record.model.buffer[start:stop])
            self.memory[at + _ROM * in_model] = data
            self.ranges[operand] = at, at + size
        self.written = [each for each in record.written if each in self.ranges]
        self.record = struct.pack(f"<{len(words)}I", *words)
        self.units, self.words, self.operands = words[0], words, operands

    # The memory of a base, in whole.
    def buffer(self, base):
        data = bytearray(_ROM)
        for at, contents in self.memory.items():
            if at // _ROM == base:
                data[at % _ROM : at % _ROM + len(contents)] = contents
        return data

    # The record as it is checked in a large model.
    def checked(self, kernel, arena_bytes=_ROM, model_bytes=_ROM):
        model = SimpleNamespace(
            head_bytes=arena_bytes, arena_bytes=arena_bytes, buffer=memoryview(bytes(model_bytes))
        )
        record = Record(model, memoryview(self.record), self.operands)
        check_of(kernel)(record)
        record.settle()
        return record


def _floats(rng, size):
    values = np.random.default_rng(rng.randrange(1 << 30)).normal(size=size // 4 + 1)
    return values.astype("<f4").tobytes()[:size]


def _bytes(rng, size):
    return rng.randbytes(size)


# Return the record if it passes its check and its operands fit their slots, else None.
def _accepted(model, kernel, data, operands):
    record = Record(model, memoryview(data), operands)
    try:
        record.need(record.units)
        check_of(kernel)(record)
        record.settle()
    except ValueError:
        return None
    fits = all(stop - start < _PAGES_END - _PAGE for start, stop in record.ranges.values())
    return record if fits else None


# Yield (model, bytes of a record, number of its operands) of the cases of a kernel.
def _records(kernel):
    seen = set()
    for case in cases_of(_TESTS[kernel]):
        model = FlatModel(flatten(case.build(), optimize="off"))
        first, count, *_ = model.subgraph(0)
        for number in range(first, first + count):
            name, _, _, data, operands, _ = model.op(number)
            words = list(struct.unpack(f"<{len(data) // 4}I", data))
            shape = tuple(words[operands + 1 :])
            if name != kernel or shape in seen:
                continue
            seen.add(shape)
            for i in range(1, operands + 1):
                if not words[i] & 1:
                    words[i] &= 0xFFFFFFFF ^ layout.IN_TAIL
            size = model.arena_bytes
            memory = SimpleNamespace(head_bytes=size, arena_bytes=size, buffer=model.buffer)
            yield memory, struct.pack(f"<{len(words)}I", *words), operands


# Return the arena that the portable kernel leaves; None if the kernel takes too long.
def _portable(kernel, job):
    arena = job.buffer(0)
    try:
        Machine(32).run(kernel, job.checked(kernel), arena, job.buffer(1))
    except Endless:
        return None
    return arena


# Return (job, the arena that the portable kernel leaves, or None for a forged record) of some
# records of a kernel. Operands are at the ends or at the beginnings of their pages.
@functools.cache
def _jobs(kernel, forged_runs=_MAX_FORGED_RUNS):
    rng = random.Random(zlib.crc32(kernel.encode()))
    jobs, forged_jobs = [], []
    records = list(_records(kernel))
    rng.shuffle(records)
    for model, data, operands in records[:_MAX_RECORDS]:
        record = _accepted(model, kernel, data, operands)
        if record is None:
            continue
        for at_end in (True, False):
            job = _Job(record, operands, _floats, rng, at_end)
            arena = _portable(kernel, job)
            if arena is not None:
                jobs.append((job, arena))
        size = model.arena_bytes + 512
        larger = SimpleNamespace(
            head_bytes=size, arena_bytes=size, buffer=memoryview(bytes(model.buffer) + bytes(512))
        )
        forged = [
            _accepted(larger, kernel, each, operands)
            for each in forged_records(data, rng, _MAX_FORGERIES)
        ]
        for each in [each for each in forged if each][:forged_runs]:
            contents = rng.choice((_floats, _bytes))
            job = _Job(each, operands, contents, rng, rng.randrange(4) > 0)
            if _portable(kernel, job) is not None:
                forged_jobs.append((job, None))
    rng.shuffle(forged_jobs)
    return jobs + forged_jobs[: max(0, _MAX_JOBS - len(jobs))]


# Run jobs on a core; return the bytes of their written operands. Raises ToolError if a job
# accesses memory that it does not have.
def _run(core, kernel, jobs):
    contents, words, lists = [], [], bytearray()
    for number, (job, _) in enumerate(jobs):
        base = _FIRST_WINDOW + number * _WINDOW
        for at, data in job.memory.items():
            before = at % _PAGE
            contents.append((base + at - before, bytes(before) + data, True))
        words += [_LIST + len(lists), len(job.record), base, job.units, len(job.written)]
        for operand in job.written:
            start, stop = job.ranges[operand]
            words += [base + start, stop - start]
        lists += job.record
    jobs_at = _LIST + len(lists)
    lists += struct.pack(f"<{len(words)}I", *words)
    contents.append((_LIST, bytes(lists)))
    file, _, _ = kernel.partition(".")
    script = _SCRIPT.format(
        kernel=kernel, file=file, arch=_ARCHS[core], jobs=jobs_at, count=len(words), rom=_ROM
    )
    files = emulated.file_system(BUILD, core)
    said = emulated.run(core, firmware_of(core), files, script, contents)
    assert not said["error"], said["error"]
    return [each.split() for each in said["text"].split(".\n")[:-1]]


# Whether two arrays of float32 or of other numbers have the same bits; a NaN equals any NaN.
def _same(got, wanted):
    if got == wanted or len(got) % 4:
        return got == wanted
    one, other = (np.frombuffer(each, "<f4") for each in (got, wanted))
    nan = np.isnan(one) & np.isnan(other)
    return bool((nan | (one.view("<u4") == other.view("<u4"))).all())


def _need_firmware(core):
    if not firmware_of(core).exists():
        pytest.skip(f"there is no firmware for {core}; `make -C tests asm` builds it")


@pytest.mark.parametrize(("core", "kernel"), _PAIRS)
def test_overrides_stay_in_checked_memory(core, kernel):
    _need_firmware(core)
    jobs = _jobs(kernel)
    assert len(jobs) > 20
    outputs = _run(core, kernel, jobs)
    for (job, arena), found in zip(jobs, outputs, strict=True):
        for operand, text in zip(job.written, found, strict=True):
            start, stop = job.ranges[operand]
            if arena is None or operand == _SCRATCH.get(kernel):
                continue
            if (core, kernel) not in _NOT_COMPARED:
                assert _same(bytes.fromhex(text), bytes(arena[start:stop])), (operand, job.words)


# Each operand in turn is at the end of the arena or of the model, which is then a byte too short.
@pytest.mark.parametrize("kernel", _TESTS)
def test_records_that_touch_one_byte_too_many_are_refused(kernel):
    job = copy.copy(_jobs(kernel, forged_runs=0)[0][0])
    for operand, (start, stop) in job.ranges.items():
        in_model = job.words[operand] & 1
        words = list(job.words)
        words[operand] = _ROM - (stop - start) << 2 | in_model
        job.record = struct.pack(f"<{len(words)}I", *words)
        job.checked(kernel)
        with pytest.raises(ValueError):
            job.checked(kernel, _ROM - 1 + in_model, _ROM - in_model)


# The pages of each operand in turn are missing.
@pytest.mark.parametrize(("core", "kernel"), [each for each in _PAIRS if each[0] == "rv32"])
def test_access_to_missing_memory_is_reported(core, kernel):
    _need_firmware(core)
    job, _ = max(_jobs(kernel, forged_runs=0), key=lambda each: each[0].units)
    for at in list(job.memory):
        data = job.memory.pop(at)
        with pytest.raises(ToolError, match="crashed"):
            _run(core, kernel, [(job, None)])
        job.memory[at] = data
