# tflm_tools: the arena plan as data: which bytes each tensor occupies from which operator to which
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from tflm import dtypes
from tflm.arena import align_up
from tflm.errors import TflmError
from tflm.tflite.lifetimes import buffers_of
from tflm.tflite.planner import plan_greedy

from ..model.graph import Graph
from ..model.schema import op_name
from .lifetimes import BufferLifetimes


@dataclass
class Block:
    """A tensor or scratch buffer in the arena.

    first, last: steps. Step 0 sets the inputs, step i + 1 is `ops[i]` of the plan.
    parts: (start, stop, first, last) if bytes start..stop-1 are used in these steps only. An empty
    list means that all bytes are used from the first to the last step.
    """

    label: str  # a letter or two, "" for scratch
    name: str
    kind: str  # "tensor" or "scratch"
    shape: tuple[int, ...]
    dtype: str
    size: int
    offset: int
    first: int
    last: int
    parts: list[tuple[int, int, int, int]] = field(default_factory=list)

    def areas(self):
        """Return [(start, stop, first, last)]: bytes of the arena and the steps that use them."""
        parts = self.parts or [(0, self.size, self.first, self.last)]
        return [(self.offset + a, self.offset + b, first, last) for a, b, first, last in parts]


@dataclass
class Column:
    """Steps first..last on the time axis of a drawing, `width` operators wide.

    label: "in", an operator's number, or "0–3" for a chain, which runs in `bands` bands.
    """

    first: int
    last: int
    width: float
    label: str
    name: str
    bands: int = 0


@dataclass
class Plan:
    """Blocks in the order of their first step, and the steps from step 1 on.

    ops: the name of each step: an operator's, or "sub-graph N" each time that control flow sets
    the inputs of a sub-graph. nodes: the operators' numbers over all sub-graphs, None for other
    steps. chains: (first step, last step, operators, bands) of each chain that runs band by band.
    """

    blocks: list[Block]
    ops: list[str]
    head_bytes: int
    arena_bytes: int
    peak_op: int | None
    nodes: list[int | None] = field(default_factory=list)
    chains: list[tuple[int, int, int, int]] = field(default_factory=list)

    def live_bytes(self, op):
        """Return the bytes in use while `ops[op]` runs; bytes that tensors share count once."""
        areas = sorted(
            (start, stop)
            for block in self.blocks
            if block.first <= op + 1 <= block.last
            for start, stop, first, last in block.areas()
            if first <= op + 1 <= last
        )
        total = end = 0
        for start, stop in areas:
            total += max(0, stop - max(start, end))
            end = max(end, stop)
        return total

    def number(self, op):
        """Return the number of the operator `ops[op]` as text, "" for other steps."""
        number = self.nodes[op] if self.nodes else op
        return "" if number is None else str(number)

    def columns(self):
        """Return the Columns of the time axis: one for each step or chain."""
        starts = {chain[0]: chain for chain in self.chains}
        columns = [Column(0, 0, 1, "in", "inputs")]
        step = 1
        while step <= len(self.ops):
            op = step - 1
            if step not in starts:
                columns.append(Column(step, step, 1, self.number(op), self.ops[op]))
                step += 1
                continue
            _, last, operators, bands = starts[step]
            numbers = sorted(n for n in self.nodes[op:last] if n is not None)
            label = f"{numbers[0]}–{numbers[-1]}"
            columns.append(Column(step, last, operators, label, f"in {bands} bands", bands))
            step = last + 1
        return columns

    def edges(self):
        """Return where each step begins on the time axis, and where the last one ends.

        The unit is operators. A chain is as wide as its operators.
        """
        edges, at = [], 0
        for column in self.columns():
            steps = column.last - column.first + 1
            edges += [at + column.width * k / steps for k in range(steps)]
            at += column.width
        return [*edges, at]

    def live_bytes_of(self, node):
        """Return the bytes in use while an operator first runs; None if it never runs."""
        return self.live_bytes(self.nodes.index(node)) if node in self.nodes else None

    @property
    def peak_node(self):
        """The number of the operator with the most bytes in use, or None."""
        return None if self.peak_op is None else self.nodes[self.peak_op]


