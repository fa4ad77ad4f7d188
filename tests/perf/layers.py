# The measuring bench: what each layer of a model is and has, known before it runs
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.context import IN_ROM, NO_OPERAND, PLANNED_SCRATCH
from tflm_tools.macs import macs
from tflm_tools.survey import op_name


@dataclass
class Layer:
    """One operator of the model; sizes in bytes. records: how many steps of the program it is.

    macs: as the model is written, whatever the kernels save.
    flash: records, tables and constants, those that several layers share at the first of them.
    """

    node: int
    op: str
    kernels: list[str]
    macs: int
    scratch: int
    flash: int
    records: int


# Where each constant ends, by its offset: padding counts, it takes flash too.
def _constant_ends(storage):
    starts = set()
    for record in storage.records:
        starts |= {word >> 2 for word in _operands(record, IN_ROM)}
    ends = sorted(starts)[1:] + [len(storage.constants)]
    return dict(zip(sorted(starts), ends, strict=True))


# The operand words of a record that count from `kind`.
def _operands(record, kind):
    words = record.words[1 : 1 + record.operands]
    return [word for word in words if word & 3 == kind and word != NO_OPERAND]


def layers_of(model, storage):
    """A list of Layer, in order of execution, from what flatten.prepare() returned."""
    constant_ends = _constant_ends(storage)
    found, scratch = {}, {}
    for record in storage.records:
        node = record.node
        if node.index not in found:
            found[node.index] = Layer(node.index, op_name(node), [], macs(node), 0, 0, 0)
            scratch[node.index] = set()
        layer = found[node.index]
        if record.kernel not in layer.kernels:
            layer.kernels.append(record.kernel)
        layer.records += 1
        layer.flash += 4 * len(record.words) + len(record.table)
        for word in _operands(record, IN_ROM):
            # Taken out, so that what layers share counts once.
            layer.flash += constant_ends.pop(word >> 2, word >> 2) - (word >> 2)
        scratch[node.index] |= {word >> 2 for word in _operands(record, PLANNED_SCRATCH)}
    for layer in found.values():
        layer.scratch = sum(storage.scratch_buffers[i].size for i in scratch[layer.node])
    return list(found.values())
