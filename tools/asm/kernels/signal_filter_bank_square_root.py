# Kernel of SignalFilterBankSquareRoot in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.signal_filter_bank_square_root import LAYOUT

from ..language.calls import begin_eval
from ..language.macros import Record

_ABOUT = """
SignalFilterBankSquareRoot. Units are elements. op: LAYOUT of
prepare/signal_filter_bank_square_root.py.
"""


# Square root of a word, digit by digit. Return it; `rest` becomes the remainder.
def _root_of_word(k, rest):
    root, one = k.vars("root", 0), k.var("one", 1 << 30)
    with k.loop("skip_zeros", times=4) as skip:
        skip.leave_if(one.not_above(rest))
        one.set(one.lsr(2))
        skip.repeat_if(one != 0)
    with k.While(lambda: one != 0, "bit", times=16):
        trial = k.var("trial", root + one)
        root.set(root.lsr(1))
        with k.If(trial.not_above(rest)):
            rest -= trial
            root += one
        one.set(one.lsr(2))
    return root


# Return (rest << 15) + more // root, at most 65535, and the remainder; rest <= 2 * root.
def _lower_half(k, root, rest, more):
    quotient = k.vars("quotient", 0)
    if not k.machine.has_divide:
        rest.set((rest << 15) + more)
        one, step = k.var("one", 1 << 15), k.var("step", root << 15)
        with k.loop("quotient_bit", times=16) as loop:
            with k.If(step.not_above(rest)):
                rest -= step
                quotient += one
            step.set(step.lsr(1))
            one.set(one.lsr(1))
            loop.repeat_if(one != 0)
        return quotient, rest
    with k.If(rest >= root):
        rest -= root
        quotient.set(1 << 15)
    rest.set((rest << 15) + more)
    digits = k.reg("digits")
    k.emit("divu", [digits], [rest, root])
    digits.set(digits.min((1 << 15) - 1))
    rest -= digits * root
    quotient += digits
    return quotient, rest


# Round a root up if its remainder says so; a root of 65535 stays, as in TFLM.
def _round_word(k, root, rest):
    with k.If(rest.above(root)):
        root.set((root + 1).min(0xFFFF))


# Set `root` from the root of the upper word of a number, whose remainder is `rest`, to the root of
# both words, not rounded. low: the lower word.
def _append_lower_half(k, root, rest, low):
    quotient, rest = _lower_half(k, root, rest, low.lsr(17))
    root.set((root << 16) + quotient)
    with k.If(rest < 1 << 15):
        rest.set((rest << 17) + low.field(0, 17))
        with k.If(rest.below(quotient * quotient)):
            root -= 1


# Round the root of a number of two words up if the number is above root * (root + 1).
def _round_words(k, root, low, high):
    more, done = k.var("more", root + 1), k.new_label("rounded")
    k.branch(more == 0, done)
    upper, lower = k.var("upper", root.mulhu(more)), k.var("lower", root * more)
    k.branch(high.below(upper), done)
    with k.If(high == upper):
        k.branch(low.not_above(lower), done)
    root.set(more)
    k.label(done)


# Steps:
# 1. A number of one word: its root digit by digit.
# 2. Others are shifted left by an even number of bits, so that the upper word is 2 ** 30 at least.
#    Its root is the upper half of the root; the quotient of the remainder and twice this root is
#    the lower half or one more than it (Zimmermann, "Karatsuba Square Root", 1999).
# 3. The bit after the last one of the root rounds it. Without shift, the root is rounded up if the
#    number is above root * (root + 1). A root of all ones is not rounded up.
def eval_uint64(machine):
    k, start, stop = begin_eval("eval_uint64", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, LAYOUT)
    scale_bits = record.operand("scale_bits", arena, rom).get("u8")
    scale_bits = k.var("scale_bits", scale_bits.field(0, 5))
    x = record.operand("input", arena, rom) + (start << 3)
    y = record.operand("output", arena, rom) + (start << 2)
    end = k.var("end", y + (stop - start << 2))
    with k.While(lambda: y.below(end), "number"):
        low, high = k.words(x, 0, "low", "high")
        x += 8
        word, shift = k.var("word", high), k.var("shift", 0)
        with k.If(high == 0):
            word.set(low)
        with k.Else():
            for by in (16, 8, 4, 2):
                with k.If(word.lsr(32 - by) == 0):
                    word <<= by
                    shift += by
            word |= low.lsr(1).lsr(31 - shift)
            low <<= shift
        root = _root_of_word(k, word)
        with k.If(high == 0):
            _round_word(k, root, word)
        with k.Else():
            _append_lower_half(k, root, word, low)
            with k.If(shift != 0):
                doubled = k.var("doubled", root.lsr(shift.lsr(1) - 1))
                root.set(doubled.lsr(1) + doubled.field(0, 1))
            with k.Else():
                _round_words(k, root, low, high)
        y.put("w", root.lsr(scale_bits))
        y += 4
    return k.finish()
