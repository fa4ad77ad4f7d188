# Small records of every kernel, from the cases of tests/kernels and from banded models
# MIT license; Copyright (c) 2026 the tflm authors

import functools
import struct
from types import SimpleNamespace

from tflm import format as layout
from tflm.access_checks import check_of
from tflm.access_checks.bands import made_records
from tflm.access_checks.record import Record
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten
from tflm_tools.targets import PACKING_TARGETS

from . import banded_models, learner_models
from .campaign import cases_of
from .forgery import one_of_each

# Test files whose cases together have all kernels: rarely, or in many cases.
_RARE = (
    "test_complex", "test_conv_int16", "test_decode", "test_dense_lut", "test_dsp",
    "test_elementwise_math", "test_hybrid", "test_hybrid_recurrent", "test_lanes",
    "test_litert_operators", "test_sigmoid_int16", "test_signal_fft", "test_signal_front_end",
    "test_signal_state", "test_svdf", "test_svdf_float",
    "test_unidirectional_sequence_lstm", "test_unpack_int4", "test_unsigned",
)  # fmt: skip
_COMMON = (
    "test_abs", "test_add", "test_add_n", "test_arg_min_max", "test_arithmetic_float",
    "test_attention", "test_attention_float", "test_batch_matmul", "test_bitwise_xor",
    "test_broadcast_to", "test_cast", "test_comparisons", "test_control_flow", "test_conv_float",
    "test_cumsum",
    "test_depthwise_conv", "test_depthwise_conv_float", "test_depthwise_conv_int16",
    "test_dequantize", "test_detection_postprocess", "test_div", "test_dynamic_update_slice",
    "test_fully_connected_float", "test_fully_connected_int16", "test_gather", "test_gelu",
    "test_gru", "test_int16_table", "test_local_response_normalization", "test_random",
    "test_l2_normalization", "test_log_softmax", "test_maximum_minimum", "test_mul", "test_norm",
    "test_one_hot", "test_pad", "test_pooling", "test_prelu", "test_quantize", "test_reduce",
    "test_reduce_float", "test_reduce_int32", "test_resize_bilinear", "test_resize_bilinear_float",
    "test_resize_nearest_neighbor", "test_reverse_sequence", "test_softmax_float",
    "test_softmax_int16", "test_squared_difference", "test_sub", "test_topk",
    "test_transpose_conv", "test_unary_float",
)  # fmt: skip
FILES = (*_RARE, *_COMMON, "learner", "banded")
_FEW, _MANY = 9, 60  # cases, about
# Test files in which a kernel may have one case in a hundred.
_ALL = ("test_dsp", "test_hybrid", "test_lanes", "test_litert_operators", "test_quantize")
_MAX_ARENA_BYTES = 1 << 13
_SPARE_BYTES = 512  # after the end of an arena and of a model


@functools.cache
def models(name, count=None):
    """Return small .tflm that together have all kernels of one of FILES.

    count: flatten about that number of cases, and return all of their models.
    """
    if name == "learner":
        return learner_models.models()
    if name == "banded":
        return banded_models.models()
    cases = cases_of(name)
    most = count or (_FEW if name in _COMMON else _MANY)
    step = 1 if name in _ALL and not count else max(1, len(cases) // most)
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
    flats = [x for x in flats if FlatModel(x).arena_bytes < _MAX_ARENA_BYTES]
    return flats if count else one_of_each(flats)


def checked(model, kernel, data, operands):
    """Return the Record of these bytes if it passes the check of its kernel, else None."""
    record = Record(model, memoryview(data), operands)
    try:
        record.need(record.units)
        check_of(kernel)(record)
        record.settle()
    except ValueError:
        return None
    return record


def with_spare_bytes(model, rng):
    """Return the model in more memory than it needs, so that larger numbers pass the checks.

    It has no tail.
    """
    size = model.arena_bytes + _SPARE_BYTES
    data = bytes(model.buffer) + rng.randbytes(_SPARE_BYTES)
    return SimpleNamespace(head_bytes=size, arena_bytes=size, buffer=memoryview(data))


def _refuse(number, kernel):
    raise AssertionError(f"op {number} ({kernel}) of a valid model is refused")


def ops(model):
    """Yield (number, kernel, bytes of its record, number of its operands) of each op.

    For an op of a chain, the record is assembled as in a band in which the op has units.
    """
    chains = {}
    for number in range(model.subgraphs_length()):
        first, count, *_ = model.subgraph(number)
        if number not in chains:
            for i in range(first, first + count):
                kernel, _, _, data, operands, _ = model.op(i)
                yield i, kernel, data, operands
                if kernel == layout.BANDS_KERNEL:
                    chains[Record(model, data, operands)[2]] = i, data
            continue
        records = made_records(model, first, count, *chains[number], _refuse)
        for i, kernel, record in {i: (i, *rest) for i, *rest in records}.values():
            yield i, kernel, record.table(0, record.words), model.op(i)[4]


def without_tail(record, operands):
    """Return the bytes of a record without operands in the tail."""
    words = list(struct.unpack(f"<{len(record) // 4}I", record))
    for i in range(1, operands + 1):
        words[i] &= 0xFFFFFFFF if words[i] & 1 else 0xFFFFFFFF ^ layout.IN_TAIL
    return struct.pack(f"<{len(words)}I", *words)


@functools.cache
def records(count=None):
    """Return {kernel: [(FlatModel, bytes of the record, operands, scratch operands)]}.

    count: as for models(). The records of a kernel differ in more than operands; records of
    small models are first.
    """
    found, seen = {}, set()
    for flat in sorted({flat for name in FILES for flat in models(name, count)}, key=len):
        model = FlatModel(flat)
        scratch = model.scratch()
        for number, kernel, data, operands in ops(model):
            data = without_tail(data, operands)
            key = kernel, data[:4], data[4 * (operands + 1) :]
            if key in seen or not check_of(kernel):
                continue
            seen.add(key)
            buffers = {operand for operand, _ in scratch.get(number, ())}
            found.setdefault(kernel, []).append((model, data, operands, buffers))
    return found
