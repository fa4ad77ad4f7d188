# tflm_tools: board: what streaming the weights of FULLY_CONNECTED would bring on an RP2040
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from dataclasses import dataclass

from tflm.model import FlatModel
from tflm.prepare.conv_lanes import FULLY_CONNECTED
from tflm.prepare.dense import DENSE
from tflm.tflite.reader import TfliteModel

from ..flat.flatten import flatten
from ..model.graph import Graph
from ..optimize.memory.costs import node_cycles
from ..optimize.memory.flash_cache import MISS
from ..optimize.memory.levels import SPEED
from ..optimize.memory.weights import WIDEN
from ..targets import target_of

STREAMING_BOARD = "RP2040"  # what a board's own name has in it
_TARGET = target_of("armv6m")
# Kernels and the words of their records: what run/streaming.py takes, and all whose weights are
# fetched once.
_STREAMED = {"fully_connected_lanes.eval_int8": FULLY_CONNECTED}
_ONCE = {**_STREAMED, "dense.eval_bytes": DENSE}
_CHANNELS = 4  # that a unit of these has
_BUFFERS = 8192  # bytes of heap that streaming takes beside what it keeps
_WORTH = 0.8  # of the time: what is no less is not worth telling
_ROUND = 1000


@dataclass
class Faster:
    """What `--optimize speed` and Streaming(kept) come to: estimated cycles before and after."""

    kept: int
    cycles_before: int
    cycles: int


def faster_by_streaming(model, flat, free):
    """The Faster of a ModelFile whose .tflm (bytes) a board reads from flash; None for little.

    free: bytes of the heap, in one piece, that a program can do without.
    """
    if model.kind != "tflite":
        return None
    graph = Graph(TfliteModel(model.data))
    nodes = [node for subgraph in graph.running() for node in subgraph.nodes]
    work = sum(node_cycles(node, _TARGET) for node in nodes)
    now = _fetched(flat, _ONCE)
    work += round(WIDEN * now)
    waits = MISS * now // 4
    if waits <= work:
        return None
    after = flatten(model.data, target=_TARGET, optimize=SPEED)
    streamed = _fetched(after, _STREAMED)
    more = FlatModel(after).arena_bytes - FlatModel(flat).arena_bytes
    kept = min(streamed, free - _BUFFERS - more) // _ROUND * _ROUND
    if kept <= 0:
        return None
    # While weights come, others are multiplied.
    fetched = _fetched(after, _ONCE)
    come = streamed - kept
    meanwhile = min(work * come // fetched, MISS * come // 4)
    cycles = work + MISS * (fetched - kept) // 4 - meanwhile
    return Faster(kept, work + waits, cycles) if cycles < _WORTH * (work + waits) else None


# Bytes of weights that the records of some kernels fetch from a .tflm.
def _fetched(flat, kernels):
    model, size = FlatModel(flat), 0
    lists = [model.subgraph(number)[:2] for number in range(model.subgraphs_length())]
    for i in [i for first, count in lists for i in range(first, first + count)]:
        kernel, _, _, record, _, _ = model.op(i)
        if kernel in kernels:
            words = struct.unpack_from(f"<{len(record) // 4}I", record)
            r = dict(zip(("units", *kernels[kernel]), words, strict=False))
            depth = r.get("depth_lanes", r["depth"])
            size += r["units"] * _CHANNELS * depth * r.get("weight_bytes", 1)
    return size
