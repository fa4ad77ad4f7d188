# tflm: ARG_MAX, ARG_MIN: Prepare (TFLM arg_min_max.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import check, check_dtype, constant_ints, positive_axis, product

LAYOUT = ("input", "output", "length", "inner", "flip")

_ARG_MAX = const(56)

# {type: (kernel, flip for the largest, flip for the smallest)}; flipped numbers sort upwards.
_KERNELS = {
    dtypes.FLOAT32: ("arg_min_max_float.eval_float32", 0, 1),
    dtypes.INT8: ("arg_min_max.eval_int8", 0x80, 0x7F),
}


# The shape of the input without the axis.
def output_shapes(node):
    shape, axis = node.input(0).shape, _axis(node)
    return [shape[:axis] + shape[axis + 1 :]]


def _axis(node):
    axes = constant_ints(node, node.input(1), "the axis")
    check(len(axes) == 1, node, "%s must hold one axis" % node.input(1))
    return positive_axis(node, axes[0], len(node.input(0).shape))


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, *sorted(_KERNELS))
    check_dtype(node, target, dtypes.INT32, dtypes.INT64)
    axis = _axis(node)
    length = source.shape[axis]
    inner = product(source.shape[axis + 1 :])
    outputs = product(output_shapes(node)[0])
    check(
        target.elements() == outputs,
        node,
        "%s should have the dimensions of %s except axis %d" % (target, source, axis),
    )
    check(length > 0 or not outputs, node, "%s is empty along axis %d" % (source, axis))
    kernel, largest, smallest = _KERNELS[source.dtype]
    # int64 outputs, which TFLM lacks, are converted from int32.
    wide = target.dtype == dtypes.INT64 and outputs
    found = context.request_scratch_buffer(4 * outputs) if wide else target
    context.emit(
        kernel,
        LAYOUT,
        outputs,
        2 * outputs * length,
        input=source,
        output=found,
        length=length,
        inner=inner,
        flip=largest if node.builtin_code == _ARG_MAX else smallest,
    )
    if wide:
        from .cast import emit_integers

        emit_integers(context, found, target, outputs, (dtypes.INT32, dtypes.INT64))
