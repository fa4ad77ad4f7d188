# tflm_tools: board: estimates how much heap and executable memory a model needs on a board
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from ..model.flat_file import FlatFile
from ..packages import bundle, runtime_files
from ..packages.machine_code.mpy_file import BYTECODE, MpyFile

# Heap in bytes for a small program and the interpreter's objects, in addition to the arena.
_PROGRAM_BYTES = 10 * 1024
# Compiled code needs more heap than the bytes of its .mpy: measured on a Pico, 50 KB for 46 KB.
_HEAP_PER_MPY_BYTE = 9, 8
# Chips with separate executable memory store only bytecode in the heap. Measured on an emulated
# ESP32 with MicroPython 1.26: 48 to 52 KB of heap for 25 KB of bytecode, objects included.
_HEAP_PER_BYTECODE_BYTE = 2
# Bytes of executable memory for each native function, beside its code: the allocator's header and
# MicroPython's list of functions. Measured on the same chip: 18.8 KB for 25 functions of 17.4 KB.
_BYTES_PER_FUNCTION = 48


@dataclass
class MemoryNeed:
    """The bytes of a board's memory that a model needs: an estimate.

    arena, model: of heap; model is 0 if the .tflm is read in place. code: heap for the code of
    tflm. machine_code: executable memory for native functions, on chips that have it separately.
    """

    arena: int
    model: int
    code: int
    machine_code: int = 0

    @property
    def heap(self):
        """Bytes of heap in all."""
        program = 0 if self.machine_code else _PROGRAM_BYTES
        return self.arena + self.model + self.code + program


def memory_need(flat, facts, in_ram):
    """Return the MemoryNeed of a .tflm (bytes) on the board with these Facts.

    in_ram: the .tflm is loaded into RAM. Only files that an ordinary invoke imports are counted.
    """
    arena, model = FlatFile(flat).arena_bytes, len(flat) if in_ram else 0
    if facts.frozen:
        return MemoryNeed(arena, model, 0)
    names = runtime_files.imported_files(flat, facts.arch, facts.assembler, facts.core)
    files = bundle.files(names, facts.arch)
    size = sum(map(len, files.values()))
    if facts.code_memory is None:
        numerator, denominator = _HEAP_PER_MPY_BYTE
        return MemoryNeed(arena, model, size * numerator // denominator)
    functions = [len(code.data) for data in files.values() for code in _native_functions(data)]
    bytecode = _HEAP_PER_BYTECODE_BYTE * (size - sum(functions))
    machine_code = sum(functions) + _BYTES_PER_FUNCTION * len(functions)
    return MemoryNeed(arena, model, bytecode, machine_code)


def _native_functions(data):
    return [code for code in MpyFile(data).module.functions() if code.kind != BYTECODE]
