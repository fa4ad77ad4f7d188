# tflm_tools: the arena plan as data: which bytes each tensor has, from which op to which
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from tflm import dtypes
from tflm.arena import align_up
from tflm.errors import TflmError
from tflm.lifetimes import buffers_of
from tflm.planner import plan_greedy

from .survey import op_name


@dataclass
class Block:
    """A tensor or scratch buffer in the arena.

    `first` and `last` are steps: step 0 sets the inputs, step i + 1 is `ops[i]` of the plan.
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


@dataclass
class Plan:
    """Blocks in the order of their first step, and what each step from 1 on is.

    `ops` are names: of operators, or "sub-graph N" where control flow sets the inputs of one, each
    time that it is run; `nodes` are the operators' numbers over all sub-graphs.
    """

    blocks: list[Block]
    ops: list[str]
    head_bytes: int
    arena_bytes: int
    peak_op: int | None
    nodes: list[int | None] = field(default_factory=list)

    def live_bytes(self, op):
        """Bytes in use while `ops[op]` runs."""
        return sum(b.size for b in self.blocks if b.first <= op + 1 <= b.last)

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
        yield _op_name(subgraph, i), subgraph.first_node + i
        for callee in calls.calls[number].get(i, ()):
            yield f"sub-graph {callee}", None
            yield from _steps(model, callee)


def plan_of(model, storage):
    """The Plan of a prepared model: what survey() or flatten's prepare() returned."""
    tensors = []
    for index, buffer in storage.tensors.items():
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
        )
        for i, (_, _, tensor, buffer) in enumerate(tensors)
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
    if plan.ops:
        ops = [op for op, node in enumerate(nodes) if node is not None]
        plan.peak_op = max(ops, key=lambda op: (plan.live_bytes(op), -op))
    return plan


def tflm_head_bytes(model):
    """Bytes that TFLM's own planner gives to the tensors of a model, scratch buffers aside."""
    tensors, _ = buffers_of(model, [])
    return align_up(plan_greedy([tensors[i] for i in sorted(tensors)]))
