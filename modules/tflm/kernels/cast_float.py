# tflm: CAST between float32 and integers
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32 int16; package more; check unary_float

from .float32_convert import from_int, to_int

_INPUT = const(1)
_OUTPUT = const(2)
_TYPE = const(3)  # of float32_convert
_SIZE = const(4)  # bytes of an integer


# Units are elements.
@micropython.viper
def eval_to_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    source = r[_INPUT] + (start * r[_SIZE] << 2)
    from_int(arena, rom, r[_OUTPUT] + (start << 4), source, stop - start, r[_TYPE])


# Units are elements.
@micropython.viper
def eval_from_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    target = r[_OUTPUT] + (start * r[_SIZE] << 2)
    to_int(arena, rom, target, r[_INPUT] + (start << 4), stop - start, r[_TYPE])
