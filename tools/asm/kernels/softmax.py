# Kernel of SOFTMAX, int8 to int8 and int16, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.softmax import SOFTMAX

from ..language.calls import begin_eval
from ..language.macros import Record, rounded_product

_ABOUT = """
SOFTMAX, int8 to int8 and int16. Units are rows. op: SOFTMAX of prepare/softmax.py.
"""


# Return (1 / a sum of exponentials, scaled to 1/2 .. 1, how often the sum was doubled): TFLM's
# GetReciprocal, Newton's division on half of the doubled sum.
def _reciprocal(k, record, total):
    half, doubled = k.var("half", total), k.var("doubled", 0)
    with k.If(half < 0, rare=True):
        half.set(half.lsr(1))
        doubled -= 1
    doubled += 1
    with k.While(lambda: half.lsr(30) == 0, "double"):
        half <<= 1
        doubled += 1
    x = k.var("reciprocal", rounded_product(k, half, record.newton_slope) + record.newton_start)
    left = k.var("left", 3)
    with k.loop("newton", times=3) as newton:
        rest = k.const(1 << 29) - rounded_product(k, half, x)
        x += rounded_product(k, x, rest) << 2
        left -= 1
        newton.repeat_if(left != 0)
    # One integer bit less; 1.0 itself saturates.
    saturated = k.new_label("saturated")
    with k.If(x >> 30 != 0, rare=True):
        x.set(0x7FFFFFFF)
        k.goto(saturated)
    x <<= 1
    k.label(saturated)
    return x, doubled


# Steps, for each row:
# 1. Its largest value, whose exponential is at `exps`. The exponentials of smaller values follow.
# 2. The sum of the exponentials.
# 3. Each exponential times the reciprocal of the sum.
def eval_int8(machine):
    k, start, stop = begin_eval("eval_int8", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, SOFTMAX)
    end = k.new_label("end")
    k.branch(start >= stop, end)
    depth, bits = record.depth, record.output_bits
    is_wide = k.var("is_wide", bits >> 4)
    x = k.var("x", record.operand("input", arena, rom) + start * depth)
    target = k.var("target", arena + record.output.lsr(2) + (start * depth << is_wide))
    table = record.operand("exps", arena, rom)
    with k.loop("row", times=8) as row:
        _row(k, record, x, target, table, (depth, is_wide, bits))
        start += 1
        row.repeat_if(start < stop)
    k.label(end)
    return k.finish()


def _row(k, record, x, target, table, shape):
    depth, is_wide, bits = shape
    row_end = k.var("row_end", x + depth)
    # 1.
    at = k.var("at", x)
    top = k.var("top", -128)
    with k.While(lambda: at.below(row_end), "top", times=16):
        top.set(top.max(at.get("s8")))
        at += 1
    exps = k.var("exps", table + (top << 2))
    # 2.
    total = k.var("total", 0)
    at = k.var("at", x)
    with k.While(lambda: at.below(row_end), "sum", times=16):
        total += ((exps - (at.get("s8") << 2))[0].lsr(11) + 1).lsr(1)
        at += 1
    # 3.
    factor, doubled = _reciprocal(k, record, total)
    # 31 fractional bits become the fractional bits of the output, without the doubling.
    shift = k.var("shift", k.const(42) - bits - doubled)
    with k.If(shift > 30, rare=True):
        shift.set(30)
        factor.set(0)
    half = k.var("half", k.const(1) << bits - 1)
    highest = k.var("highest", half - 1)
    with k.While(lambda: x.below(row_end), "quotient", times=16):
        value = (exps - (x.get("s8") << 2))[0]
        x += 1
        quotient = (rounded_product(k, value, factor) >> shift) + 1 >> 1
        quotient.set((quotient - half).min(highest))
        with k.If(is_wide != 0):
            target.put("u16", quotient)
            target += 1
        with k.Else():
            target.put("u8", quotient)
        target += 1
