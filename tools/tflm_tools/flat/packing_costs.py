# tflm_tools: packing_costs: flash and estimated cycles of each layer with each packing of weights
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.prepare.lanes import BYTES, DENSE, IN_PLACE, LANES

from ..image.flash import flash_by_node
from ..kernel_files import WEIGHTS, files_with_weights
from ..model.macs import macs
from ..model.schema import op_name

_NAMES = {LANES: "lanes", BYTES: "bytes", IN_PLACE: "in place"}

# Cycles of a Cortex-M0+ per multiply-accumulate (per element, for sums by tables), the mean
# over the layers of docs/data/no-wait-states-layers.csv: `make -C bench cycles` with all layers
# stored that way.
_CYCLES = {
    "conv": {LANES: 3.2, BYTES: 3.6, DENSE: 5.1, IN_PLACE: 23},
    "depthwise_conv": {LANES: 11, BYTES: 11, IN_PLACE: 88},
    "fully_connected": {LANES: 3.3, BYTES: 6.7, DENSE: 5.1, IN_PLACE: 21},
    "add": {LANES: 50, BYTES: 533, IN_PLACE: 533},
}
_MEASURED = "armv6m"  # the target of these cycles


@dataclass
class PackedLayer:
    """A layer whose weights can be packed.

    kernel: in the .tflm. chosen: the packing in the .tflm, "lanes", "bytes" or "in place". flash,
    cycles: {packing: bytes}, {packing: estimated cycles, None without an estimate}.
    """

    node: int
    op: str
    kernel: str
    chosen: str
    flash: dict[str, int]
    cycles: dict[str, int | None]


# {node: list of its kernels}.
def _files(storage):
    found = {}
    for record in storage.records:
        found.setdefault(record.node.index, []).append(record.kernel)
    return found


# The files of packed layers among these kernels.
def _packed_files(kernels):
    files = [kernel.partition(".")[0] for kernel in kernels]
    return [file for file in files if file in files_with_weights(*WEIGHTS)]


# The estimated cycles of a packing, None for a target without measurements.
def _cycles(node, file, packing, target):
    if target != _MEASURED:
        return None
    work = node.output(0).elements() if file == "add" else macs(node)
    return round(_CYCLES[file][packing] * work)


def packed_layers(prepare, stored, target):
    """Return a list of PackedLayer, in order of execution.

    prepare(packing) returns the RomStorage of the model. stored: {operator's number: how its
    weights are stored} of the weights that are not lanes. "bytes" stands for bytes that become
    lanes at each invoke, or for bytes that are used directly if `stored` has DENSE. A packing that
    a layer does not support has the costs of the packing that replaces it.
    """
    packed = prepare({})
    nodes = {record.node.index: record.node for record in packed.records}
    packings = {LANES: {}, IN_PLACE: dict.fromkeys(nodes, IN_PLACE)}
    packings[BYTES] = {i: DENSE if stored.get(i) == DENSE else BYTES for i in nodes}
    storages = {key: prepare(packings[key]) if key != LANES else packed for key in _NAMES}
    flash = {key: flash_by_node(storage) for key, storage in storages.items()}
    files = {key: _files(storage) for key, storage in storages.items()}
    layers = []
    for index, node in nodes.items():
        found = _packed_files(files[LANES][index])
        if not found:
            continue
        file = found[0].rpartition("_")[0]
        cycles = {}
        for key, name in _NAMES.items():
            packing = packings[key].get(index, LANES)
            if packing != DENSE and not _packed_files(files[key][index]):
                packing = IN_PLACE
            cycles[name] = _cycles(node, file, packing, target)
        chosen = stored.get(index, LANES)
        chosen = BYTES if chosen == DENSE else chosen
        layers.append(
            PackedLayer(
                index, op_name(node), ", ".join(dict.fromkeys(files[chosen][index])),
                _NAMES[chosen], {name: flash[key][index] for key, name in _NAMES.items()}, cycles,
            )
        )  # fmt: skip
    return layers