# a, b, ... z, aa, ab, ...
def _label(number):
    text = ""
    while True:
        text = chr(ord("a") + number % 26) + text
        number = number // 26 - 1
        if number < 0:
            return text


# The name of operator `i` of a sub-graph, "?" if it cannot be read.
def _op_name(subgraph, i):
    try:
        return op_name(subgraph.node(i))
    except TflmError:  # the survey has reported the error
        return "?"


# Yields (name, operator's number) of each step of a sub-graph and of the sub-graphs that it calls.
def _steps(model, number):
    calls = model.call_graph()
    subgraph = model.subgraphs[number]
    for i in range(subgraph.nodes_length()):
        yield _op_name(subgraph, i), subgraph.node_number(i)
        for callee in calls.calls[number].get(i, ()):
            yield f"sub-graph {callee}", None
            yield from _steps(model, callee)


# {tensor number: parts} of tensors that overlap others or whose bytes have different lifetimes.
def _parts_by_tensor(model):
    if not isinstance(model, Graph) or not model.overlap:
        return {}
    subgraph = model.running()[0]
    inputs, outputs = subgraph.input_tensors(), subgraph.output_tensors()
    lifetimes = BufferLifetimes(inputs, outputs, subgraph.nodes, [], {})
    last_step = len(subgraph.nodes)
    return {
        buffer.key: [
            (each.start, each.stop, first + 1, min(last + 1, last_step))
            for each in buffer.ranges
            for first, last in each.lifetimes
        ]
        for buffer in lifetimes.buffers
    }


# Plan.chains of a model.
def _chains(model):
    if not isinstance(model, Graph):
        return []
    chains = []
    nodes = model.running()[0].nodes
    for chain in model.chains or ():
        first = next(i for i, node in enumerate(nodes) if node is chain.nodes[0]) + 1
        operators = len({node.index for node in chain.nodes})
        chains.append((first, first + len(chain.nodes) - 1, operators, len(chain.slots[0])))
    return chains


def plan_of(model, storage):
    """Return the Plan of a model and its RomStorage, as flat.flatten.prepare() returns them."""
    tensors, parts = [], _parts_by_tensor(model)
    for index, buffer in storage.tensors.items():
        if index in storage.views:
            continue  # drawn as bytes of its base
        tensor = model.tensor(index)
        tensors.append((buffer.first, index, tensor, buffer))
    tensors.sort(key=lambda entry: entry[:2])
    blocks = [
        Block(
            _label(i),
            tensor.name,
            "tensor",
            tuple(tensor.shape),
            dtypes.name(tensor.dtype),
            buffer.size,
            buffer.offset,
            buffer.first,
            buffer.last,
            parts.get(index, []),
        )
        for i, (_, index, tensor, buffer) in enumerate(tensors)
    ]
    for buffer in storage.scratch_buffers:
        if buffer is not None and buffer.size:
            blocks.append(
                Block(
                    "", "scratch", "scratch", (), "", buffer.size, buffer.offset,
                    buffer.first, buffer.last,
                )
            )  # fmt: skip
    steps = list(_steps(model, 0))
    names, nodes = [name for name, _ in steps], [node for _, node in steps]
    plan = Plan(blocks, names, storage.head_bytes, storage.arena_bytes, None, nodes)
    plan.chains = _chains(model)
    if plan.ops:
        ops = [op for op, node in enumerate(nodes) if node is not None]
        plan.peak_op = max(ops, key=lambda op: (plan.live_bytes(op), -op))
    return plan


def tflm_head_bytes(model):
    """Return the bytes that TFLM's planner needs for the tensors of a model, without scratch."""
    tensors, _, _ = buffers_of(model, [])
    return align_up(plan_greedy([tensors[i] for i in sorted(tensors)]))
