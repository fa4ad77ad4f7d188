# tflm: MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_ALL, REDUCE_ANY: Prepare (TFLM reduce.h)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from . import scale
from .common import (
    REQUANTIZE,
    check,
    check_dtype,
    check_quantized,
    constant_ints,
    limits,
    positive_axis,
    product,
    requantize_table,
    scale_of,
    support,
    support_scale,
)
from .elementwise import CLAMP

# Words of every reduction: the elements of each output.
REDUCE = (
    # The kept dimensions, innermost first: length, bytes from one to the next.
    "kept0",
    "kept_step0",
    "kept1",
    "kept_step1",
    "kept_step2",
    # The reduced dimensions, innermost first.
    "reduced0",
    "reduced_step0",
    "reduced1",
    "reduced_step1",
    "reduced2",
    "reduced_step2",
)
_OPERANDS = ("input", "output", "accumulators")
# Elements between two calls of a helper; the offset of a sum of flipped elements.
_SUMS = ("block", "offset")
INT8 = _OPERANDS + REDUCE + _SUMS + REQUANTIZE
INT16 = _OPERANDS + REDUCE + _SUMS + CLAMP + ("multiplier", "shift")
MIN_MAX = ("input", "output") + REDUCE + ("flip",)
INT32 = ("input", "output") + REDUCE + ("kind",)
MEAN_INT32 = ("input", "output") + REDUCE + ("count",)

_OPTIONS = const(27)  # ReducerOptions
_KEEP_DIMS = const(0)
_MEAN = const(40)
_SUM = const(74)
_REDUCE_MAX = const(82)
_REDUCE_MIN = const(89)
_REDUCE_ALL = const(140)
_REDUCE_ANY = const(91)  # not in TFLM
_BLOCK = 32
_LEVELS = 3  # levels of 6 dimensions, kept and reduced ones in turns


# The shape of the input without the axes, or with 1 instead of them.
def output_shapes(node):
    shape = node.input(0).shape
    axes = reduced_axes(node, node.input(0), node.input(1))
    if node.options(_OPTIONS).get(_KEEP_DIMS, "B"):
        return [[1 if i in axes else d for i, d in enumerate(shape)]]
    return [[d for i, d in enumerate(shape) if i not in axes]]


# The output's own shape counts, with or without the reduced dimensions.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check(len(node.inputs) == 2, node, "it must have 2 inputs")
    kernels = _SUM_KERNELS if node.builtin_code == _SUM else _MEAN_KERNELS
    if node.builtin_code in (_REDUCE_ALL, _REDUCE_ANY):
        kernels = _ALL
    elif node.builtin_code in (_REDUCE_MAX, _REDUCE_MIN):
        kernels = _EXTREMES
    check_dtype(node, source, *sorted(kernels))
    check_dtype(node, target, source.dtype)
    axes = reduced_axes(node, source, node.input(1))
    kept, reduced = _levels(node, source, axes)
    outputs = product(output_shapes(node)[0])
    count = product([source.shape[axis] for axis in axes])
    check(
        target.elements() == outputs,
        node,
        "%s should have the dimensions of %s except the axes" % (target, source),
    )
    fields = {"kept_step2": kept[2][1]}
    for i in (0, 1):
        fields["kept%d" % i], fields["kept_step%d" % i] = kept[i]
    for i in (0, 1, 2):
        fields["reduced%d" % i], fields["reduced_step%d" % i] = reduced[i]
    kernels[source.dtype](context, node, count, fields)


# Return the axes in a tensor of int32; they may be negative or repeated. A scalar has no axes.
def reduced_axes(node, source, axes):
    rank = len(source.shape)
    if not axes.elements():
        return []  # a tensor without elements has no data that could be constant
    numbers = constant_ints(node, axes, "the axis")
    if not rank:
        return []
    return sorted({positive_axis(node, axis, rank) for axis in numbers})


def _int8(context, node, count, fields):
    multiplier, shift, zero_point = _output(node, count)
    _emit(
        context,
        node,
        "reduce.eval_int8",
        INT8,
        fields,
        requantize_table([(multiplier, shift)]),
        offset=count * (node.input(0).zero_point() + 0x80),
        output_zero_point=zero_point,
        per_channel=0,
        channels=1,
    )


def _int16(context, node, count, fields):
    multiplier, shift, zero_point = _output(node, count)
    _emit(
        context,
        node,
        "reduce_int16.eval_int16",
        INT16,
        fields,
        offset=count * (node.input(0).zero_point() + 0x8000),
        output_zero_point=zero_point,
        multiplier=multiplier,
        shift=shift + 32,
    )


def _float32(context, node, count, fields):
    from .reduce_float import emit_reduce_float

    divisor = max(1, count) if node.builtin_code == _MEAN else 1
    emit_reduce_float(context, node, fields, divisor)


# TFLM has no reductions of int32; they equal LiteRT's.
def _int32(context, node, count, fields):
    kind = _INT32_KINDS[node.builtin_code]
    _emit_plain(context, node, "reduce_int32.eval_int32", INT32, fields, kind=kind)


