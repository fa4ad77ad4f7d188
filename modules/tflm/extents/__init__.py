# tflm: extents: what the records of a .tflm make kernels touch, before any of them runs
# MIT license; Copyright (c) 2026 the tflm authors

# Kernels check nothing: they go where the numbers of their records send them. Prepare writes only
# records that keep them inside; a .tflm may have been written by somebody else. Each family of
# kernels has a file here, which computes from a record what its kernel reads and writes at most.
# docs/security.md says which kernels have none.

import struct

from .. import format as layout
from ..errors import ModelError
from .record import Record

_BANDS = layout.CONTROL_KERNEL + "bands"

# File of a kernel: the file here that knows it.
_FAMILIES = {
    "add": "binary",
    "add_int16": "binary",
    "add_int32": "binary",
    "add_table": "binary",
    "comparisons": "binary",
    "conv": "convolution",
    "conv_dsp": "dsp",
    "conv_lanes": "lanes",
    "copy": "movers",
    "depthwise_conv": "convolution",
    "depthwise_conv_dsp": "dsp",
    "depthwise_conv_lanes": "planes",
    "dequantize": "unary",
    "fully_connected": "convolution",
    "fully_connected_dsp": "dsp",
    "fully_connected_lanes": "lanes",
    "lookup": "unary",
    "maximum_minimum": "binary",
    "mul": "binary",
    "mul_int16": "binary",
    "pad": "movers",
    "pooling": "pooling",
    "pooling_int16": "pooling",
    "quantize": "unary",
    "reduce": "reduce",
    "reduce_min_max": "reduce",
    "resize_nearest_neighbor": "movers",
    "rescale": "unary",
    "softmax": "softmax",
    "strided_copy": "movers",
}


# The check of a kernel, or None.
def check_of(kernel):
    family = _FAMILIES.get(kernel.split(".")[0])
    if family is None:
        return None
    name = "tflm.extents." + family
    return __import__(name, None, None, ("CHECKS",)).CHECKS.get(kernel)


# The error for a record that would leave its memory.
def _refuse(i, kernel):
    raise ModelError(
        "the .tflm is damaged: op %d (%s) would reach outside of its memory; flatten or copy the "
        "model again" % (i, kernel)
    )


# Check the records of a FlatModel, and when `describe` what delegates are told of them; raises
# ModelError. Returns names of kernels without a check.
def check_model(model, describe=False):
    unchecked = []
    _check_inputs(model)
    scratch = model.scratch() if describe else {}
    chains = {}  # list of steps: (number, record) of the op that runs it in bands
    for number in range(model.subgraphs_length()):
        first, count, _, _, _ = model.subgraph(number)
        if number in chains:
            _check_chain(model, first, count, *chains[number])
            continue
        for i in range(first, first + count):
            kernel, _, _, data, operands, _ = model.op(i)
            record = Record(model, data, operands)
            if not record.units:
                _refuse(i, kernel)
            if kernel == _BANDS:
                if record.words < 4 or record[2] <= number:
                    _refuse(i, kernel)
                chains[record[2]] = (i, data)
            elif kernel.startswith(layout.CUSTOM_KERNEL) or kernel.startswith(
                layout.CONTROL_KERNEL
            ):
                pass  # checked by those who run them
            elif not _check(i, record, kernel, scratch.get(i, ())) and kernel not in unchecked:
                unchecked.append(kernel)
    return unchecked


# Inputs are written by the user: they must lie in the arena.
def _check_inputs(model):
    *_, inputs, _ = model.subgraph()
    for i in range(inputs):
        word, size = model.tensor(i)[:2]
        if size and word & 1:
            raise ModelError(
                "the .tflm is damaged: input %d is a constant; flatten the model again" % i
            )


# True when the kernel has a check; raises ModelError for a record that does not pass it, or whose
# scratch buffers, as delegates are told, are smaller than what the kernel needs.
def _check(i, record, kernel, scratch=()):
    check = check_of(kernel)
    if check is None:
        return False
    try:
        check(record)
        for operand, size in scratch:
            start, stop = record.extents.get(operand, (0, 0))
            record.need(stop - start <= size)
        return True
    except ValueError:
        pass
    _refuse(i, kernel)


# The records of a chain in bands (bands.py) change in between: check them as each band finds
# them. None of its steps may write where these records lie meanwhile.
def _check_chain(model, first, count, control, data):
    numbers = struct.unpack_from("<%dI" % (len(data) // 4), data, 0)
    bands, block, _, words = numbers[:4]
    at = block >> 2
    steps = []
    starts = []
    size = 0
    for i in range(first, first + count):
        kernel, _, _, record, operands, _ = model.op(i)
        if len(record) & 3:
            _refuse(i, kernel)
        if kernel.startswith(layout.CONTROL_KERNEL) or kernel.startswith(layout.CUSTOM_KERNEL):
            _refuse(i, kernel)
        steps.append((i, kernel, operands, size, len(record)))
        starts.append(bytes(record))
        size += len(record)
    inside = block & 3 == 0 and at + 4 * words <= model.head_bytes and size <= 4 * words
    if not inside or not 0 < bands < len(numbers) - 4:
        _refuse(control, _BANDS)
    state = bytearray(b"".join(starts))
    for band in range(bands):
        start, stop = numbers[4 + band], numbers[5 + band]
        if not bands + 5 <= start <= stop <= len(numbers) or stop - start & 1:
            _refuse(control, _BANDS)
        changed = set()
        for k in range(start, stop, 2):
            if numbers[k] * 4 >= size:
                _refuse(control, _BANDS)
            struct.pack_into("<I", state, 4 * numbers[k], numbers[k + 1])
            changed.add(4 * numbers[k])
        for i, kernel, operands, begin, length in steps:
            if band and not any([begin <= k < begin + length for k in changed]):
                continue
            record = Record(model, memoryview(state)[begin : begin + length], operands)
            record.locked = (at, at + 4 * words)
            if record.units:
                _check(i, record, kernel)
