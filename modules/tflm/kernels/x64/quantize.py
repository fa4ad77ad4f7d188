# tflm: x86-64: QUANTIZE, float32 to int8, uint8 and int16
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.quantize_asm import quantize

_INPUT = const(1)
_SCALE = const(2)
_OUTPUT = const(3)
_TYPE = const(4)
_ZERO_POINT = const(5)

_INT16 = const(2)


# Units are elements.
@micropython.viper
def eval_float32(op: ptr32, arena, rom, start: int, stop: int):
    kind = op[_TYPE]
    target = op[_OUTPUT] + (start << 3 if kind == _INT16 else start << 2)
    source = op[_INPUT] + (start << 4)
    quantize(arena, rom, target, source, stop - start, op[_SCALE], op[_ZERO_POINT], kind)
