# tflm_tools: compressed_weights: stores weights with at most 16 values as 4-bit indices in flash
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.errors import TflmError
from tflm.prepare.conv_lanes import covers_input
from tflm.prepare.lanes import Channels, int8_values

from ..image.dense_lut import CODES, SCRATCH, Indexed, stream_of
from ..model.schema import op_name
from . import packed_weights
from .emissions import emissions
from .memory.costs import node_cycles
from .memory.node_costs import NodeCostTable

TARGET = "armv6m"  # the target whose assembler kernel reads 4-bit indices
_LIMITS = ("output_zero_point", "activation_min", "activation_max")
_SYMMETRIC = 128  # weights_offset of weights with zero point 0
_KERNELS = ("conv.eval_int8", "fully_connected.eval_int8")


@dataclass
class CompressedLayer:
    """A layer whose weights became 4-bit indices.

    values: the number of different weights of the layer, or of any one channel (each_channel).
    int8_bytes, bytes: flash with int8 weights and with indices. int8_cycles, cycles: estimated
    cycles of one invoke; int8_cycles is None for weights that the file stores in fewer bits, which
    would be unpacked to RAM at each invoke.
    """

    node: int
    op: str
    values: int
    each_channel: bool
    int8_bytes: int
    bytes: int
    int8_cycles: int | None
    cycles: int


def apply(graph, every=False, miss=None):
    """Store weights of a Graph as 4-bit indices; returns a list of CompressedLayer.

    Results stay equal. Only layers that use each weight once per invoke are changed.
    Weights that the file has in fewer than 8 bits become indices, or else int8, so that they need
    not be unpacked to RAM. With `every`, int8 weights with at most 16 values become indices too,
    if that needs less flash and fewer cycles, and if all these layers together save at least as
    many bytes as the kernel's table needs in RAM.
    miss: cycles to fetch a word of weights from flash.
    """
    packed, found = packed_weights.apply(graph), []
    for subgraph in graph.running():
        for node in subgraph.nodes:
            if node.builtin_code in CODES and (id(node) in packed or every):
                layer = _compress(graph, node, id(node) in packed, miss)
                found += [(node, layer)] if layer else []
    asked = [(node, layer) for node, layer in found if id(node) not in packed]
    if sum(layer.int8_bytes - layer.bytes for _, layer in asked) < SCRATCH:
        for node, _ in asked:
            del node.indexed
        found = [each for each in found if each not in asked]
    return [layer for _, layer in found]


# The Indexed weights of a node; None if the kernel does not support the node.
def _indexed(node):
    try:
        found = emissions(node)
    except TflmError:
        return None  # Prepare of the whole model reports the error
    if len(found) != 1 or found[0].kernel not in _KERNELS:
        return None
    fields, table = found[0].fields, found[0].table
    source, weights, target = node.input(0), node.input(1), node.output(0)
    bias = node.optional_input(2)
    if not weights.is_constant() or bias is not None and not bias.is_constant():
        return None
    count = fields["output_channels"]
    depth = fields.get("depth", weights.elements() // max(1, weights.shape[0]))
    if "depth" not in fields and not (
        covers_input(fields) and fields["input_channels"] == weights.shape[3]
    ):
        return None
    symmetric = fields.get("weights_offset", _SYMMETRIC) == _SYMMETRIC
    if not depth or not target.elements() or not symmetric:
        return None
    values = int8_values(weights)
    rows = [values[depth * i : depth * i + depth] for i in range(count)]
    channels = Channels(rows, bias, source.zero_point(), fields, table)
    stream = stream_of(rows, channels) if channels.fits else None
    if stream is None:
        return None
    numbers = {name: fields[name] for name in ("output_channels", *_LIMITS)}
    numbers.update(depth=depth, batches=target.elements() // count, own_values=stream[1])
    return Indexed(stream[0], stream[2], numbers)


# Store a node's weights as indices if that is smaller (and faster, for weights that were int8).
# Returns a CompressedLayer, or None.
def _compress(graph, node, was_packed, miss):
    indexed = _indexed(node)
    if indexed is None:
        return None
    size, cycles = _cost(graph, node, miss)
    node.indexed = indexed
    less_size, fewer = _cost(graph, node, miss)
    if less_size >= size or not was_packed and fewer >= cycles:
        del node.indexed
        return None
    each_channel = bool(indexed.numbers["own_values"])
    before = None if was_packed else cycles
    return CompressedLayer(
        node.index, op_name(node), indexed.values, each_channel, size, less_size, before, fewer
    )


# (bytes of flash, estimated cycles) of a node, with the weight layout that is fastest.
def _cost(graph, node, miss):
    costs = NodeCostTable(graph, TARGET, miss=miss).of(node)
    weight_cycles = costs.weight_cycles
    if costs.layouts:
        best = costs.layouts[0]
        costs = NodeCostTable(graph, TARGET, {node.index: best.layout[0]}, miss).of(node)
        weight_cycles = best.cycles
    size = costs.record_bytes + costs.constant_bytes
    return size, node_cycles(node, TARGET, costs.kernels) + weight_cycles
