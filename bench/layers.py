# bench: describes each layer of a model: work, scratch and flash
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.format import ROWS_KERNEL
from tflm.tflite.context import PLANNED_SCRATCH
from tflm_tools.image.flash import flash_by_node, operands_in
from tflm_tools.model.macs import macs
from tflm_tools.model.schema import op_name


@dataclass
class Layer:
    """One operator of the model; sizes in bytes. records: its number of steps in the program.

    macs: multiply-accumulates before optimization.
    flash: records, tables and constants; shared constants count for their first layer.
    """

    node: int
    op: str
    kernels: list[str]
    macs: int
    scratch: int
    flash: int
    records: int


# Return {number of the operator: multiply-accumulates} of the model before optimization.
def _written(model):
    source = getattr(model, "source", model)
    numbers = source.call_graph().numbers()
    graphs = [source.subgraphs[number] for number in numbers]
    nodes = [graph.node(i) for graph in graphs for i in range(graph.nodes_length())]
    return {node.index: macs(node) for node in nodes}


def layers_of(model, storage):
    """Return a list of Layer in order of execution, from the results of flatten.prepare()."""
    written = _written(model)
    flash = flash_by_node(storage)
    # The step that receives the rows of an input has the number of the operator that reads them.
    nodes = {r.node.index: r.node for r in storage.records[::-1] if r.kernel != ROWS_KERNEL}
    found, scratch = {}, {}
    for record in storage.records:
        node = nodes[record.node.index]
        if node.index not in found:
            origins = getattr(node, "origins", (node.index,))
            work = sum(written[number] for number in origins)
            found[node.index] = Layer(node.index, op_name(node), [], work, 0, flash[node.index], 0)
            scratch[node.index] = set()
        layer = found[node.index]
        if record.kernel not in layer.kernels:
            layer.kernels.append(record.kernel)
        layer.records += 1
        scratch[node.index] |= {word >> 2 for word in operands_in(record, PLANNED_SCRATCH)}
    for layer in found.values():
        layer.scratch = sum(storage.scratch_buffers[i].size for i in scratch[layer.node])
    return list(found.values())