def _mean_int32(context, node, count, fields):
    support(count < 1 << 15, node, "MEAN of %d int32" % count)
    count = max(1, count)
    _emit_plain(context, node, "mean_int32.eval_int32", MEAN_INT32, fields, count=count)


_INT32_KINDS = {_SUM: 0, _REDUCE_MAX: 1, _REDUCE_MIN: 2}
_MEAN_KERNELS = {dtypes.FLOAT32: _float32, dtypes.INT8: _int8, dtypes.INT16: _int16}
_SUM_KERNELS = dict(_MEAN_KERNELS)
_SUM_KERNELS[dtypes.INT32] = _int32
_MEAN_KERNELS[dtypes.INT32] = _mean_int32


# REDUCE_MAX and REDUCE_MIN compare the stored numbers, so that the scales must be equal.
def _extreme_integers(context, node, count, fields):
    source, target = node.input(0), node.output(0)
    check(
        source.scale_bits() == target.scale_bits() and source.zero_point() == target.zero_point(),
        node,
        "%s must be quantized like %s" % (target, source),
    )
    flip, kernel = 0x80, "reduce_min_max.eval_int8"
    if source.dtype == dtypes.INT16:
        flip, kernel = 0x8000, "reduce_min_max_int16.eval_int16"
    if node.builtin_code == _REDUCE_MIN:
        flip -= 1
    _emit_extreme(context, node, kernel, flip, fields)


def _extreme_float32(context, node, count, fields):
    flip = 0 if node.builtin_code == _REDUCE_MAX else 1
    _emit_extreme(context, node, "reduce_min_max_float.eval_float32", flip, fields)


# REDUCE_ALL is the smallest of 0 and 1, or 1 without elements; REDUCE_ANY is the largest, or 0.
def _all(context, node, count, fields):
    flip = 1 if node.builtin_code == _REDUCE_ALL else 0
    _emit_extreme(context, node, "reduce_min_max.eval_int8", flip, fields)


def _emit_extreme(context, node, kernel, flip, fields):
    _emit_plain(context, node, kernel, MIN_MAX, fields, flip=flip)


# Write the record of a reduction without accumulators in the arena.
def _emit_plain(context, node, kernel, layout, geometry, **fields):
    source, target = node.input(0), node.output(0)
    fields.update(geometry)
    context.emit(
        kernel,
        layout,
        target.elements(),
        2 * source.elements() + 8 * target.elements(),
        input=source if source.elements() else None,
        output=target,
        **fields,
    )


_EXTREMES = {
    dtypes.FLOAT32: _extreme_float32,
    dtypes.INT8: _extreme_integers,
    dtypes.INT16: _extreme_integers,
    dtypes.INT32: _int32,
}
_ALL = {dtypes.BOOL: _all}


def _emit(context, node, kernel, layout, geometry, table=b"", **fields):
    source, target = node.input(0), node.output(0)
    elements = target.elements()
    if not elements:
        return
    block = min(elements, _BLOCK)
    fields.update(geometry)
    fields["activation_min"], fields["activation_max"] = limits(source.dtype)
    context.emit(
        kernel,
        layout,
        elements,
        source.elements() + 8 * elements,
        table,
        input=source if source.elements() else None,
        output=target,
        accumulators=context.request_scratch_buffer(4 * block),
        block=block,
        **fields,
    )


# Return multiplier, shift and zero point of the output. MEAN divides by `count` in the multiplier,
# which is shifted left by the number of bits of `count` if the shift allows. An empty sum is
# stored as 0 for any zero point.
def _output(node, count):
    source, target = node.input(0), node.output(0)
    for tensor in (source, target):
        check_quantized(node, tensor)
    if not count:
        return 0, 0, 0
    ratio = scale.divide(scale_of(source), scale_of(target))
    multiplier, shift = scale.quantize_multiplier(ratio)
    support_scale(shift < 31, node, target)
    if node.builtin_code == _MEAN:
        left = min(scale.bit_length(count) - 1, 32, 31 + shift)
        multiplier = (multiplier << left) // count
        shift -= left
    return multiplier, shift, target.zero_point()


# Return the dimensions as levels of loops, kept and reduced ones separately, innermost first:
# (length, bytes from one to the next). Neighbouring dimensions of the same kind are one level.
def _levels(node, source, axes):
    levels = ([], [])
    stride = dtypes.itemsize(source.dtype)
    last = None
    for axis in range(len(source.shape) - 1, -1, -1):
        length = source.shape[axis]
        kind = 1 if axis in axes else 0
        if length != 1:
            if kind == last:
                level = levels[kind].pop()
                levels[kind].append((level[0] * length, level[1]))
            else:
                levels[kind].append((length, stride))
            last = kind
        stride *= length
    for kind in levels:
        support(len(kind) <= _LEVELS, node, "%s: this many dimensions" % source)
        kind += [(1, 0)] * (_LEVELS - len(kind))
    return levels
