# tflm_tools: the arena plan as data: which bytes each tensor has, from which op to which
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm import dtypes
from tflm.arena import align_up
from tflm.errors import TflmError
from tflm.lifetimes import buffers_of
from tflm.planner import plan_greedy

from .survey import op_name


@dataclass
class Block:
    """A tensor or scratch buffer in the arena.

    `first` and `last` are steps: step 0 sets the inputs, step i + 1 runs op i.
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
    """Blocks in the order of their first step; `ops` are the operators' names."""

    blocks: list[Block]
    ops: list[str]
    head_bytes: int
    arena_bytes: int
    peak_op: int | None

    def live_bytes(self, op):
        """Bytes in use while operator `op` runs."""
        return sum(b.size for b in self.blocks if b.first <= op + 1 <= b.last)


# a, b, ... z, aa, ab, ...
def _label(number):
    text = ""
    while True:
        text = chr(ord("a") + number % 26) + text
        number = number // 26 - 1
        if number < 0:
            return text


# The names of a sub-graph's operators; a node that cannot be read gets none.
def _op_names(subgraph):
    names = []
    for i in range(subgraph.nodes_length()):
        try:
            names.append(op_name(subgraph.node(i)))
        except TflmError:  # the survey has told what is wrong with it
            names.append("?")
    return names


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
    plan = Plan(
        blocks, _op_names(model.subgraphs[0]), storage.head_bytes, storage.arena_bytes, None
    )
    if plan.ops:
        plan.peak_op = max(range(len(plan.ops)), key=lambda op: (plan.live_bytes(op), -op))
    return plan


def tflm_head_bytes(model):
    """Bytes that TFLM's own planner gives to the tensors of a model, scratch buffers aside."""
    tensors, _ = buffers_of(model, [])
    return align_up(plan_greedy([tensors[i] for i in sorted(tensors)]))
