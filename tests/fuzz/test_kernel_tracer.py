# Tests of modules/tflm/access_checks: kernels access only the memory that their checks compute
# MIT license; Copyright (c) 2026 the tflm authors

import contextlib
import functools
import random
import re
import struct
from types import SimpleNamespace

import pytest
from fuzz import banded_models, learner_models
from fuzz.campaign import cases_of
from fuzz.forgery import forged_records, one_of_each
from fuzz.kernel_tracer import KERNELS, Endless, Machine, Outside
from tflm import format as layout
from tflm.access_checks import check_of
from tflm.access_checks.bands import BANDS_KERNEL, made_records
from tflm.access_checks.record import Record
from tflm.errors import TflmError
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten
from tflm_tools.targets import PACKING_TARGETS

# Test files whose cases together have all kernels: rarely, or in many cases.
_RARE = (
    "test_decode", "test_dense_lut", "test_dsp", "test_elementwise_math", "test_hybrid",
    "test_hybrid_recurrent", "test_lanes", "test_litert_operators", "test_sigmoid_int16",
    "test_signal_fft", "test_signal_front_end", "test_signal_state", "test_svdf",
    "test_svdf_float", "test_unidirectional_sequence_lstm", "test_unpack_int4", "test_unsigned",
)  # fmt: skip
_COMMON = (
    "test_abs", "test_add", "test_add_n", "test_arg_min_max", "test_arithmetic_float",
    "test_attention", "test_batch_matmul", "test_broadcast_to", "test_cast", "test_comparisons",
    "test_control_flow", "test_conv_float", "test_conv_int16", "test_cumsum",
    "test_depthwise_conv", "test_depthwise_conv_float", "test_depthwise_conv_int16",
    "test_dequantize", "test_detection_postprocess", "test_div", "test_dynamic_update_slice",
    "test_fully_connected_float", "test_fully_connected_int16", "test_gather", "test_gelu",
    "test_l2_normalization", "test_log_softmax", "test_maximum_minimum", "test_mul",
    "test_one_hot", "test_pad", "test_pooling", "test_prelu", "test_quantize", "test_reduce",
    "test_reduce_float", "test_reduce_int32", "test_resize_bilinear", "test_resize_bilinear_float",
    "test_resize_nearest_neighbor", "test_reverse_sequence", "test_softmax_float",
    "test_softmax_int16", "test_squared_difference", "test_sub", "test_topk",
    "test_transpose_conv", "test_unary_float",
)  # fmt: skip
_FILES = (*_RARE, *_COMMON, "learner", "banded")
_FEW, _MANY = 9, 60  # cases, about
# Test files in which a kernel may have one case in a hundred.
_ALL = ("test_dsp", "test_hybrid", "test_lanes", "test_litert_operators")
_MAX_ARENA_BYTES = 1 << 13
_SPARE_BYTES = 512  # after the end of an arena and of a model
_MAX_FORGERIES = 60  # of a record
_MAX_RUNS = 8  # of a kernel, with valid and forged records
_MACHINES = {bits: Machine(bits) for bits in (32, 64)}


# Return small models that have all kernels of a test file.
@functools.cache
def _models(name):
    if name == "learner":
        return learner_models.models()
    if name == "banded":
        return banded_models.models()
    cases = cases_of(name)
    step = 1 if name in _ALL else max(1, len(cases) // (_FEW if name in _COMMON else _MANY))
    flats = []
    for i, case in enumerate(cases[::step]):
        target, compress = (
            PACKING_TARGETS[i % len(PACKING_TARGETS)],
            "armv6m compressed" in case.paths,
        )
        options = (
            {"target": "armv6m", "compress_weights": True} if compress else {"target": target}
        )
        flats.append(flatten(case.build(), optimize="off", **options))
    return one_of_each([x for x in flats if FlatModel(x).arena_bytes < _MAX_ARENA_BYTES])


# A new kernel requires its test file in _RARE or _COMMON.
def test_every_kernel_is_traced():
    flats = [flat for name in _FILES for flat in _models(name)]
    seen = {kernel for flat in flats for kernel in FlatModel(flat).kernels()}
    kernels = set()
    for path in KERNELS.glob("*.py"):
        for function in re.findall(r"^def (eval\w*)", path.read_text(), re.M):
            kernels.add(f"{path.stem}.{function}")
    assert not kernels - seen


# Return an arena with random contents, including states that no valid model has.
def _arena(rng, size):
    kind = rng.randrange(4)
    if kind == 0:
        return bytearray(rng.randbytes(size))
    if kind == 1:
        return bytearray(rng.choices((0, 0, 0, 1, 3, 9, 255), k=size))
    return bytearray(bytes([(0, 0xFF, 0x7F)[rng.randrange(3)]]) * size)


# Return the record if it passes its check, else None.
def _checked(model, kernel, data, operands):
    record = Record(model, memoryview(data), operands)
    try:
        record.need(record.units)
        check_of(kernel)(record)
        record.settle()
    except ValueError:
        return None
    return record


# Return the model in more memory than it needs, so that larger numbers pass the checks. It has no
# tail.
def _with_spare_bytes(model, rng):
    size = model.arena_bytes + _SPARE_BYTES
    data = bytes(model.buffer) + rng.randbytes(_SPARE_BYTES)
    return SimpleNamespace(head_bytes=size, arena_bytes=size, buffer=memoryview(data))


# Yield (kernel, bytes of its record, number of its operands) of each op. For an op of a chain, the
# record is assembled as in a band in which the op has units.
def _ops(model):
    chains = {}
    for number in range(model.subgraphs_length()):
        first, count, *_ = model.subgraph(number)
        if number not in chains:
            for i in range(first, first + count):
                kernel, _, _, data, operands, _ = model.op(i)
                yield kernel, data, operands
                if kernel == BANDS_KERNEL:
                    chains[Record(model, data, operands)[2]] = i, data
            continue
        records = made_records(model, first, count, *chains[number], pytest.fail)
        for i, kernel, record in {i: (i, *rest) for i, *rest in records}.values():
            yield kernel, record.table(0, record.words), model.op(i)[4]


# Return the bytes of a record without operands in the tail.
def _without_tail(record, operands):
    words = list(struct.unpack(f"<{len(record) // 4}I", record))
    for i in range(1, operands + 1):
        words[i] &= 0xFFFFFFFF if words[i] & 1 else 0xFFFFFFFF ^ layout.IN_TAIL
    return struct.pack(f"<{len(words)}I", *words)


@pytest.mark.parametrize("name", _FILES)
def test_kernels_stay_in_checked_memory(name):
    rng = random.Random(name)
    for flat in _models(name):
        model = FlatModel(flat)
        larger = _with_spare_bytes(model, rng)
        for kernel, data, operands in _ops(model):
            if not check_of(kernel):
                continue
            data = _without_tail(data, operands)
            forged = forged_records(data, rng, _MAX_FORGERIES)
            records = [_checked(larger, kernel, each, operands) for each in (data, *forged)]
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


def test_endless_loop_is_reported():
    record = _record(4, 1, 0, 0, 0, 0, 0xFFFFFFF, 3)
    record.ranges = {1: (0, 64)}
    with pytest.raises(Endless):  # one turn for each bit of a huge shift
        _MACHINES[64].run("signal_pcan.eval_uint32", record, bytearray(64), b"")
