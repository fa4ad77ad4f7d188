# Tests of overrides: in an emulated core they access only memory that is checked
# MIT license; Copyright (c) 2026 the tflm authors

import functools
import os
import random
import struct
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
from fuzz import kernel_records
from fuzz.forgery import edge_records, forged_records
from fuzz.kernel_tracer import Endless, Machine
from paged_cores import CORES, PAGE, first_window, is_there, run
from tflm.access_checks import check_of
from tflm.access_checks.record import Record
from tflm.errors import TflmError
from tflm_tools.errors import ToolError

# `make -C tests access` runs every kernel with this number of records, and more of the cases of
# tests/kernels. Without it, a few kernels run with a few records.
_JOBS = int(os.environ.get("TFLM_ACCESS_JOBS", "0"))
_FEW_JOBS, _FEW_KERNELS = 12, 8
_CASES = _JOBS // 8 or None  # of a test file, whose records are changed
_RECORDS = max(8, _JOBS // 16)  # of a kernel, whose words are changed
_VALID = 4  # of them are run as they are, at both ends of their pages
_MAX_TURNS = 20_000  # of the portable kernel, for a record

# Each job has a window of addresses: slots for operands in the arena, then slots for operands in
# the model. Only the pages of the operands exist. An operand is at the end or at the beginning of
# its pages, so that an access outside stops the core.
_WINDOW, _SLOT = 0x200000, 0x8000
_ROM = _WINDOW // 2
_PAGES_END = _SLOT - PAGE
_MOST_WINDOWS = 110
_MOST_PAGES = 600  # of the windows of a run: the emulated Xtensa has little memory

_SCRIPT = """\
import struct, sys, uctypes
from binascii import hexlify
from tflm.errors import InputError
from tflm.op_resolver import OpResolver

words = struct.unpack("<{count}I", uctypes.bytearray_at({jobs}, 4 * {count}))
resolver = OpResolver()
names = "{kernels}".split()
kernels = [resolver.kernel(name) for name in names]
at = 0

class Program:
    pass

while at < {count}:
    kernel, record, size, base, units, outputs = words[at : at + 6]
    at += 6
    op, program = Program(), Program()
    op.kernel, program.ops = names[kernel], [op]
    program.rom = uctypes.bytearray_at(base + {rom}, {rom})
    program.graphs = [[(kernels[kernel], uctypes.bytearray_at(record, size), units, units)]]
    if at % 3:  # the others run as with little memory
        resolver.bind(program)
    function, record, units, _ = program.graphs[0][0]
    half = units // 2
    for start, stop in ((0, half), (half, units)):
        try:
            if start < stop:
                function(record, uctypes.bytearray_at(base, {rom}), program.rom, start, stop)
        except InputError:
            pass  # the kernel refuses what it reads
    for _ in range(outputs):
        print(hexlify(uctypes.bytearray_at(*words[at : at + 2])).decode())
        at += 2
    print(".")
"""

# The names of the kernels that run code of an instruction set.
_OVERRIDES = """\
import sys
from tflm.op_resolver import OpResolver

for name in {kernels}:
    before = set(sys.modules)
    try:
        OpResolver().kernel(name)
    except Exception as error:
        print("-", name, error)
        continue
    loaded = set(sys.modules) - before
    if [each for each in loaded if each.startswith("tflm.kernels.") and each.count(".") > 2]:
        print("+", name)
    for each in loaded:
        if each.startswith("tflm.kernels"):
            del sys.modules[each]
"""


_MACHINE = Machine(32, _MAX_TURNS)
# Operands of int32 between -128 and 127, which another kernel writes: {kernel: operand}.
_ZERO_POINTS = {"hybrid.eval_float32": 3}


# A record whose operands each have their own pages. Raises ValueError if it is invalid there.
class _Job:
    def __init__(self, kernel, record, operands, rng, at_end):
        words = list(struct.unpack(f"<{record.words}I", record.table(0, record.words)))
        self.memory = {}  # {offset in the window: bytes}, of whole operands
        self.ranges = {}
        contents = _floats if "float32" in kernel and rng.random() < 0.7 else _bytes
        for operand, (start, stop) in sorted(record.ranges.items()):
            size, in_model = stop - start, words[operand] & 1
            # Bytes before the operand's first byte that its kernel does not touch.
            unused = start - (words[operand] >> 2)
            if not size:
                continue
            slot = operand * _SLOT
            at = slot + (_PAGES_END - size & (0 - _alignment(start)) if at_end else PAGE)
            words[operand] = at - unused << 2 | in_model
            data = contents(rng, size)
            if _ZERO_POINTS.get(kernel) == operand:
                numbers = [rng.randrange(-128, 128) for _ in range(-(-size // 4))]
                data = struct.pack(f"<{len(numbers)}i", *numbers)[:size]
            if in_model and stop <= len(record.model.buffer):
                data = bytes(record.model.buffer[start:stop])
            self.memory[at + _ROM * in_model] = data
            self.ranges[operand] = at, at + size
        self.written = [each for each in sorted(record.written) if each in self.ranges]
        self.record = struct.pack(f"<{len(words)}I", *words)
        self.kernel, self.units, self.words, self.operands = kernel, words[0], words, operands
        self.checked()

    # The memory of a base, in whole.
    def buffer(self, base):
        data = bytearray(_ROM)
        for at, contents in self.memory.items():
            if at // _ROM == base:
                data[at % _ROM : at % _ROM + len(contents)] = contents
        return data

    # The record as it is checked in a large model.
    def checked(self):
        buffer = memoryview(bytes(self.buffer(1)))
        model = SimpleNamespace(head_bytes=_ROM, arena_bytes=_ROM, buffer=buffer)
        record = Record(model, memoryview(self.record), self.operands)
        check_of(self.kernel)(record)
        record.settle()
        return record


# The largest alignment, up to 16, of an address that a kernel may rely on.
def _alignment(start):
    return start & (0 - start) & 31 and min(16, start & (0 - start)) or 16


def _floats(rng, size):
    values = np.random.default_rng(rng.randrange(1 << 30)).normal(size=size // 4 + 1)
    return values.astype("<f4").tobytes()[:size]


def _bytes(rng, size):
    kind = rng.randrange(4)
    return rng.randbytes(size) if kind else bytes([rng.choice((0, 1, 0x7F, 0x80, 0xFF))]) * size


# Return the record if it passes its check and its operands fit their slots, else None.
def _accepted(model, kernel, data, operands):
    record = kernel_records.checked(model, kernel, data, operands)
    if record is None:
        return None
    fits = all(stop - start < _PAGES_END - PAGE for start, stop in record.ranges.values())
    return record if fits and max(record.ranges, default=0) < _ROM // _SLOT else None


# Return the arena that the portable kernel leaves; None if it takes too long, or stops because of
# an index.
def _portable(job):
    arena = job.buffer(0)
    try:
        _MACHINE.run(job.kernel, job.checked(), arena, job.buffer(1))
    except (Endless, TflmError):
        return None
    return arena


# Yield (record, whether it is forged, operands, scratch operands) of a kernel, without end.
def _candidates(kernel, rng):
    known = kernel_records.records(_CASES)[kernel]
    known = known[:: max(1, len(known) // _RECORDS)]
    for model, data, operands, scratch in known[:_VALID]:
        record = _accepted(model, kernel, data, operands)
        for _ in range(2 if record else 0):
            yield record, False, operands, scratch
    queues = []
    for model, data, operands, scratch in known:
        larger = kernel_records.with_spare_bytes(model, rng)
        edges = edge_records(data, operands, rng)
        queues.append((larger, edges, data, operands, scratch))
    while queues:
        for queue in list(queues):
            larger, edges, data, operands, scratch = queue
            record = None
            for forged in edges:
                record = _accepted(larger, kernel, forged, operands)
                if record:
                    break
            else:
                for forged in forged_records(data, rng, 100):
                    record = _accepted(larger, kernel, forged, operands)
                    if record:
                        break
            if record is None:
                queues.remove(queue)
                continue
            yield record, True, operands, scratch


# Return (job, the arena that the portable kernel leaves or None, scratch operands) of some records
# of a kernel. Operands are at the ends or at the beginnings of their pages.
@functools.cache
def _jobs(kernel):
    rng = random.Random(zlib.crc32(kernel.encode()))
    jobs, most = [], _JOBS or _FEW_JOBS
    for number, (record, is_forged, operands, scratch) in enumerate(_candidates(kernel, rng)):
        at_end = rng.randrange(4) > 0 if is_forged else number % 2
        try:
            job = _Job(kernel, record, operands, rng, at_end)
        except ValueError:
            continue
        arena = _portable(job)
        if arena is not None:
            jobs.append((job, None if is_forged else arena, scratch))
        if len(jobs) == most or number > 10 * most:
            break
    return jobs


# Run jobs on a core; return the bytes of their written operands. Raises ToolError if a job
# accesses memory that it does not have.
def _run(core, jobs):
    contents, words, records = [], [], bytearray()
    kernels = sorted({job.kernel for job, *_ in jobs})
    records_at = first_window(core) + len(jobs) * _WINDOW
    for number, (job, *_) in enumerate(jobs):
        base = first_window(core) + number * _WINDOW
        for at, data in job.memory.items():
            before = at % PAGE
            contents.append((base + at - before, bytes(before) + data, at < _ROM))
        words += [kernels.index(job.kernel), records_at + len(records), len(job.record), base]
        words += [job.units, len(job.written)]
        for operand in job.written:
            start, stop = job.ranges[operand]
            words += [base + start, stop - start]
        records += job.record
    jobs_at = records_at + len(records)
    contents.append((records_at, bytes(records) + struct.pack(f"<{len(words)}I", *words), True))
    script = _SCRIPT.format(kernels=" ".join(kernels), jobs=jobs_at, count=len(words), rom=_ROM)
    text = run(core, script, contents)
    return [each.split() for each in text.split(".\n")[:-1]]


# Yield jobs in lists that fit the memory of a core.
def _batches(jobs):
    batch, pages = [], 0
    for job in jobs:
        needed = sum(len(data) // PAGE + 2 for data in job[0].memory.values())
        if len(batch) == _MOST_WINDOWS or pages + needed > _MOST_PAGES:
            yield batch
            batch, pages = [], 0
        batch.append(job)
        pages += needed
    yield batch


# Yield (job, the bytes of its outputs, or the error that ended it) of all jobs.
def _outputs(core, jobs):
    for batch in _batches(jobs):
        yield from _halved(core, batch)


# Of jobs that end with an error, each half is run separately.
def _halved(core, jobs):
    try:
        yield from zip(jobs, _run(core, jobs), strict=True)
    except ToolError as error:
        if len(jobs) == 1:
            yield jobs[0], error
            return
        half = len(jobs) // 2
        yield from _halved(core, jobs[:half])
        yield from _halved(core, jobs[half:])


# Whether two arrays of float32 or of other numbers have the same bits; a NaN equals any NaN.
def _same(got, wanted):
    if got == wanted or len(got) % 4:
        return got == wanted
    one, other = (np.frombuffer(each, "<f4") for each in (got, wanted))
    nan = np.isnan(one) & np.isnan(other)
    return bool((nan | (one.view("<u4") == other.view("<u4"))).all())


def _need(core):
    if not is_there(core):
        pytest.skip(f"there is no firmware for {core}; `make -C tests asm` builds it")


# The kernels with records that run an override on a core, or functions of one.
@functools.cache
def _kernels(core):
    text = run(core, _OVERRIDES.format(kernels=sorted(kernel_records.records(_CASES))))
    return [line[2:] for line in text.splitlines() if line.startswith("+")]


@pytest.mark.parametrize("core", CORES)
def test_overrides_stay_in_checked_memory(core, subtests):
    _need(core)
    kernels = [each for each in _kernels(core) if os.environ.get("TFLM_ACCESS_KERNEL", "") in each]
    if not _JOBS:
        kernels = kernels[:: -(-len(kernels) // _FEW_KERNELS)]
    jobs = [job for kernel in kernels for job in _jobs(kernel)]
    assert {job.kernel for job, *_ in jobs} == set(kernels)
    for (job, arena, scratch), found in _outputs(core, jobs):
        with subtests.test(kernel=job.kernel):
            _check(job, arena, scratch, found)


def _check(job, arena, scratch, found):
    assert not isinstance(found, ToolError), (found, job.words[:64])
    if arena is None:
        return
    for operand, text in zip(job.written, found, strict=True):
        start, stop = job.ranges[operand]
        if operand not in scratch:
            same = _same(bytes.fromhex(text), bytes(arena[start:stop]))
            assert same, (operand, job.words[:64])


# The pages of each operand in turn are missing.
@pytest.mark.parametrize("core", CORES)
def test_access_to_missing_memory_is_reported(core):
    _need(core)
    job, *_ = max(_jobs("conv_float.eval_float32"), key=lambda each: each[0].units)
    for at in list(job.memory):
        data = job.memory.pop(at)
        with pytest.raises(ToolError, match="crashed|FAULT"):
            _run(core, [(job, None, ())])
        job.memory[at] = data
