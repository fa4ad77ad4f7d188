# Steps of SOFTMAX, float32, for an FPU that divides, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.fpu import Fpu
from ..language.kernel import Kernel

_DIFFERENCES = """
Store rows of numbers less the largest number of their row at `to`. `source` is the address of the
rows, `length` the length of a row.
"""
_QUOTIENTS = """
Divide `rows` of numbers at `to` by the sum of their row, which adds in order. `length` is the
length of a row.
"""
_LOWEST = 0xFF7FFFFF  # bits of the lowest float32


# Registers of the FPU: 0 number, 1 largest number.
def differences_kernel(machine):
    k = Kernel("differences", _DIFFERENCES, ("to", "source", "length", "rows"), machine)
    to, source, length, rows = k.arguments
    fpu, lowest = Fpu(k), k.var("lowest", _LOWEST)
    with k.loop("row") as loop:
        x = k.var("x", source)
        fpu.set_bits(1, lowest)
        with k.repeat(k.var("count", length), "compare", times=16):
            fpu.load_next([0], x)
            fpu.set_larger(1, 0)
        with k.repeat(k.var("count", length), "subtract", times=16):
            fpu.load_next([0], source)
            fpu.sub(0, 0, 1)
            fpu.store_next([0], to)
        rows -= 1
        loop.repeat_if(rows != 0)
    return k.finish()


# Registers of the FPU: 0 number, 1 sum.
def quotients_kernel(machine):
    k = Kernel("quotients", _QUOTIENTS, ("to", "length", "rows"), machine)
    to, length, rows = k.arguments
    fpu = Fpu(k)
    with k.loop("row") as loop:
        x = k.var("x", to)
        fpu.clear([1])
        with k.repeat(k.var("count", length), "add", times=16):
            fpu.load_next([0], x)
            fpu.add(1, 1, 0)
        with k.repeat(k.var("count", length), "divide", times=16):
            fpu.load(0, to)
            fpu.div(0, 0, 1)
            fpu.store_next([0], to)
        rows -= 1
        loop.repeat_if(rows != 0)
    return k.finish()
