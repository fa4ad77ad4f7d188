# Test support: a fake tflm that copies 4 bytes and has the defect that its model names
# MIT license; Copyright (c) 2026 the tflm authors

import micropython

from . import errors

_ARENA_BYTES = 32
_OUTPUT = 8  # offset of the output in the arena; the input is at 0


# Store a byte at any index, like a kernel with a defect.
@micropython.viper
def _poke(memory: ptr8, index: int, value: int):
    memory[index] = value


# The model's description names the defect between "fake:" and ";".
def load(buffer):
    text = bytes(buffer)
    start = text.find(b"fake:") + 5
    return buffer, text[start : text.find(b";", start)].decode()


# An input or output of the fake.
class Tensor:
    def __init__(self, raw, shape):
        self.raw = raw
        self.shape = shape
        self.dtype = "int8"


# The fake interpreter: one input of shape (1, 4), one output of shape (4,).
class Interpreter:
    def __init__(self, model, arena=None, resolver=None, slice_units=None):
        self._buffer, self._defect = model
        self._arena = memoryview(bytearray(_ARENA_BYTES)) if arena is None else arena
        self._slice_units = slice_units
        self._invokes = 0

    def allocate_tensors(self):
        if self._defect == "refuse":
            raise errors.TflmError("the fake refuses this model")
        if self._defect == "raise":
            raise ValueError("an error that is no TflmError")
        if len(self._arena) < _ARENA_BYTES and self._defect != "greedy":
            raise errors.ArenaError("too small")

    def arena_used_bytes(self):
        return _ARENA_BYTES

    def inputs_size(self):
        return 1

    def outputs_size(self):
        return 1

    def input(self, i):
        return Tensor(self._arena[:4], (1, 4))

    def output(self, i):
        return Tensor(self._arena[_OUTPUT : _OUTPUT + 4], (4,))

    def reset(self):
        self._invokes = 0

    def invoke(self):
        defect = self._defect
        self._invokes += 1
        for i in range(4):
            self._arena[_OUTPUT + i] = self._arena[i]
        if defect == "crash":
            _poke(8, 0, 1)
        elif defect == "hang":
            while True:
                pass
        elif defect == "noise":
            print("noise without an end", end="")
        elif defect == "wrong":
            self._arena[_OUTPUT + 2] ^= 1
        elif defect == "below":
            _poke(self._arena, 0 - 3, 0)
        elif defect == "above":
            _poke(self._arena, _ARENA_BYTES, 0)
        elif defect == "model":
            self._buffer[-1] = self._invokes
        elif defect == "allocate":
            bytearray(8)
        elif defect == "drift":
            self._arena[_OUTPUT] = self._invokes
        elif defect == "slices":
            self._arena[_OUTPUT] = self._slice_units or 0
        elif defect == "memory":
            self._arena[_OUTPUT] = self._arena[_OUTPUT + 4]
        return 0
