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

    arenas, models: the sizes of each one; models has none that is read in place. code: heap for
    the code of tflm. machine_code: executable memory for native functions, on chips that have it
    separately. program: heap for the user's program.
    """

    arenas: list[int]
    models: list[int]
    code: int
    machine_code: int = 0
    program: int = _PROGRAM_BYTES

    @property
    def arena(self):
        """Bytes of heap for all arenas."""
        return sum(self.arenas)

    @property
    def model(self):
        """Bytes of heap for all models."""
        return sum(self.models)

    @property
    def largest(self):
        """Bytes of the largest arena or model."""
        return max([*self.arenas, *self.models], default=0)

    @property
    def heap(self):
        """Bytes of heap in all."""
        return self.arena + self.model + self.code + self.program


def memory_need(flats, facts, in_ram, more=()):
    """Return the MemoryNeed of models (a list of .tflm) on the board with these Facts.

    in_ram: the models are loaded into RAM. more: files of tflm that are imported in addition to
    the files that an ordinary invoke imports.
    """
    arenas = [FlatFile(flat).arena_bytes for flat in flats]
    models = [len(flat) for flat in flats] if in_ram else []
    if facts.frozen:
        return MemoryNeed(arenas, models, 0)
    names = set(more)
    for flat in flats:
        names |= set(runtime_files.imported_files(flat, facts.arch, facts.assembler, facts.core))
    files = bundle.files(sorted(names), facts.arch)
    size = sum(map(len, files.values()))
    if facts.code_memory is None:
        numerator, denominator = _HEAP_PER_MPY_BYTE
        return MemoryNeed(arenas, models, size * numerator // denominator)
    functions = [len(code.data) for data in files.values() for code in _native_functions(data)]
    bytecode = _HEAP_PER_BYTECODE_BYTE * (size - sum(functions))
    machine_code = sum(functions) + _BYTES_PER_FUNCTION * len(functions)
    return MemoryNeed(arenas, models, bytecode, machine_code, program=0)


def _native_functions(data):
    return [code for code in MpyFile(data).module.functions() if code.kind != BYTECODE]
