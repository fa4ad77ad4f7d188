# Kernel of SOFTMAX, int8 to int8 and int16, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.softmax import SOFTMAX

from ..language.calls import begin_eval
from ..language.macros import Record, rounded_product

_ABOUT = """
SOFTMAX, int8 to int8 and int16. Units are rows. op: SOFTMAX of prepare/softmax.py.
"""
_TABLE = (
    "exp_minus_eighth",
    "one_third",
    *(f"exp_power_{i}" for i in range(7)),
    "newton_start",
    "newton_slope",
)
_EMPTY = -1  # of a slot
_POWERS_BIT = 24  # of the argument: the first power of 2 whose exponential is in the table
_FRACTION = (1 << _POWERS_BIT) - 1


# Return exp(-difference): gemmlowp's exp_on_negative_values; prepare/fixed_point.py explains it.
def _exponential(k, op, record, difference):
    result = k.reg("exponential")
    known = k.new_label("exponential_known")
    argument = rounded_product(k, -(difference << record.shift), record.multiplier)
    with k.If(argument == 0, rare=True):
        result.set(0x7FFFFFFF)
        k.goto(known)
    # The fraction below 1/4, less 1/4, plus 1/8: the argument of the series.
    rest = k.var("rest", argument.field(0, _POWERS_BIT) - (_FRACTION + 1))
    powers = k.var("powers", rest - argument)
    x = k.var("x", (rest << 5) + 0x10000000)
    square = k.var("square", rounded_product(k, x, x))
    cube = k.var("cube", rounded_product(k, square, x))
    fourth = rounded_product(k, square, square)
    cube += (fourth >> 2) + fourth.field(1, 1)
    sum_ = rounded_product(k, cube, record.one_third) + square
    sum_ += sum_ >> 31
    x += (sum_ >> 1) + sum_.field(0, 1)
    factor = record.exp_minus_eighth
    result.set(rounded_product(k, x, factor) + factor)
    powers.set(powers.lsr(_POWERS_BIT))
    power = k.var("power", op + record.offset("exp_power_0"))
    with k.While(lambda: powers != 0, "power", times=3):
        with k.If(powers.field(0, 1) != 0):
            result.set(rounded_product(k, result, power[0]))
        power += 4
        powers.set(powers.lsr(1))
    k.label(known)
    return result


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
# 1. Its largest value. An exponential depends only on the difference to it, so that a call
#    computes each exponential once and stores it in its slot of the scratch buffer.
# 2. The sum of the exponentials. Differences without a slot, if there are more differences than
#    slots, are computed each time.
# 3. Each exponential times the reciprocal of the sum. Step 3 jumps to step 2 for differences
#    without a slot.
def eval_int8(machine):
    k, start, stop = begin_eval("eval_int8", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, (*SOFTMAX, *_TABLE))
    end = k.new_label("end")
    k.branch(start >= stop, end)
    depth, bits = record.depth, record.output_bits
    is_wide = k.var("is_wide", bits >> 4)
    x = k.var("x", record.operand("input", arena, rom) + start * depth)
    target = k.var("target", arena + record.output.lsr(2) + (start * depth << is_wide))
    slots = k.var("slots", arena + record.exps.lsr(2))
    largest = record.largest_difference
    limit = k.var("limit", (largest + 1).min(record.slots))  # of differences with a slot
    slot = k.var("slot", slots)
    slots_end = k.var("slots_end", slots + (limit << 2))
    with k.While(lambda: slot != slots_end, "empty", times=128):
        slot.put("w", _EMPTY)
        slot += 4
    with k.loop("row", times=8) as row:
        _row(k, op, record, x, target, (slots, limit, largest), (depth, is_wide, bits))
        start += 1
        row.repeat_if(start < stop)
    k.label(end)
    return k.finish()


def _row(k, op, record, x, target, table, shape):
    (slots, limit, largest), (depth, is_wide, bits) = table, shape
    row_end = k.var("row_end", x + depth)
    # 1.
    at = k.var("at", x)
    top = k.var("top", -128)
    with k.While(lambda: at.below(row_end), "top", times=16):
        top.set(top.max(at.get("s8")))
        at += 1
    # 2.
    total, dividing = k.vars("total dividing", 0)
    at = k.var("at", x)
    fill, following, divide = (k.new_label(name) for name in ("fill", "following", "divide"))
    difference, value, slot = k.vars("difference value slot")
    with k.While(lambda: at.below(row_end), "sum", times=16):
        difference.set(top - at.get("s8"))
        at += 1
        with k.If(difference >= limit, rare=True):
            k.branch(difference > largest, following)
            k.goto(fill)
        slot.set(slots + (difference << 2))
        value.set(slot[0])
        with k.If(value < 0):
            k.label(fill)
            value.set(_exponential(k, op, record, difference))
            with k.If(difference < limit):
                (slots + (difference << 2)).put("w", value)
            k.branch(dividing != 0, divide)
        total += (value.lsr(11) + 1).lsr(1)
        k.label(following)
    # 3.
    factor, doubled = _reciprocal(k, record, total)
    # 31 fractional bits become the fractional bits of the output, without the doubling.
    shift = k.var("shift", k.const(42) - bits - doubled)
    with k.If(shift > 30, rare=True):
        shift.set(30)
        factor.set(0)
    half = k.var("half", k.const(1) << bits - 1)
    highest = k.var("highest", half - 1)
    dividing.set(1)
    with k.While(lambda: x.below(row_end), "quotient", times=16):
        difference.set(top - x.get("s8"))
        x += 1
        with k.If(difference >= limit, rare=True):
            k.branch(difference <= largest, fill)
            value.set(0)
            k.goto(divide)
        value.set((slots + (difference << 2))[0])
        k.label(divide)
        quotient = (rounded_product(k, value, factor) >> shift) + 1 >> 1
        quotient.set((quotient - half).min(highest))
        with k.If(is_wide != 0):
            target.put("u16", quotient)
            target += 1
        with k.Else():
            target.put("u8", quotient)
        target += 1
