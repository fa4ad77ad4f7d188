# tflm_tools: fold_float_curve: one table for DEQUANTIZE, functions of float32 and QUANTIZE
# MIT license; Copyright (c) 2026 the tflm authors

from math import isfinite

from tflm import dtypes

from ..bands.operators.table_operator import CODES, TableOperator
from ..model.schema import BuiltinOperator
from .evaluation import evaluate

_REASON = "the kernels computed the output for each of the 256 values"


def apply(graph):
    """Replace functions of float32 between int8 tensors by a table; returns a list of Saving.

    A converter writes DEQUANTIZE, the function and QUANTIZE for a function that has no int8, such
    as ELU. The kernels compute the table in MicroPython on this computer; without MicroPython
    the operators stay.
    """
    from .passes import Saving

    found = []
    for subgraph in graph.running():
        for last in [n for n in subgraph.nodes if n.builtin_code == BuiltinOperator.QUANTIZE]:
            chain = _Chain.of(subgraph, last)
            table = chain.table(graph) if chain else None
            if table is None:
                continue
            step = TableOperator(chain.nodes[0], [chain.source], last.outputs, table)
            step.origins = tuple(sorted(i for node in chain.removed for i in node.origins))
            size = sum(node.inputs[0].nbytes() for node in [*chain.nodes, last])
            found.append(Saving("fold_float_curve", step.origins, 0, size, _REASON))
            subgraph.insert(subgraph.nodes.index(last), step)
            for node in chain.removed:
                subgraph.remove(node)
    return found


class _Chain:
    """The operators between an int8 tensor `source` and an int8 tensor that QUANTIZE writes.

    nodes: functions of float32. removed: these, QUANTIZE, and DEQUANTIZE without other readers.
    """

    def __init__(self, subgraph, source, nodes, starts, last):
        self._subgraph, self._last = subgraph, last
        self._all = [*starts, *nodes, last]
        self.source, self.nodes = source, nodes
        self.removed = [
            n for n in self._all if n not in starts or not _has_others(subgraph, n, self._all)
        ]

    @classmethod
    def of(cls, subgraph, last):
        """Return the _Chain that ends with QUANTIZE, or None."""
        if last.outputs[0].dtype != dtypes.INT8 or last.outputs[0].scales_length() != 1:
            return None
        nodes, starts, waiting = [], [], [last.inputs[0]]
        while waiting:
            tensor = waiting.pop()
            node = subgraph.producer(tensor)
            if node in nodes or node in starts:
                continue
            if node is None or tensor.elements() != last.outputs[0].elements():
                return None
            if node.builtin_code == BuiltinOperator.DEQUANTIZE:
                starts.append(node)
                continue
            if node.builtin_code not in CODES or tensor.dtype != dtypes.FLOAT32:
                return None
            nodes.append(node)
            waiting += [t for t in node.inputs if not _is_number(t)]
        sources = {node.inputs[0] for node in starts}
        if len(sources) != 1 or not nodes:
            return None
        source = sources.pop()
        inside = [*nodes, *starts, last]
        if source.dtype != dtypes.INT8 or source.scales_length() != 1 or source.is_constant():
            return None
        if any(_has_others(subgraph, node, inside) for node in nodes):
            return None
        return cls(subgraph, source, nodes, starts, last)

    def table(self, graph):
        """Return the outputs for -128 to 127 as bytes, or None."""
        model = graph.copy()
        subgraph = model.subgraphs[self._subgraph.number]
        numbers = [node.index for node in self._all]
        nodes = [node for node in subgraph.nodes if node.index in numbers]
        for node in nodes:
            node.outputs[0].shape = (256,)
        source = subgraph.tensors[self.source.index - subgraph.first_tensor]
        source.shape, source.data = (256,), bytes(value & 0xFF for value in range(-128, 128))
        values = evaluate(model, subgraph, nodes)
        if values is None:
            return None
        floats = [memoryview(values[n.outputs[0].index]).cast("f") for n in self._all[:-1]]
        if not all(isfinite(value) for each in floats for value in each):
            return None  # QUANTIZE of such a number has no defined result
        return values[self._last.outputs[0].index]


# True for a constant of one float32.
def _is_number(tensor):
    return tensor.is_constant() and tensor.elements() == 1 and tensor.dtype == dtypes.FLOAT32


# True if the output of a node is an output of the model, or has readers that are not `inside`.
def _has_others(subgraph, node, inside):
    output = node.outputs[0]
    return subgraph.is_output(output) or any(n not in inside for n in subgraph.consumers(output))
