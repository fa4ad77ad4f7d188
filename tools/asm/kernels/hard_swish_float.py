# Kernel of HARD_SWISH, float32, for an FPU that divides, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.unary_float import HARD_SWISH

from ..language.calls import begin_eval
from ..language.fpu import Fpu
from ..language.macros import Record

_ABOUT = """
HARD_SWISH, float32. Units are elements. op: HARD_SWISH of prepare/unary_float.py.
"""


def eval_float32(machine):
    k, start, stop = begin_eval("eval_float32", _ABOUT, machine)
    op, arena, rom, *_ = k.arguments
    record, fpu = Record(k, op, HARD_SWISH), Fpu(k)
    three, zero, six = range(2, 5)
    for number, name in ((three, "three"), (zero, "zero"), (six, "six")):
        fpu.load(number, op, record.offset(name))
    x = k.var("x", record.operand("input", arena, rom) + (start << 2))
    to = k.var("to", record.operand("output", arena, rom) + (start << 2))
    with k.repeat(k.var("count", stop - start), "element", times=16):
        fpu.load_next([0], x)
        fpu.add(1, 0, three)
        fpu.limit(1, zero, six)
        fpu.mul(1, 0, 1)
        fpu.div(1, 1, six)
        fpu.store_next([1], to)
    return k.finish()
