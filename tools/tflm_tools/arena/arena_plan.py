# tflm_tools: the arena plan as data: which bytes each tensor has, from which op to which
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from tflm import dtypes
from tflm.arena import align_up
from tflm.errors import TflmError
from tflm.tflite.lifetimes import buffers_of
from tflm.tflite.planner import plan_greedy

from ..model.schema import op_name
from .lives import Lives


@dataclass
class Block:
    """A tensor or scratch buffer in the arena.

    `first` and `last` are steps: step 0 sets the inputs, step i + 1 is `ops[i]` of the plan.
    `parts` are (start, stop, first, last) where bytes start..stop-1 are used in these steps only;
    without any, all bytes are used from the first to the last step.
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
        """(start, stop, first, last) of what is used, with bytes counted from the arena's."""
        parts = self.parts or [(0, self.size, self.first, self.last)]
        return [(self.offset + a, self.offset + b, first, last) for a, b, first, last in parts]


@dataclass
class Column:
    """A place on the axis of time: steps first..last, which take `width` operators' room.

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
    """Blocks in the order of their first step, and what each step from 1 on is.

    `ops` are names: of operators, or "sub-graph N" where control flow sets the inputs of one, each
    time that it is run; `nodes` are the operators' numbers over all sub-graphs. `chains` are
    (first step, last step, operators, bands) of what runs in bands of rows.
    """

    blocks: list[Block]
    ops: list[str]
    head_bytes: int
    arena_bytes: int
    peak_op: int | None
    nodes: list[int | None] = field(default_factory=list)
    chains: list[tuple[int, int, int, int]] = field(default_factory=list)

    def live_bytes(self, op):
        """Bytes in use while `ops[op]` runs, those that tensors share counted once."""
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
        """The operator's number of `ops[op]`, as a text; "" for what is none."""
        number = self.nodes[op] if self.nodes else op
        return "" if number is None else str(number)

    def columns(self):
        """The Columns of the axis of time: one for each step, or chain."""
        starts = {chain[0]: chain for chain in self.chains}
        found = [Column(0, 0, 1, "in", "inputs")]
        step = 1
        while step <= len(self.ops):
            op = step - 1
            if step not in starts:
                found.append(Column(step, step, 1, self.number(op), self.ops[op]))
                step += 1
                continue
            _, last, operators, bands = starts[step]
            numbers = sorted(n for n in self.nodes[op:last] if n is not None)
            label = f"{numbers[0]}–{numbers[-1]}"
            found.append(Column(step, last, operators, label, f"in {bands} bands", bands))
            step = last + 1
        return found

    def edges(self):
        """Where each step begins on the axis of time, and where the last one ends; in operators.

        What runs in bands takes as much room as its operators would.
        """
        found, at = [], 0
        for column in self.columns():
            steps = column.last - column.first + 1
            found += [at + column.width * k / steps for k in range(steps)]
            at += column.width
        return [*found, at]

    def live_bytes_of(self, node):
        """Bytes in use while an operator runs for the first time; None when it never does."""
        return self.live_bytes(self.nodes.index(node)) if node in self.nodes else None

    @property
    def peak_node(self):
        """The operator with the most bytes in use."""
        return None if self.peak_op is None else self.nodes[self.peak_op]


# a, b, ... z, aa, ab, ...
def _label(number):
    text = ""
    while True:
        text = chr(ord("a") + number % 26) + text
        number = number // 26 - 1
        if number < 0:
            return text


# The name of operator `i` of a sub-graph; one that cannot be read has none.
def _op_name(subgraph, i):
    try:
        return op_name(subgraph.node(i))
    except TflmError:  # the survey has told what is wrong with it
        return "?"


# (name, operator's number) of each step of a sub-graph and of those that it runs.
def _steps(model, number):
    calls = model.call_graph()
    subgraph = model.subgraphs[number]
    for i in range(subgraph.nodes_length()):
        yield _op_name(subgraph, i), subgraph.node_number(i)
        for callee in calls.calls[number].get(i, ()):
            yield f"sub-graph {callee}", None
            yield from _steps(model, callee)


# {tensor: parts} of the tensors that lie over others, or are used part by part.
def _parts(model):
    if not getattr(model, "overlap", False):
        return {}
    subgraph = model.running()[0]
    lives = Lives(subgraph.input_tensors(), subgraph.output_tensors(), subgraph.nodes, [], {})
    last_step = len(subgraph.nodes)
    return {
        block.key: [
            (part.start, part.stop, first + 1, min(last + 1, last_step))
            for part in block.parts
            for first, last in part.lives
        ]
        for block in lives.blocks
    }


# Chains in bands, as Plan has them.
def _chains(model):
    found = []
    for chain in getattr(model, "chains", ()):
        nodes = model.running()[0].nodes
        first = next(i for i, node in enumerate(nodes) if node is chain.nodes[0]) + 1
        operators = len({node.index for node in chain.nodes})
        found.append((first, first + len(chain.nodes) - 1, operators, len(chain.slots[0])))
    return found


def plan_of(model, storage):
    """The Plan of a prepared model: what survey() or flatten's prepare() returned."""
    tensors, parts = [], _parts(model)
    for index, buffer in storage.tensors.items():
        if index in storage.views:
            continue  # a part of another tensor
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
    """Bytes that TFLM's own planner gives to the tensors of a model, scratch buffers aside."""
    tensors, _, _ = buffers_of(model, [])
    return align_up(plan_greedy([tensors[i] for i in sorted(tensors)]))
