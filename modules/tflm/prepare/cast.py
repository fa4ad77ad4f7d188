# tflm: CAST: Prepare (TFLM cast.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import FLOAT_WORK, check, check_dtype, same_shape, support
from .lookup import check_same_elements

INTEGERS = ("input", "output", "input_size", "output_size", "signed", "to_bool")
FLOAT = ("input", "output", "type", "size")

_INTEGERS = (
    dtypes.INT8,
    dtypes.UINT8,
    dtypes.BOOL,
    dtypes.INT16,
    dtypes.INT32,
    dtypes.UINT32,
    dtypes.INT64,
)
_UNSIGNED = (dtypes.UINT8, dtypes.BOOL, dtypes.UINT32)
# Types of kernels/float32_convert.py.
_TYPES = {
    dtypes.INT8: 0,
    dtypes.UINT8: 1,
    dtypes.BOOL: 1,
    dtypes.INT16: 2,
    dtypes.INT32: 3,
    dtypes.UINT32: 4,
}

output_shapes = same_shape


# As in C, integers keep their low bits, floats lose their fraction, and a bool says whether the
# number was not 0. Scales are ignored. TFLM lacks uint8 and int64, and bool as an output.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check(len(node.inputs) == 1, node, "it must have 1 input")
    check_dtype(node, source, dtypes.FLOAT32, *_INTEGERS)
    check_dtype(node, target, dtypes.FLOAT32, *_INTEGERS)
    check_same_elements(node, source, target)
    if target.dtype == source.dtype:
        from .reshape import emit_reshape

        emit_reshape(context, node)
    elif target.dtype == dtypes.FLOAT32:
        _emit_float(context, node, "cast_float.eval_to_float32", source.dtype)
    elif source.dtype == dtypes.FLOAT32:
        support(target.dtype != dtypes.BOOL, node, "float32 to bool")
        _emit_float(context, node, "cast_float.eval_from_float32", target.dtype)
    else:
        emit_integers(context, source, target, source.elements(), (source.dtype, target.dtype))


# Write the record that converts integers in `source` to integers in `target`: tensors or memory.
# kinds: the two types.
def emit_integers(context, source, target, elements, kinds):
    context.emit(
        "cast.eval_integers",
        INTEGERS,
        elements,
        4 * elements,
        input=source,
        output=target,
        input_size=dtypes.itemsize(kinds[0]),
        output_size=dtypes.itemsize(kinds[1]),
        signed=0 if kinds[0] in _UNSIGNED else 1,
        to_bool=1 if kinds[1] == dtypes.BOOL else 0,
    )


# Write the record of a cast between float32 and `dtype`.
def _emit_float(context, node, kernel, dtype):
    source = node.input(0)
    support(dtype in _TYPES, node, "float32 and int64")
    context.emit(
        kernel,
        FLOAT,
        source.elements(),
        source.elements() * FLOAT_WORK // 2,
        input=source,
        output=node.output(0),
        type=_TYPES[dtype],
        size=dtypes.itemsize(dtype),
    )
