# tflm: ADD, SUB, MUL, float32: with the FPU of a Cortex-M4, M7 or M33
# MIT license; Copyright (c) 2026 the tflm authors

from ..arithmetic_float import calculate
from ..armv7em.gen.broadcast_asm import run_expand
from .gen.float32_asm import elements, limit

_INPUT1 = const(1)
_INPUT2 = const(2)
_OUTPUT = const(3)
_ROW1 = const(4)
_ROW2 = const(5)
_STEP1 = const(7)
_STEP2 = const(8)
_EXPAND1 = const(9)
_EXPAND2 = const(10)
_BLOCK = const(11)
_KIND = const(12)
_ACTIVATION_MIN = const(13)

_MAX_UNITS = const(1 << 18)  # that run_expand() and elements() can get


# Units are elements. The portable kernel does the same with helpers, whose calls take longer than
# a block of elements.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    word = r[_INPUT1]
    first = base + (word >> 2) + gap * (word & 1)
    word = r[_INPUT2]
    second = base + (word >> 2) + gap * (word & 1)
    target = base + (r[_OUTPUT] >> 2)
    # Arguments of assembler functions have 31 bits: their two highest bits are equal in a word.
    unfit = first ^ first << 1 | second ^ second << 1 | target ^ target << 1 | int(r) ^ int(r) << 1
    if unfit < 0 or stop >= _MAX_UNITS:
        calculate(op, arena, rom, start, stop)
        return
    limits = int(r) + 4 * _ACTIVATION_MIN
    kind = r[_KIND] << 3 | 1 | r[_STEP1] >> 1 | r[_STEP2]  # steps are 0 or 4 bytes
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        a = first + start * r[_STEP1]
        if r[_EXPAND1]:
            run_expand(op, arena, rom, start << 11 | count << 1)
            a = base + (r[_ROW1] >> 2)
        b = second + start * r[_STEP2]
        if r[_EXPAND2]:
            run_expand(op, arena, rom, start << 11 | count << 1 | 1)
            b = base + (r[_ROW2] >> 2)
        elements(target + 4 * start, a, b, count << 6 | kind)
        limit(target + 4 * start, limits, count)
        start += count
