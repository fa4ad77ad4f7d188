# tflm_tools: what packed weights cost: flash and estimated cycles of each layer, each way
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.prepare.lanes import BYTES, IN_PLACE, LANES

from ..image.flash import flash_by_node
from ..kernel_files import WEIGHTS, with_weights
from ..model.macs import macs
from ..model.op_name import op_name

NAMES = {LANES: "lanes", BYTES: "bytes", IN_PLACE: "in place"}

# Cycles of a Cortex-M0+ for a multiply-accumulate (of an element, for sums by tables), the mean
# over the layers of docs/benchmarks.md's models: `make cycles` with all layers stored that way.
_CYCLES = {
    "conv": {LANES: 3.2, BYTES: 3.6, IN_PLACE: 23},
    "depthwise_conv": {LANES: 11, BYTES: 11, IN_PLACE: 88},
    "fully_connected": {LANES: 3.3, BYTES: 6.7, IN_PLACE: 21},
    "add": {LANES: 50, BYTES: 533, IN_PLACE: 533},
}
_MEASURED = "armv6m"  # the target that these are for


@dataclass
class PackedLayer:
    """A layer that can be packed. `flash` in bytes and `cycles` (None where there is no estimate)
    are by the way of storing its weights: "lanes", "bytes", "in place"; `chosen` is one of them.
    """

    node: int
    op: str
    kernel: str
    chosen: str
    flash: dict[str, int]
    cycles: dict[str, int | None]


# The kernel files of each node.
def _files(storage):
    found = {}
    for record in storage.records:
        found.setdefault(record.node.index, []).append(record.kernel)
    return found


# The files of packed layers among these kernels.
def _packed_files(kernels):
    files = [kernel.partition(".")[0] for kernel in kernels]
    return [file for file in files if file in with_weights(*WEIGHTS)]


# The estimate, or None.
def _cycles(node, file, way, target):
    if target != _MEASURED:
        return None
    work = node.output(0).elements() if file == "add" else macs(node)
    return round(_CYCLES[file][way] * work)


def packed_layers(prepare, packing, target):
    """A list of PackedLayer, in order of execution.

    prepare(packing) gives the RomStorage of the model; `packing` is what was chosen. A way that a
    layer cannot be stored in has the numbers of what it gets instead.
    """
    everything = {}
    chosen = prepare(packing)
    numbers = [record.node.index for record in chosen.records]
    for way in NAMES:
        storage = chosen if way == LANES and not packing else prepare(dict.fromkeys(numbers, way))
        everything[way] = flash_by_node(storage), _files(storage)
    kernels = _files(chosen)
    layers, done = [], set()
    for record in chosen.records:
        node = record.node
        packed = _packed_files(everything[LANES][1][node.index])
        if not packed or node.index in done:
            continue
        done.add(node.index)
        file = packed[0].rpartition("_")[0]
        flash, cycles = {}, {}
        for way, name in NAMES.items():
            flash[name] = everything[way][0][node.index]
            is_packed = _packed_files(everything[way][1][node.index])
            cycles[name] = _cycles(node, file, way if is_packed else IN_PLACE, target)
        way = packing.get(node.index, LANES)
        layers.append(
            PackedLayer(
                node.index, op_name(node), ", ".join(dict.fromkeys(kernels[node.index])),
                NAMES[way], flash, cycles,
            )
        )  # fmt: skip
    return layers
