# tflm: TFLM_DECODE, compressed constants: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .common import check, check_dtype, support

LUT = ("input", "values", "output", "first_value", "bits", "size", "stride", "inner", "channels")
PRUNE = ("input", "values", "output", "ranks", "zero_points", "first_value", "size", "inner")
PRUNE += ("channels",)
HUFFMAN = ("input", "values", "output", "position", "first_value", "entries", "entry_bytes")
HUFFMAN += ("first_bits", "input_bits", "size")

_HEADER = 16  # bytes of the ancillary tensor before its values
_TYPES = (dtypes.BOOL, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16, dtypes.INT32, dtypes.INT64)
_RANK_BYTES = 32  # of the mask, from one rank to the next; kernels/decode_prune.py


# Pairs of a compressed tensor and an ancillary tensor, both constant, become one tensor each.
def prepare(context, node):
    outputs = len(node.outputs)
    check(outputs > 0 and len(node.inputs) == 2 * outputs, node, "it needs 2 inputs per output")
    for i in range(outputs):
        source, ancillary, target = node.input(2 * i), node.input(2 * i + 1), node.output(i)
        for tensor in (source, ancillary):
            check(tensor.is_constant(), node, "%s is not constant" % tensor)
        header = bytes(ancillary.data[:_HEADER])
        check(len(header) == _HEADER, node, "%s has no header" % ancillary)
        support(header[1] == 1 and header[4] == 1, node, "this version of %s" % ancillary)
        support(header[0] in _KINDS, node, "compression of type %d" % header[0])
        _KINDS[header[0]](context, node, source, ancillary, target, header)


# Return the assignment of elements to channels: (elements in a row of one channel, channels).
def _channels(node, target):
    elements, channels = target.elements(), target.scales_length()
    if channels < 2:
        check(not target.quantized_dimension, node, "%s has one channel" % target)
        return max(elements, 1), 1
    if target.quantized_dimension == len(target.shape) - 1:
        inner = 1
    else:
        support(target.quantized_dimension == 0, node, "the channel axis of %s" % target)
        inner = elements // channels
    check(elements % (channels * max(inner, 1)) == 0, node, "the channels do not fit %s" % target)
    return max(inner, 1), channels


# Each element is an index of some bits into a table, of its channel or of all channels.
def _prepare_lut(context, node, source, ancillary, target, header):
    check_dtype(node, target, *_TYPES)
    bits, stride = header[5] & 7, header[6]
    check(bits > 0, node, "indices of 0 bits")
    elements, size = target.elements(), dtypes.itemsize(target.dtype)
    check(8 * source.nbytes() >= bits * elements, node, "%s is too short" % source)
    inner, channels = _channels(node, target)
    # Each channel has `stride` entries. An index must not exceed the tables: if there are fewer
    # entries than indices, zeros follow the last channel's entries.
    filled = _HEADER + ((channels - 1) * stride + min(stride, 1 << bits)) * size
    check(filled <= ancillary.nbytes(), node, "%s is too short for its channels" % ancillary)
    values, first = ancillary, _HEADER
    missing = _HEADER + ((channels - 1) * stride + (1 << bits)) * size - ancillary.nbytes()
    if missing > 0:
        values, first = context.constant(bytes(ancillary.data) + bytes(missing)), _HEADER
    context.emit(
        "decode_lut.eval_any",
        LUT,
        elements,
        elements * (4 + size),
        input=source,
        values=values,
        output=target,
        first_value=first,
        bits=bits,
        size=size,
        stride=stride,
        inner=inner,
        channels=channels,
    )


# A mask selects the elements with a value; the others are the zero point.
def _prepare_prune(context, node, source, ancillary, target, header):
    check_dtype(node, target, *_TYPES)
    elements, size = target.elements(), dtypes.itemsize(target.dtype)
    check(8 * source.nbytes() >= elements, node, "%s is too short" % source)
    inner, channels = _channels(node, target)
    points = [target.zero_point(i) for i in range(channels)]
    if target.dtype == dtypes.INT8:
        check(min(points) >= -128 and max(points) <= 127, node, "a zero point is out of range")
    else:
        support(not any(points), node, "%s with a zero point" % target)
    ranks, count = _ranks(bytes(source.data), elements)
    check(_HEADER + count * size <= ancillary.nbytes(), node, "%s is too short" % ancillary)
    context.emit(
        "decode_prune.eval_any",
        PRUNE,
        elements,
        elements * (2 + size),
        input=source,
        values=ancillary,
        output=target,
        ranks=context.constant(ranks),
        zero_points=context.constant(bytes([point & 0xFF for point in points])),
        first_value=_HEADER,
        size=size,
        inner=inner,
        channels=channels,
    )


# Return the number of elements before each block of the mask, as words, and in all.
def _ranks(mask, elements):
    counts = [bin(byte).count("1") for byte in range(256)]
    ranks, total = [], 0
    for i in range((elements + 7) // 8):
        if i % _RANK_BYTES == 0:
            ranks.append(total)
        byte = mask[i]
        if 8 * i + 8 > elements:
            byte &= 0xFF00 >> (elements - 8 * i)
        total += counts[byte & 0xFF]
    return struct.pack("<%dI" % len(ranks), *ranks), total


# Codewords, and tables that lead from their bits to elements.
def _prepare_huffman(context, node, source, ancillary, target, header):
    check_dtype(node, target, dtypes.INT8, dtypes.INT16)
    entry_bytes = 4 if header[5] & 1 else 2
    wide = entry_bytes == 4 or target.dtype == dtypes.INT8
    support(wide, node, "%s with tables of 16 bits" % target)
    first_bits = (header[5] >> 4) + 1
    entries = (ancillary.nbytes() - _HEADER) // entry_bytes
    check(entries >= 1 << first_bits, node, "%s is too short" % ancillary)
    context.emit(
        "decode_huffman.eval_any",
        HUFFMAN,
        target.elements(),
        target.elements() * 16,
        input=source,
        values=ancillary,
        output=target,
        position=context.request_scratch_buffer(4),
        first_value=_HEADER,
        entries=entries,
        entry_bytes=entry_bytes,
        first_bits=first_bits,
        input_bits=8 * source.nbytes(),
        size=dtypes.itemsize(target.dtype),
    )


# By the first byte of the ancillary tensor.
_KINDS = {0: _prepare_lut, 1: _prepare_huffman, 2: _prepare_prune}
