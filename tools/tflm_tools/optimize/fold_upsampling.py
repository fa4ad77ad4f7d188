# tflm_tools: fold_upsampling: replaces RESHAPE and TILE that enlarge an image by one operator
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from math import prod

from tflm import dtypes
from tflm.errors import TflmError
from tflm.tflite.graph import Node

from ..bands.operators.repeated_rows import repeats_pixels
from ..model.schema import BuiltinOperator
from .emissions import emissions

_VIEWS = (BuiltinOperator.RESHAPE, BuiltinOperator.EXPAND_DIMS, BuiltinOperator.SQUEEZE)
_REPEATS = (BuiltinOperator.TILE, BuiltinOperator.BROADCAST_TO)
_MAX_ELEMENTS = 1 << 22  # of a tensor; _enlarges() needs 4 bytes for each: 16 MB
_REASON = "RESIZE_NEAREST_NEIGHBOR repeats the same pixels"


def apply(graph):
    """Replace chains of RESHAPE and TILE by RESIZE_NEAREST_NEIGHBOR; returns a list of Saving.

    TFLite's converter writes UpSampling2D (nearest) as RESHAPE, TILE, RESHAPE, TILE, RESHAPE.
    RESIZE_NEAREST_NEIGHBOR by an integer factor moves the same bytes once, and can run in bands of
    rows, which TILE cannot. Other converters use other shapes in between. Therefore this pass does
    not compare shapes: it moves the index of each element through the operators, and checks that
    the indices arrive where an enlarged image has them.
    """
    found = []
    for subgraph in graph.running():
        for chain in _chains(subgraph):
            found += _fold(subgraph, chain)
    return found


# Lists of operators that only move bytes. Each is the only reader of the output of the one before.
def _chains(subgraph):
    seen, found = set(), []
    for node in subgraph.nodes:
        chain = []
        while node is not None and node.index not in seen and _moves(subgraph, node):
            seen.add(node.index)
            chain.append(node)
            target = node.output(0)
            readers = subgraph.consumers(target)
            only = len(readers) == 1 and not subgraph.is_output(target)
            node = readers[0] if only and readers[0].inputs[0] is target else None
        if any(other.builtin_code in _REPEATS for other in chain):
            found.append(chain)
    return found


# True for a node of _VIEWS or _REPEATS that moves the bytes of one tensor.
def _moves(subgraph, node):
    if node.builtin_code not in (*_VIEWS, *_REPEATS) or not node.inputs or len(node.outputs) != 1:
        return False
    source, target = node.inputs[0], node.outputs[0]
    for tensor in (source, target):
        if tensor is None or tensor.is_constant() or tensor.is_variable:
            return False
        if tensor.view_of is not None or not 0 < tensor.elements() <= _MAX_ELEMENTS:
            return False
    if not all(t is None or t.is_constant() for t in node.inputs[1:]):
        return False
    if sum(t is target for other in subgraph.nodes for t in other.outputs) > 1:
        return False
    return _kind(source) == _kind(target)


# The type and quantization of a tensor: equal for tensors whose bytes stand for equal numbers.
def _kind(tensor):
    count = tensor.scales_length()
    return tensor.dtype, count, count and tensor.scale_bits(), count and tensor.zero_point()


# Replace the longest sections of a chain that enlarge an image. A RESHAPE before or after them may
# do something else.
def _fold(subgraph, chain):
    first, found = 0, []
    while first < len(chain):
        for end in range(len(chain), first, -1):
            savings = _replace(subgraph, chain[first:end])
            if savings is not None:
                found += savings
                first = end
                break
        else:
            first += 1
    return found


# Replace a section of a chain by one operator, which gets the number of the section's last one.
# Returns a Saving for each of the others, or None if the section does not enlarge an image.
def _replace(subgraph, section):
    from .passes import Saving

    source, last = section[0].input(0), section[-1]
    target = last.output(0)
    if not _may_enlarge(source.shape, target.shape) or not all(map(_is_valid, section)):
        return None
    if not _enlarges(section, source.shape, target.shape):
        return None
    sides = struct.pack("<2i", *target.shape[1:3])
    size = subgraph.new_tensor(target.name + "/size", dtypes.INT32, (2,), sides)
    code = BuiltinOperator.RESIZE_NEAREST_NEIGHBOR
    node = Node(last.index, code, 1, "", [source, size], [target])
    node.origins = tuple(number for other in section for number in other.origins)
    if not _is_valid(node) or not repeats_pixels(node):  # the kernel rounds in float32
        return None
    subgraph.insert(next(i for i, n in enumerate(subgraph.nodes) if n is last), node)
    for other in section:
        subgraph.remove(other)
    return [
        Saving("fold_upsampling", other.origins, 0, other.output(0).nbytes(), _REASON)
        for other in section[:-1]
    ]


# True if `larger` is the shape of an image enlarged by integer factors.
def _may_enlarge(shape, larger):
    if len(shape) != 4 or len(larger) != 4 or shape == larger:
        return False
    if (shape[0], shape[3]) != (larger[0], larger[3]):
        return False
    return larger[1] % shape[1] == larger[2] % shape[2] == 0


# True if these operators move each pixel to its positions in the enlarged image. Prepare has
# checked the shapes of all outputs.
def _enlarges(section, shape, larger):
    import numpy as np  # imported here because few models need it, and it is slow to load

    numbers = np.arange(prod(shape), dtype=np.int32).reshape(shape)
    wanted = numbers.repeat(larger[1] // shape[1], 1).repeat(larger[2] // shape[2], 2)
    for node in section:
        after = node.output(0).shape
        if node.builtin_code == BuiltinOperator.TILE:
            numbers = np.tile(numbers, [n // d for n, d in zip(after, numbers.shape, strict=True)])
        elif node.builtin_code == BuiltinOperator.BROADCAST_TO:
            numbers = np.broadcast_to(numbers, after)
        else:
            numbers = numbers.reshape(after)
    return np.array_equal(numbers, wanted)


# True for a node that Prepare accepts.
def _is_valid(node):
    try:
        return bool(emissions(node))
    except TflmError:
        return False
