# tflm: sparse constants of a .tflite, written out as ordinary ones
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
_MOST_LEVELS = 16
_MOST_BYTES = const(1 << 26)  # that all of a file may grow to


def _check(condition, tensor, text):
    if not condition:
        raise ModelError("%s is sparse, and %s; the model is damaged" % (tensor, text))


# The numbers of a SparseIndexVector.
def _vector(tensor, table, kind_field, field):
    kind = table.get(kind_field, "B")
    _check(0 < kind < len(_KINDS), tensor, "has no indices")
    values = table.table(field)
    _check(values is not None, tensor, "has no indices")
    return values.numbers(0, _KINDS[kind])


# The bytes of a tensor whose data lists only some of its elements. The file nests one loop for
# each level: first over the dimensions, in an order of its own, of blocks, then over those of a
# block. A level goes over all indices, or over a list of them for each step of those outside.
# `taken`: bytes of others of the file; `file_bytes`: its own, more than which no loop has steps.
def dense_bytes(tensor, sparsity, taken, file_bytes):
    _check(tensor.is_constant(), tensor, "no constant")
    rank = len(tensor.shape)
    order = sparsity.numbers(_TRAVERSAL_ORDER, "i")
    block_map = sparsity.numbers(_BLOCK_MAP, "i")
    levels = sparsity.vector(_DIM_METADATA)
    count = len(order)
    whole = rank + len(block_map)
    sound = count == whole <= _MOST_LEVELS and levels is not None and len(levels) == count
    sound = sound and sorted(order[:rank]) == list(range(rank))
    sound = sound and sorted(order[rank:]) == list(range(rank, count))
    sound = sound and sorted(set(block_map)) == sorted(block_map)
    sound = sound and all([0 <= d < rank for d in block_map])
    _check(sound, tensor, "its levels do not fit its dimensions")
    size = dtypes.itemsize(tensor.dtype)
    if not size or taken + tensor.nbytes() > _MOST_BYTES:
        raise UnsupportedError(
            "%s is sparse, and of a type without whole bytes, or with more than %d bytes in all; "
            "convert the model without sparsity" % (tensor, _MOST_BYTES)
        )

    # Elements along a block's sides, and from one index of each level to the next.
    blocks = [1] * rank
    for level in range(rank, count):
        side = levels.table(level).get(_DENSE_SIZE, "i")
        dimension = block_map[order[level] - rank]
        _check(side > 0 and not tensor.shape[dimension] % side, tensor, "has other blocks")
        blocks[dimension] = side
    strides = [size] * rank
    for i in range(rank - 2, -1, -1):
        strides[i] = strides[i + 1] * tensor.shape[i + 1]
    loops = []  # of each level: (bytes from one index to the next, how many, their lists or None)
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
            _check(inside, tensor, "an index lies outside its dimension")
        else:
            _check(table.get(_DENSE_SIZE, "i") == length, tensor, "has other dimensions")
        loops.append((step, length, lists))
    return _scatter(tensor, loops, size, file_bytes)


# Write what there is to its places, which are found level by level.
def _scatter(tensor, loops, size, most):
    places = [0]
    for step, length, lists in loops:
        if lists is None:
            _check(len(places) * length <= most, tensor, "lacks elements")
            places = [at + i * step for at in places for i in range(length)]
            continue
        segments, indices = lists
        sound = len(segments) == len(places) + 1 and segments[0] == 0
        sound = sound and segments[-1] == len(indices)
        sound = sound and all([segments[i] <= segments[i + 1] for i in range(len(places))])
        _check(sound, tensor, "its lists of indices do not fit together")
        places = [
            at + indices[j] * step
            for i, at in enumerate(places)
            for j in range(segments[i], segments[i + 1])
        ]
    _check(len(places) * size == len(tensor.data), tensor, "has another number of elements")
    result = bytearray(tensor.nbytes())
    for i, at in enumerate(places):
        result[at : at + size] = tensor.data[i * size : i * size + size]
    return bytes(result)
