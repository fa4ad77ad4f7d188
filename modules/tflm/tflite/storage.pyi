# tflm: Storage: what MicroContext asks of the place where the results of Prepare go
# MIT license; Copyright (c) 2026 the tflm authors

# A protocol, written down once and costing boards nothing. MicroAllocator (the arena of a board),
# RomStorage (the image of a flat model, tflm_tools/image/rom.py) and FlatCustom (custom operators
# of a flat model, planned already) keep it; tests/rules/test_storage.py compares them.

from typing import Any, Protocol

from .context import Operand
from .graph import Node, Tensor

# Memory that lasts until a node is prepared.
class Sections(Protocol):
    def allocate_temp(self, size: int) -> int: ...  # an offset, for memory_of()

class PlanningSections(Sections, Protocol):
    def reset_temp_allocations(self) -> None: ...

class Storage(Protocol):
    # The model with the sub-graphs that run; raises UnsupportedError where there is none.
    model: Any
    sections: Sections
    # (offset, bytes, byte to reset them to) of persistent buffers that reset() brings back.
    states: list[tuple[int, int, int]]
    # The list of steps that records go to, and how many there are.
    step_list: int
    step_lists: int

    # Note the call of a kernel: words from word 0 on, `operands` of them behind it, then a table,
    # padded to whole words.
    def record(
        self,
        node: Node,
        kernel: str,
        words: list[int],
        operands: int,
        slice_units: int,
        table: bytes,
    ) -> None: ...
    # The operand word of bytes that Prepare has made; equal ones may be kept once.
    def constant(self, data: bytes, alignment: int) -> int: ...
    # The operand word of a constant of the model.
    def constant_tensor(self, tensor: Tensor) -> int: ...
    # A scratch buffer for a node: its number, or its offset where that is planned.
    def scratch(self, size: int, node: Node) -> int: ...
    # Bytes that last, zeros at first: their offset.
    def persistent(self, size: int) -> int: ...
    # The memory behind a scratch, persistent or temporary operand.
    def memory_of(self, operand: Operand) -> memoryview: ...

# What prepare_model() asks besides of a storage that plans.
class PlanningStorage(Storage, Protocol):
    sections: PlanningSections

    # Begin a model: forget the requests of the one before.
    def start_model_allocation(self, model: Any) -> None: ...
    # Place every activation and scratch buffer. keep_tensors: each at a place of its own. guards:
    # with a zone behind each.
    def finish_model_allocation(self, keep_tensors: bool, guards: bool) -> None: ...
