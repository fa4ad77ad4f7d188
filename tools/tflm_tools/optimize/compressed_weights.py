# tflm_tools: weights with at most 16 values: indices of four bits in flash
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.errors import TflmError
from tflm.prepare.conv_lanes import covers_input
from tflm.prepare.lanes import Channels, int8_values

from ..image.dense_lut import CODES, SCRATCH, Indexed, stream_of
from ..model.schema import op_name
from . import packed_weights
from .memory.costs import node_cycles
from .memory.probe import Probe
from .probe import emissions

TARGET = "armv6m"  # that there is a kernel in assembler for
_LIMITS = ("output_zero_point", "activation_min", "activation_max")
_SYMMETRIC = 128  # weights_offset of weights without a zero point
_KERNELS = ("conv.eval_int8", "fully_connected.eval_int8")


@dataclass
class CompressedLayer:
    """Weights that became indices: bytes of flash and cycles, estimated, with int8 and now.

    values: how many a channel has at most (each_channel), or all of them together. Cycles are
    None for weights that the file has in fewer bits: these were unpacked to RAM at each invoke.
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
    """Let weights of a Graph be indices where a layer uses each of them once, exactly.

    Those that the file has in fewer bits become so, or else int8, which are not unpacked to RAM;
    with `every` those of int8 that have at most 16 values, too, where that takes less flash and
    fewer cycles, and all of them together save no less than the kernel's table takes of RAM.
    miss: cycles that a word of weights takes to fetch. Returns a list of CompressedLayer.
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


# The Indexed of a node, None where the kernel does not do it.
def _indexed(node):
    try:
        found = emissions(node)
    except TflmError:
        return None  # Prepare of the model will tell
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
    made = stream_of(rows, channels) if channels.fits else None
    if made is None:
        return None
    numbers = {name: fields[name] for name in ("output_channels", *_LIMITS)}
    numbers.update(depth=depth, batches=target.elements() // count, own_values=made[1])
    return Indexed(made[0], made[2], numbers)


# Make a node's weights indices where that pays; a CompressedLayer, or None.
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
    own = bool(indexed.numbers["own_values"])
    before = None if was_packed else cycles
    return CompressedLayer(
        node.index, op_name(node), indexed.values, own, size, less_size, before, fewer
    )


# (bytes of flash, cycles by estimate) of a node by itself, its weights stored as is fastest.
def _cost(graph, node, miss):
    probe = Probe(graph, TARGET, miss=miss)
    made = probe.made(node)
    fetching = made.fetching
    if made.choices:
        best = made.choices[0]
        made = Probe(graph, TARGET, {node.index: best.stored[0]}, miss).made(node)
        fetching = best.cycles
    _, constants = made.form
    return made.record_bytes + len(constants), node_cycles(node, TARGET) + fetching
