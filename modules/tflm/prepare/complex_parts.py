# tflm: REAL, IMAG, COMPLEX_ABS: Prepare (not in TFLM; LiteRT complex_support.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import FLOAT_WORK, check_dtype, check_outputs, same_shape
from .strided import emit_byte_copy

ABSOLUTE = ("input", "output", "scratch", "up", "down")

COMPLEX64 = 8  # a type of the schema, pairs of float32; not in dtypes, to save flash
_IMAG = const(133)
_COMPLEX_ABS = const(135)
_UP, _DOWN = 0x5F800000, 0x1F800000  # 2**64 and 2**-64 as float32
_COMPLEX, _REAL = 8, 4  # bytes of an element

output_shapes = same_shape


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, COMPLEX64)
    check_dtype(node, target, dtypes.FLOAT32)
    check_outputs(node, output_shapes(node))
    elements = source.elements()
    if not elements:
        return
    if node.builtin_code != _COMPLEX_ABS:
        offset = _REAL if node.builtin_code == _IMAG else 0
        emit_byte_copy(context, source, target, [(elements, _COMPLEX, _REAL)], _REAL, offset)
        return
    context.emit(
        "complex_abs_float.eval_float32",
        ABSOLUTE,
        elements,
        elements * 4 * FLOAT_WORK,
        input=source,
        output=target,
        scratch=context.request_scratch_buffer(8),
        up=_UP,
        down=_DOWN,
    )
