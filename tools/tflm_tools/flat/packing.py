# tflm_tools: packing: chooses which layers get packed weights within a flash budget
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.lanes import BYTES, IN_PLACE

from ..kernel_files import WEIGHTS, files_with_weights
from ..model.macs import macs

# Cycles of a Cortex-M0+ that packed weights save per multiply-accumulate, and that a table saves
# per element of a sum.
_SAVED_BY_LANES = 8
_SAVED_BY_TABLE = 480
_TABLE_BYTES = 1024
_DENSE = "dense"  # the file of kernels that use weights as bytes
_DENSE_CHANNEL_BYTES = 9  # beside the weights of a channel


# (cycles saved, bytes of flash) of a packed node, estimated.
def _worth(record):
    node = record.node
    file = record.kernel.partition(".")[0]
    if file == _DENSE:
        return _SAVED_BY_LANES * macs(node), _DENSE_CHANNEL_BYTES * node.output(0).elements()
    if file in files_with_weights("twice"):
        return _SAVED_BY_LANES * macs(node), node.input(1).nbytes()
    return _SAVED_BY_TABLE * node.output(0).elements(), _TABLE_BYTES


def steps(storage):
    """Return the steps that make a packed model smaller: [(node, how its weights are stored)].

    Steps are sorted by the time that they cost per byte of flash. First all weights become bytes,
    then weights are used in place.
    """
    found = {
        record.node.index: _worth(record)
        for record in storage.records
        if record.kernel.partition(".")[0] in (_DENSE, *files_with_weights(*WEIGHTS))
    }
    # These have no packing as bytes, or no other one.
    in_bytes = {
        record.node.index
        for record in storage.records
        if record.kernel.startswith(("depthwise", _DENSE + "."))
    }
    nodes = sorted(found, key=lambda index: found[index][0] / max(1, found[index][1]))
    smaller = [node for node in nodes if node not in in_bytes]
    return [(node, BYTES) for node in smaller] + [(node, IN_PLACE) for node in nodes]


def fit(build, steps, budget):
    """Take the fewest steps after which a .tflm has at most `budget` bytes, by binary search.

    build({node: how its weights are stored}) returns the .tflm. Returns (.tflm, packing), or
    (None, {}) if all steps are not enough.
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
