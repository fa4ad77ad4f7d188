# tflm: Expand the sparse constants of a .tflite.
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from ..errors import ModelError, UnsupportedError

# SparsityParameters and DimensionMetadata of the schema.
_TRAVERSAL_ORDER = const(0)
_BLOCK_MAP = const(1)
_DIM_METADATA = const(2)
_FORMAT = const(0)
_DENSE_SIZE = const(1)
_SEGMENTS_TYPE = const(2)
_SEGMENTS = const(3)
_INDICES_TYPE = const(4)
_INDICES = const(5)

_KINDS = "", "i", "H", "B"  # of the union SparseIndexVector
_MAX_LEVELS = 16
_MAX_BYTES = const(1 << 26)  # of all expanded constants of a file


def _check(condition, tensor, text):
    if not condition:
        raise ModelError("%s is sparse, and %s; the model is damaged" % (tensor, text))


# Return the numbers of a SparseIndexVector.
def _vector(tensor, table, kind_field, field):
    kind = table.get(kind_field, "B")
    _check(0 < kind < len(_KINDS), tensor, "has no indices")
    values = table.table(field)
    _check(values is not None, tensor, "has no indices")
    return values.numbers(0, _KINDS[kind])


# Return all bytes of a tensor whose data has only some of its elements. The file nests a loop for
# each level: over the dimensions in blocks, in an order that it gives, then over the dimensions of
# a block. A level takes all indices, or for each step of the outer loops a list of indices.
# `taken`: bytes of other expanded constants. `file_bytes`: the most steps of all loops.
def dense_bytes(tensor, sparsity, taken, file_bytes):
    _check(tensor.is_constant(), tensor, "no constant")
    rank = len(tensor.shape)
    order = sparsity.numbers(_TRAVERSAL_ORDER, "i")
    block_map = sparsity.numbers(_BLOCK_MAP, "i")
    levels = sparsity.vector(_DIM_METADATA)
    count = len(order)
    whole = rank + len(block_map)
    is_sound = count == whole <= _MAX_LEVELS and levels is not None and len(levels) == count
    is_sound = is_sound and sorted(order[:rank]) == list(range(rank))
    is_sound = is_sound and sorted(order[rank:]) == list(range(rank, count))
    is_sound = is_sound and sorted(set(block_map)) == sorted(block_map)
    is_sound = is_sound and all([0 <= d < rank for d in block_map])
    _check(is_sound, tensor, "its levels do not match its dimensions")
    size = dtypes.itemsize(tensor.dtype)
    if not size or taken + tensor.nbytes() > _MAX_BYTES:
        raise UnsupportedError(
            "%s is sparse, and its type has no whole bytes or all have more than %d bytes; "
            "convert the model without sparsity" % (tensor, _MAX_BYTES)
        )

    # Elements along the sides of a block; bytes from one index of a dimension to the next.
    blocks = [1] * rank
    for level in range(rank, count):
        side = levels.table(level).get(_DENSE_SIZE, "i")
        dimension = block_map[order[level] - rank]
        _check(side > 0 and not tensor.shape[dimension] % side, tensor, "has other blocks")
        blocks[dimension] = side
    strides = [size] * rank
    for i in range(rank - 2, -1, -1):
        strides[i] = strides[i + 1] * tensor.shape[i + 1]
    loops = []  # for each level: (bytes between indices, their number, index lists or None)
    for level in range(count):
        table = levels.table(level)
        if level < rank:
            dimension = order[level]
            length = tensor.shape[dimension] // blocks[dimension]
            step = strides[dimension] * blocks[dimension]
        else:
            dimension = block_map[order[level] - rank]
            length, step = blocks[dimension], strides[dimension]
        lists = None
        if table.get(_FORMAT, "b"):
            lists = (
                _vector(tensor, table, _SEGMENTS_TYPE, _SEGMENTS),
                _vector(tensor, table, _INDICES_TYPE, _INDICES),
            )
            inside = all([0 <= i < length for i in lists[1]])
            _check(inside, tensor, "an index is outside its dimension")
        else:
            _check(table.get(_DENSE_SIZE, "i") == length, tensor, "has other dimensions")
        loops.append((step, length, lists))
    return _scatter(tensor, loops, size, file_bytes)


# Write the elements to their positions, which are found level by level.
def _scatter(tensor, loops, size, max_steps):
    positions = [0]
    for step, length, lists in loops:
        if lists is None:
            _check(len(positions) * length <= max_steps, tensor, "lacks elements")
            positions = [at + i * step for at in positions for i in range(length)]
            continue
        segments, indices = lists
        is_sound = len(segments) == len(positions) + 1 and segments[0] == 0
        is_sound = is_sound and segments[-1] == len(indices)
        is_sound = is_sound and all(
            [segments[i] <= segments[i + 1] for i in range(len(positions))]
        )
        _check(is_sound, tensor, "its lists of indices do not match")
        positions = [
            at + indices[j] * step
            for i, at in enumerate(positions)
            for j in range(segments[i], segments[i + 1])
        ]
    _check(len(positions) * size == len(tensor.data), tensor, "has a wrong number of elements")
    result = bytearray(tensor.nbytes())
    for i, at in enumerate(positions):
        result[at : at + size] = tensor.data[i * size : i * size + size]
    return bytes(result)
