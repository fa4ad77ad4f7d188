# tflm_tools: what packed weights cost: flash and estimated cycles of each layer, each way
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.prepare.lanes import BYTES, DENSE, IN_PLACE, LANES

from ..image.flash import flash_by_node
from ..kernel_files import WEIGHTS, files_with_weights
from ..model.macs import macs
from ..model.schema import op_name

_NAMES = {LANES: "lanes", BYTES: "bytes", IN_PLACE: "in place"}

# Cycles of a Cortex-M0+ for a multiply-accumulate (of an element, for sums by tables), the mean
# over the layers of docs/data/no-wait-states-layers.csv: `make -C bench cycles` with all layers
# stored that way.
_CYCLES = {
    "conv": {LANES: 3.2, BYTES: 3.6, DENSE: 5.1, IN_PLACE: 23},
    "depthwise_conv": {LANES: 11, BYTES: 11, IN_PLACE: 88},
    "fully_connected": {LANES: 3.3, BYTES: 6.7, DENSE: 5.1, IN_PLACE: 21},
    "add": {LANES: 50, BYTES: 533, IN_PLACE: 533},
}
_MEASURED = "armv6m"  # the target that these are for


@dataclass
class PackedLayer:
    """A layer that can be packed. `flash` in bytes and `cycles` (None where there is no estimate)
    are by the way of storing its weights: "lanes", "bytes", "in place"; `chosen` is the one that
    is in the .tflm, where `kernel` runs it.
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
    return [file for file in files if file in files_with_weights(*WEIGHTS)]


# The estimate, or None.
def _cycles(node, file, way, target):
    if target != _MEASURED:
        return None
    work = node.output(0).elements() if file == "add" else macs(node)
    return round(_CYCLES[file][way] * work)


def packed_layers(prepare, stored, target):
    """A list of PackedLayer, in order of execution.

    prepare(packing) gives the RomStorage of the model; `stored` is {operator's number: how its
    weights are stored}, where that is not as lanes. Bytes are those that become lanes, but where
    `stored` says that they are used as they are. A way that a layer cannot be stored in has the
    numbers of what it gets instead.
    """
    packed = prepare({})
    nodes = {record.node.index: record.node for record in packed.records}
    ways = {LANES: {}, IN_PLACE: dict.fromkeys(nodes, IN_PLACE)}
    ways[BYTES] = {i: DENSE if stored.get(i) == DENSE else BYTES for i in nodes}
    storages = {way: prepare(ways[way]) if way != LANES else packed for way in _NAMES}
    flash = {way: flash_by_node(storage) for way, storage in storages.items()}
    files = {way: _files(storage) for way, storage in storages.items()}
    layers = []
    for index, node in nodes.items():
        found = _packed_files(files[LANES][index])
        if not found:
            continue
        file = found[0].rpartition("_")[0]
        cycles = {}
        for way, name in _NAMES.items():
            taken = ways[way].get(index, LANES)
            if taken != DENSE and not _packed_files(files[way][index]):
                taken = IN_PLACE
            cycles[name] = _cycles(node, file, taken, target)
        chosen = stored.get(index, LANES)
        chosen = BYTES if chosen == DENSE else chosen
        layers.append(
            PackedLayer(
                index, op_name(node), ", ".join(dict.fromkeys(files[chosen][index])),
                _NAMES[chosen], {name: flash[way][index] for way, name in _NAMES.items()}, cycles,
            )
        )  # fmt: skip
    return layers
