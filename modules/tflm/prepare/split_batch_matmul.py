# tflm: BATCH_MATMUL of float32 as a FULLY_CONNECTED for each batch: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .common import NONE, product
from .fully_connected_float import emit_fully_connected
from .strided import emit_copy
from .sub_nodes import ScratchTensor, sub_node, with_data, with_shape

# The machine code of FULLY_CONNECTED multiplies a contiguous row of the input by a contiguous row
# of the weights: by a column of the right matrix. Copies gather the matrices of a batch, so that
# columns are rows, and spread the product. Sums of both operators add the same products in the
# same order.

_MAX_BATCHES = 16


# Emit a BATCH_MATMUL with the fields _GEOMETRY of batch_matmul.py. Return False if Prepare must
# emit it as it is.
def emit_split(context, node, fields):
    left, right, target = node.input(0), node.input(1), node.output(0)
    rows, columns, depth = fields["rows"], fields["columns"], fields["depth"]
    is_left_plain = fields["left_depth_stride"] == 1
    is_matrix = product(right.shape[:-2]) == 1 and is_left_plain
    batches = 1 if is_matrix else product(target.shape[:-2])
    is_constant = is_matrix and right.is_constant() and context.may_reorder_weights
    if not target.elements() or not depth or batches > _MAX_BATCHES:
        return False
    if not is_constant and context.target_packing is None:
        return False  # x64 has machine code for constant weights only
    if is_matrix:
        rows = left.elements() // depth
    shapes = (1, rows, depth), (columns, depth), (1, rows, columns)
    weights = None
    if is_constant:
        weights = _turned_constant(right, columns, depth, fields)
    elif fields["right_depth_stride"] == 1 and batches == 1:
        weights = with_shape(right, shapes[1])
    copies = _Copies(context, node)
    for batch in range(batches):
        offsets = [_first_element(fields, side, batch) for side in ("left", "right")]
        source, result = with_shape(left, shapes[0]), with_shape(target, shapes[2])
        if batches > 1 or not is_left_plain:
            loops = (
                (rows, fields["left_row_stride"], depth),
                (depth, fields["left_depth_stride"], 1),
            )
            source = copies.gather("left", left, shapes[0], loops, offsets[0])
        if weights is None or batches > 1:
            loops = (
                (columns, fields["right_column_stride"], depth),
                (depth, fields["right_depth_stride"], 1),
            )
            weights = copies.gather("right", right, shapes[1], loops, offsets[1])
        if batches > 1:
            result = copies.scratch("output", target, shapes[2])
        own = sub_node(node, [source, weights], result)
        emit_fully_connected(context, own, NONE, depth, columns)
        if batches > 1:
            size = rows * columns
            emit_copy(context, node, result, target, ((size, 1, 1),), 0, batch * size)
    return True


# Return the offset of a batch's matrix, in elements.
def _first_element(fields, side, batch):
    middle, last = fields["middle_batches"], fields["last_batches"]
    numbers = batch // (middle * last), batch // last % middle, batch % last
    strides = [fields["%s_batch_stride_%d" % (side, i)] for i in range(3)]
    return sum([number * stride for number, stride in zip(numbers, strides)])


# Copies to scratch buffers, which all batches share.
class _Copies:
    def __init__(self, context, node):
        self._context, self._node = context, node
        self._buffers = {}

    # Return a tensor in the scratch buffer with this name.
    def scratch(self, name, like, shape):
        if name not in self._buffers:
            self._buffers[name] = self._context.request_scratch_buffer(4 * product(shape))
        return ScratchTensor(like, shape, self._buffers[name])

    # Emit a copy from `source`; return its target.
    def gather(self, name, source, shape, loops, offset):
        target = self.scratch(name, source, shape)
        emit_copy(self._context, self._node, source, target, loops, offset)
        return target


# Return a constant matrix with rows in place of columns.
def _turned_constant(right, columns, depth, fields):
    data, shape = memoryview(right.data), (columns, depth)
    if fields["right_depth_stride"] == 1:
        return with_shape(right, shape)
    elements = []
    for i in range(columns * depth):
        at = 4 * (i % depth * columns + i // depth)
        elements.append(bytes(data[at : at + 4]))
    return with_data(right, shape, b"".join(elements))
