# tflm_tools: board: estimates how much faster a model runs on an RP2040 that streams its weights
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from dataclasses import dataclass

from tflm.model import FlatModel
from tflm.prepare.conv_lanes import FULLY_CONNECTED
from tflm.prepare.dense import DENSE

from ..model.graph import Graph
from ..optimize.memory.node_costs import NodeCostTable
from ..optimize.memory.weights.flash_cache import MISS
from ..optimize.memory.weights.layouts import WIDEN_CYCLES
from ..targets import target_of

STREAMING_BOARD = "RP2040"  # the name of a board with this chip contains it
_TARGET = target_of("armv6m")
# {kernel: layout of its record} of the kernels whose weights tflm.run.streaming can stream.
_STREAMED = {"fully_connected_lanes.eval_int8": FULLY_CONNECTED, "dense.eval_bytes": DENSE}
_CHANNELS_PER_UNIT = 4  # of these kernels
_BUFFER_BYTES = 8192  # of heap for streaming, in addition to the weights that it keeps in RAM
_MAX_TIME_RATIO = 0.8  # a smaller gain is not reported
_ROUND_BYTES = 1000


@dataclass
class StreamingEstimate:
    """The estimated cycles of a model as deployed, and with weights streamed from flash.

    kept: bytes of weights that stay in RAM, the argument of Streaming(). cycles: with
    Streaming(kept).
    """

    kept: int
    cycles_before: int
    cycles: int


def estimate_streaming(pipeline, free):
    """Return a StreamingEstimate, or None if streaming gains less than 20 %.

    pipeline: the FlattenPipeline of the .tflm that a board reads from flash. free: bytes of heap
    that the user's program does not need. The estimate omits the start-up cost of each step.
    """
    graph = Graph(pipeline.source)
    nodes = [node for subgraph in graph.running() for node in subgraph.nodes]
    costs = NodeCostTable(graph, _TARGET)
    fetched = _fetched_bytes(pipeline.flat)
    work = sum(map(costs.cycles, nodes)) + round(WIDEN_CYCLES * fetched)
    waits = MISS * fetched // 4
    kept = min(fetched, free - _BUFFER_BYTES) // _ROUND_BYTES * _ROUND_BYTES
    if waits <= work or kept <= 0:
        return None
    # The core multiplies weights while the next ones are fetched. Counted: a quarter of the work
    # on weights in RAM does not fit into the waits.
    cycles = max(work, MISS * (fetched - kept) // 4 + work * kept // fetched // 4)
    if cycles >= _MAX_TIME_RATIO * (work + waits):
        return None
    return StreamingEstimate(kept, work + waits, cycles)


# Bytes of weights that kernels fetch from a .tflm, each once in an invoke.
def _fetched_bytes(flat):
    model, size = FlatModel(flat), 0
    lists = [model.subgraph(number)[:2] for number in range(model.subgraphs_length())]
    for i in [i for first, count in lists for i in range(first, first + count)]:
        kernel, _, _, record, _, _ = model.op(i)
        if kernel in _STREAMED:
            words = struct.unpack_from(f"<{len(record) // 4}I", record)
            r = dict(zip(("units", *_STREAMED[kernel]), words, strict=False))
            depth = r.get("depth_lanes", r["depth"])
            size += r["units"] * _CHANNELS_PER_UNIT * depth * r.get("weight_bytes", 1)
    return size
