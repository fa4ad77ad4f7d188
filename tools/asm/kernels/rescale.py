# Kernel of integers from one scale to another, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from tflm import kernels
from tflm.prepare.rescale import RESCALE

from ..language.calls import begin_eval
from ..language.macros import QuantizedScale, Record
from ..language.viper import write_portable

_ABOUT = """
QUANTIZE; ABS, RELU and LEAKY_RELU on int16. Units are elements. op: RESCALE of prepare/rescale.py.
"""
_PORTABLE = Path(kernels.__file__).parent / "rescale.py"
_INT16 = 2
_MAX_LEFT = 14  # a shift to the left by which a difference of 17 bits does not saturate


def eval_integers(machine):
    k, start, stop = begin_eval("eval_integers", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record, other, end = Record(k, op, RESCALE), k.new_label("other"), k.new_label("end")
    k.branch(record.input_type != _INT16, other)
    shifts = record.shift, record.negative_shift
    for shift in shifts:
        k.branch(shift > _MAX_LEFT, other)
    _from_int16(k, record, (arena, rom), shifts, start, stop)
    k.goto(end)
    k.label(other)
    write_portable(k, _PORTABLE, "eval_integers", machine, [op, arena, rom, start, stop])
    k.label(end)
    return k.finish()


# As kernels/rescale.py, for inputs of int16.
def _from_int16(k, record, bases, shifts, start, stop):
    positive = QuantizedScale(k, record.multiplier, shifts[0] + 32)
    negative = QuantizedScale(k, record.negative_multiplier, shifts[1] + 32)
    source = record.operand("input", *bases)
    x, last = k.var("x", source + (start << 1)), k.var("last", source + (stop << 1))
    size = k.var("size", k.const(1) << record.output_type.max(1) - 1)  # 1, 2 or 4 bytes
    y = k.var("y", bases[0] + record.output.lsr(2) + start * size)
    zero_in, zero_out, negate = record.input_zero_point, record.output_zero_point, record.negate
    low, high = record.lowest, record.highest
    with k.While(lambda: x.below(last), "element", times=64):
        value = k.var("value", x.get("s16") - zero_in)
        x += 2
        with k.If(value < 0), k.If(negate > 1):
            value.set(-value)
        with k.If(value < 0):
            negative.apply(value)
            with k.If(negate != 0):
                value.set(-value)
        with k.Else():
            positive.apply(value)
        value.set(value.max(low).min(high) + zero_out)
        for kind, bytes_ in (("u8", 1), ("u16", 2), ("w", 4)):
            with k.If(size == bytes_):
                y.put(kind, value)
        y += size
