# tflm_tools: RESHAPE and TILE that enlarge a picture become one RESIZE_NEAREST_NEIGHBOR
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from math import prod

from tflm import dtypes
from tflm.errors import TflmError
from tflm.tflite.graph import Node

from ..image.parts import repeats
from ..model.schema import BuiltinOperator
from .probe import emissions

_VIEWS = (BuiltinOperator.RESHAPE, BuiltinOperator.EXPAND_DIMS, BuiltinOperator.SQUEEZE)
_REPEATS = (BuiltinOperator.TILE, BuiltinOperator.BROADCAST_TO)
_MOST = 1 << 22  # elements of a tensor whose numbers are moved here: 16 MB
_REASON = "they repeat pixels, as it does"


# TFLite's converter writes UpSampling2D of the nearest pixel as RESHAPE, TILE, RESHAPE, TILE,
# RESHAPE. RESIZE_NEAREST_NEIGHBOR by whole numbers moves the same bytes once, and can run in bands
# of rows, which TILE cannot. Patterns of other converters have other shapes between, so nothing is
# asked of these: numbers of elements are moved through the operators, and have to arrive where a
# larger picture has them.
def apply(graph):
    found = []
    for subgraph in graph.running():
        for chain in _chains(subgraph):
            found += _fold(subgraph, chain)
    return found


# Lists of operators that only move bytes, each of which reads what nobody else reads of the one
# before.
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


# True for a node that moves the bytes of one tensor, in a way that is known here.
def _moves(subgraph, node):
    if node.builtin_code not in (*_VIEWS, *_REPEATS) or not node.inputs or len(node.outputs) != 1:
        return False
    source, target = node.inputs[0], node.outputs[0]
    for tensor in (source, target):
        if tensor is None or tensor.is_constant() or tensor.is_variable:
            return False
        if tensor.view_of is not None or not 0 < tensor.elements() <= _MOST:
            return False
    if not all(t is None or t.is_constant() for t in node.inputs[1:]):
        return False
    if sum(t is target for other in subgraph.nodes for t in other.outputs) > 1:
        return False
    return _kind(source) == _kind(target)


# What two tensors have in common if bytes of one mean the same in the other.
def _kind(tensor):
    count = tensor.scales_length()
    return tensor.dtype, count, count and tensor.scale_bits(), count and tensor.zero_point()


# Of a chain the longest parts that enlarge a picture: RESHAPE before or behind may do more.
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


# Put one operator in the place of the last one of a part, whose number it has; the Savings of the
# others, or None where it is not what they do.
def _replace(subgraph, part):
    from .passes import Saving

    source, last = part[0].input(0), part[-1]
    target = last.output(0)
    if not _may_enlarge(source.shape, target.shape) or not all(map(_is_valid, part)):
        return None
    if not _enlarges(part, source.shape, target.shape):
        return None
    sides = struct.pack("<2i", *target.shape[1:3])
    size = subgraph.new_tensor(target.name + "/size", dtypes.INT32, (2,), sides)
    code = BuiltinOperator.RESIZE_NEAREST_NEIGHBOR
    node = Node(last.index, code, 1, "", [source, size], [target])
    node.origins = tuple(number for other in part for number in other.origins)
    if not _is_valid(node) or not repeats(node):  # the kernel rounds in float32
        return None
    subgraph.insert(next(i for i, n in enumerate(subgraph.nodes) if n is last), node)
    for other in part:
        subgraph.remove(other)
    return [
        Saving("fold_upsampling", other.origins, 0, other.output(0).nbytes(), _REASON)
        for other in part[:-1]
    ]


# True for the shapes of a picture and of one that is larger by whole numbers.
def _may_enlarge(shape, larger):
    if len(shape) != 4 or len(larger) != 4 or shape == larger:
        return False
    if (shape[0], shape[3]) != (larger[0], larger[3]):
        return False
    return larger[1] % shape[1] == larger[2] % shape[2] == 0


# True when each pixel comes from the one that lies there in the smaller picture. Prepare has found
# the shapes of all to be what the operators make.
def _enlarges(part, shape, larger):
    import numpy as np  # only where there is something to look at: it takes time to load

    numbers = np.arange(prod(shape), dtype=np.int32).reshape(shape)
    wanted = numbers.repeat(larger[1] // shape[1], 1).repeat(larger[2] // shape[2], 2)
    for node in part:
        made = node.output(0).shape
        if node.builtin_code == BuiltinOperator.TILE:
            numbers = np.tile(numbers, [n // d for n, d in zip(made, numbers.shape, strict=True)])
        elif node.builtin_code == BuiltinOperator.BROADCAST_TO:
            numbers = np.broadcast_to(numbers, made)
        else:
            numbers = numbers.reshape(made)
    return np.array_equal(numbers, wanted)


# True for a node that Prepare takes: types, shapes and sides are right.
def _is_valid(node):
    try:
        return bool(emissions(node))
    except TflmError:
        return False
