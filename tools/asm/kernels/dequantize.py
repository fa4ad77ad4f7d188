# Kernel of DEQUANTIZE, for an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.dequantize import DEQUANTIZE

from ..language.calls import begin_eval
from ..language.fpu import Fpu
from ..language.macros import Record

_ABOUT = """
DEQUANTIZE, int8, uint8 and int16 to float32. Units are elements. op: DEQUANTIZE of
prepare/dequantize.py.
"""
_LOADS = (("s8", 1), ("u8", 1), ("s16", 2))  # and bytes of the types 0, 1 and 2
_SCALE, _VALUE = 0, 1  # registers of the FPU


# The difference to the zero point has at most 17 bits, so that only the product is rounded, once.
def eval_integers(machine):
    """Return the Kernel for the FPU of a Cortex-M, or None."""
    if not machine.has_float_divide:
        return None
    k, start, stop = begin_eval("eval_integers", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record, fpu = Record(k, op, DEQUANTIZE), Fpu(k)
    kind, zero_point = record.type, k.reg("zero_point")
    k.emit("s16", [zero_point], [record.zero_point])
    fpu.load(_SCALE, record.operand("scale", arena, rom))
    source = record.operand("input", arena, rom)
    y = k.var("y", arena + record.output.lsr(2) + (start << 2))
    for code, (load, size) in enumerate(_LOADS):
        with k.If(kind == code):
            x = k.var("x", source + start * size)
            with k.repeat(k.var("count", stop - start), "element", times=64):
                fpu.from_integer(_VALUE, x.get(load) - zero_point)
                fpu.mul(_VALUE, _VALUE, _SCALE)
                fpu.store_next([_VALUE], y)
                x += size
    return k.finish()
