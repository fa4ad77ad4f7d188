# tflm: Storage: the protocol of the memory to which MicroContext writes the results of Prepare.
# MIT license; Copyright (c) 2026 the tflm authors

# Boards never load this file. MicroAllocator (the arena of a board), RomStorage (the image of a
# flat model, tflm_tools/image/rom.py) and FlatCustom (the plan of a flat model's custom operators)
# implement the protocol; tests/rules/test_storage.py compares them.

from typing import Any, Protocol

from .context import Operand
from .graph import Node, Tensor

# Temporary memory, until a node is prepared.
class Sections(Protocol):
    def allocate_temp(self, size: int) -> int: ...  # an offset, for memory_of()

class PlanningSections(Sections, Protocol):
    def reset_temp_allocations(self) -> None: ...

class Storage(Protocol):
    # The model with the sub-graphs that run; raises UnsupportedError without one.
    model: Any
    sections: Sections
    # (offset, bytes, value) of the persistent buffers that reset() sets to a value.
    states: list[tuple[int, int, int]]
    # The list of steps that records go to, and the number of lists.
    step_list: int
    step_lists: int

    # Store a kernel call: `words` from word 0 on, of which words 1 to `operands` are operands,
    # then a table, padded to whole words.
    def record(
        self,
        node: Node,
        kernel: str,
        words: list[int],
        operands: int,
        slice_units: int,
        table: bytes,
    ) -> None: ...
    # Return the operand word of bytes that Prepare computed; equal bytes may be stored once.
    def constant(self, data: bytes, alignment: int) -> int: ...
    # Return the operand word of a constant of the model.
    def constant_tensor(self, tensor: Tensor) -> int: ...
    # Return the number of a new scratch buffer for a node, or its offset if that is planned.
    def scratch(self, size: int, node: Node) -> int: ...
    # Return the offset of persistent bytes, which are 0 at first.
    def persistent(self, size: int) -> int: ...
    # Return the memory of a scratch, persistent or temporary operand.
    def memory_of(self, operand: Operand) -> memoryview: ...

# What prepare_model() needs of a storage that plans memory.
class PlanningStorage(Storage, Protocol):
    sections: PlanningSections

    # Start a model; drop the requests of the model before.
    def start_model_allocation(self, model: Any) -> None: ...
    # Place all activations and scratch buffers; keep: bits of arena.py. guards: see Interpreter.
    def finish_model_allocation(self, keep: int, guards: bool) -> None: ...
