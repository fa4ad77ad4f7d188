# Kernel of QUANTIZE of float32, for an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.quantize import QUANTIZE

from ..language.calls import begin_eval
from ..language.fpu import Fpu
from ..language.macros import Record

_ABOUT = """
QUANTIZE, float32 to int8, uint8 and int16. Units are elements. op: QUANTIZE of
prepare/quantize.py.
"""
_INT16 = 2
_HALF = 0x3F000000  # bits of 0.5
_SCALE, _VALUE, _ROUNDED = range(3)  # registers of the FPU


# Return the quotient of a number and the scale, rounded as kernels/quantize.py explains it. The
# FPU rounds halves to even; those that it rounded towards zero are moved away from it.
def _quotient(k, fpu, half):
    fpu.div(_VALUE, _VALUE, _SCALE)
    quotient = k.var("quotient", fpu.round(_ROUNDED, _VALUE))
    fpu.sub(_ROUNDED, _VALUE, _ROUNDED)
    sign = fpu.bits(_VALUE) >> 31
    with k.If((fpu.bits(_ROUNDED) ^ sign << 31) == half, rare=True):
        quotient += sign | 1
    return quotient


def eval_float32(machine):
    """Return the Kernel for the FPU of a Cortex-M, or None."""
    if not machine.has_float_divide:
        return None
    k, start, stop = begin_eval("eval_float32", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record, fpu = Record(k, op, QUANTIZE), Fpu(k)
    kind, zero_point, half = record.type, k.reg("zero_point"), k.var("half", _HALF)
    k.emit("s16", [zero_point], [record.zero_point])
    fpu.load(_SCALE, record.operand("scale", arena, rom))
    x = k.var("x", record.operand("input", arena, rom) + (start << 2))
    output = arena + record.output.lsr(2) + start
    count, flip = k.var("count", stop - start), k.var("flip", kind.field(0, 1) << 7)
    bytes_, end = k.new_label("bytes"), k.new_label("end")
    k.branch(kind != _INT16, bytes_)
    for bits in (16, 8):
        y = k.var("y", output + start if bits == 16 else output)
        low, high = (k.var("limit", (number << bits - 8) + less - zero_point)
                     for number, less in ((k.const(-128), 0), (k.const(128), -1)))  # fmt: skip
        with k.repeat(count, "element", times=64):
            fpu.load_next([_VALUE], x)
            value = _quotient(k, fpu, half).min(high).max(low) + zero_point
            y.put(f"u{bits}", value if bits == 16 else value ^ flip)
            y += bits // 8
        if bits == 16:
            k.goto(end)
            k.label(bytes_)
    k.label(end)
    return k.finish()
