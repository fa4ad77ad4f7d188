# tflm_tools: which layers get packed weights, when flash is short
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.lanes import BYTES, IN_PLACE

from ..kernel_files import WEIGHTS, files_with_weights
from ..model.macs import macs

# Cycles of a Cortex-M0+ that packed weights save for each multiply-accumulate, and a table for
# each element of a sum.
_SAVED_BY_LANES = 8
_SAVED_BY_TABLE = 480
_TABLE_BYTES = 1024


# (cycles saved, bytes of flash) of a packed node, about.
def _worth(record):
    node = record.node
    if record.kernel.partition(".")[0] in files_with_weights("twice"):
        return _SAVED_BY_LANES * macs(node), node.input(1).nbytes()
    return _SAVED_BY_TABLE * node.output(0).elements(), _TABLE_BYTES


def steps(storage):
    """How to make a packed model smaller, step by step: (node, how its weights are stored).

    What saves least time for its flash comes first; only then do weights lose their lanes
    altogether.
    """
    found = {
        record.node.index: _worth(record)
        for record in storage.records
        if record.kernel.partition(".")[0] in files_with_weights(*WEIGHTS)
    }
    depthwise = {
        record.node.index for record in storage.records if record.kernel.startswith("depthwise")
    }
    nodes = sorted(found, key=lambda index: found[index][0] / max(1, found[index][1]))
    smaller = [node for node in nodes if node not in depthwise]  # those have no such form
    return [(node, BYTES) for node in smaller] + [(node, IN_PLACE) for node in nodes]


def fit(build, steps, budget):
    """(image, packing): build({node: how its weights are stored}) with at most `budget` bytes.

    As few steps as need be are taken; (None, {}) when all of them are not enough.
    """
    low, high = 0, len(steps)
    best = None, {}
    while low <= high:
        middle = (low + high) // 2
        packing = dict(steps[:middle])
        image = build(packing)
        if len(image) <= budget:
            best = image, packing
            high = middle - 1
        else:
            low = middle + 1
    return best
