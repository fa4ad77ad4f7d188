# tflm_tools: fold_pad: replaces PAD by the padding of the convolutions or pools that read it
# MIT license; Copyright (c) 2026 the tflm authors

import math
import struct

from tflm import dtypes
from tflm.errors import TflmError

from ..model.schema import BuiltinOperator, option
from .emissions import emissions
from .ranges import values_of

_VALID = 1
_PADS = (BuiltinOperator.PAD, BuiltinOperator.PADV2)
_WINDOWS = (
    BuiltinOperator.CONV_2D,
    BuiltinOperator.DEPTHWISE_CONV_2D,
    BuiltinOperator.MAX_POOL_2D,
)
_LOWEST = -128
_REASON = "the operators after it pad their input with the same value"


def apply(graph):
    """Fold PAD and PADV2 into the operators that read them; returns a list of Saving.

    Kernels skip the pixels of a window beyond the image. For a sum this equals a pixel whose value
    is the zero point; for a maximum it equals a pixel of the lowest value. A PAD with this value
    is removed if all its readers can pad.
    """
    found = []
    for subgraph in graph.running():
        for node in list(subgraph.nodes):
            if node.builtin_code in _PADS:
                saving = _fold(subgraph, node)
                if saving is not None:
                    found.append(saving)
    return found


def _fold(subgraph, node):
    from .passes import Saving

    source, target = node.input(0), node.output(0)
    padding = _padding(node, source, target)
    consumers = subgraph.consumers(target)
    if padding is None or subgraph.is_output(target) or not consumers:
        return None
    if sum(t is target for other in subgraph.nodes for t in other.outputs) > 1:
        return None
    value = _value(node, target)
    if value is None or not all(_pads_with(c, target, value) for c in consumers):
        return None
    before = [(c.inputs, c.padding) for c in consumers]
    for consumer in consumers:
        consumer.inputs = [source, *consumer.inputs[1:]]
        consumer.padding = padding
    try:
        fits = all(emissions(c) for c in consumers)
    except TflmError:  # Prepare refuses padding as wide as the filter
        fits = False
    if not fits:
        for consumer, (inputs, old) in zip(consumers, before, strict=True):
            consumer.inputs, consumer.padding = inputs, old
        return None
    subgraph.remove(node)
    for consumer in consumers:
        consumer.origins = (*node.origins, *consumer.origins)
        break
    return Saving("fold_pad", node.origins, 0, target.nbytes(), _REASON)


# (top, left, bottom, right) of a PAD; None if it pads other dimensions, or if they are not known.
def _padding(node, source, target):
    paddings = node.input(1)
    if not paddings.is_constant() or len(source.shape) != 4 or not source.elements():
        return None
    if source.is_constant() or source.is_variable or not target.elements():
        return None
    kind = "i" if paddings.dtype == dtypes.INT32 else "q"
    sides = list(struct.iter_unpack(f"<2{kind}", bytes(paddings.data)))
    if sides[0] != (0, 0) or sides[3] != (0, 0):
        return None
    same = source.scale_bits() == target.scale_bits()
    if not same or source.zero_point() != target.zero_point():
        return None
    return sides[1][0], sides[2][0], sides[1][1], sides[2][1]


# The padding value of a PAD as a quantized number, None if it is not known.
def _value(node, target):
    given = node.optional_input(2)
    if target.dtype == dtypes.INT8:
        if given is None:
            return target.zero_point()
        return values_of(given)[0] if given.is_constant() else None
    if target.dtype in (dtypes.INT16, dtypes.FLOAT32) and given is None:
        return 0
    return None


# True for a node whose kernel can pad its input with this value.
def _pads_with(node, target, value):
    if node.builtin_code not in _WINDOWS or node.inputs[0] is not target:
        return False
    if any(t is target for t in node.inputs[1:]) or node.padding is not None:
        return False
    if option(node, "PADDING", "b") != _VALID:
        return False
    if node.builtin_code == BuiltinOperator.MAX_POOL_2D:
        return target.dtype == dtypes.INT8 and value == _LOWEST
    if target.dtype == dtypes.FLOAT32:  # 0 * infinity is NaN
        weights = node.input(1)
        return weights.is_constant() and _all_finite(weights)
    return value == target.zero_point()


def _all_finite(tensor):
    if tensor.dtype != dtypes.FLOAT32:  # integer weights of a hybrid operator are finite
        return True
    return all(math.isfinite(x) for (x,) in struct.iter_unpack("<f", bytes(tensor.data)))
