# Rows of int8 weights of the model times a vector, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.kernel import Kernel

_DOT = """
Adds the products of rows of int8 weights and the vector of int8, less its zero point, to words.
`lengths` is the length of a row << 16 | the number of rows << 9 | the zero point + 256.
"""
_UNROLLED = 4
_TAP_BYTES = 18  # of machine code for an element of the vector


def dot_kernel(machine):
    """Two rows at a time share the loads of the vector; an odd last row is paired with itself."""
    k = Kernel("dot", _DOT, ("weights", "vector", "sums", "lengths"), machine)
    weights, vector, sums, lengths = k.arguments
    depth, rows = k.var("depth", lengths.lsr(16)), k.var("rows", lengths.field(9, 7))
    minus = k.var("minus_zero_point", k.const(256) - lengths.field(0, 9))
    end, row = k.var("end", vector + depth), k.var("row", weights + depth)
    # The first turn of the loop over elements enters it so that the last turn is a whole one.
    skipped = k.var("skipped", (-depth & k.const(_UNROLLED - 1)) * k.const(_TAP_BYTES))
    copies = k.new_copies(_UNROLLED, "tap")
    with k.loop("pair", times=8) as pair:
        other = k.var("other", row)
        first, second = k.var("first", sums[0]), k.var("second", 0)
        with k.If(rows != 1):
            other += depth
            second.set(sums[4])
        at = k.var("at", -depth)
        k.enter(copies, skipped, _TAP_BYTES)
        with k.loop("taps", times=16) as taps:
            with k.repeated(copies), k.weighted(_UNROLLED):
                value = end.get("s8", at)
                value += minus
                first += row.get("s8", at) * value
                second += other.get("s8", at) * value
                at += 1
            taps.repeat_if(at != 0)
        sums[0] = first
        rows -= 1
        pair.leave_if(rows == 0)
        sums[4] = second
        sums += 8
        row.set(other + depth)
        rows -= 1
        pair.repeat_if(rows != 0)
    return k.finish()
