# tflm: TensorFlow's lists of tensors (FlexTensorList...) as one tensor: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check, check_dtype, check_shape
from .fill import emit_fill
from .reshape import emit_reshape
from .slice import emit_computed
from .strided import check_same_dtype, element_bytes


# tflite/tensor_lists.py has given the lists their shapes: [items, shape of an item]. Items that
# are never set are zeros.
def prepare(context, node):
    name = node.custom_name[len("FlexTensorList") :]
    target = node.output(0)
    element_bytes(node, target)
    if name == "Reserve":
        emit_fill(context, node, context.constant(bytes(8), 8), dtypes.INT8)
    elif name == "SetItem":
        item = node.input(2)
        check_shape(node, target, node.input(0).shape)
        _check_item(node, target, item)
        emit_reshape(context, node)
        emit_computed(context, node, item, target, _index(node), 1, (1,) + item.shape)
    elif name == "GetItem":
        _check_item(node, node.input(0), target)
        shape = (1,) + target.shape
        emit_computed(context, node, node.input(0), target, _index(node), 0, shape)
    else:
        check_shape(node, target, node.input(0).shape)
        emit_reshape(context, node)


# The kernel moves an index that is out of range; TensorFlow would stop.
def _index(node):
    index = node.input(1)
    check_dtype(node, index, dtypes.INT32)
    check(index.elements() == 1, node, "%s should be a scalar" % index)
    return index


def _check_item(node, whole, item):
    check_same_dtype(node, whole, (item,))
    check(
        len(whole.shape) > 0 and whole.shape[0] > 0 and whole.shape[1:] == item.shape,
        node,
        "%s is no item of %s" % (item, whole),
    )
