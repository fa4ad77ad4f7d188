# FULLY_CONNECTED, int8, with the DSP extension: groups of channels, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.kernel import Kernel
from ..language.machines import MACHINES
from ..language.macros import Record
from .outputs_dsp import clamp, join, multiply_add, requantize, unpack

# Words of the parameters.
CONNECT = (
    "stream",
    "input",  # address of whole words
    "output",
    "groups",
    "weights",
    "zero_point",
    "clamped",
    "minimum",
    "maximum",
)
_CONNECT = """
Outputs of groups of four channels for one row of inputs. The parameters are CONNECT of
tools/asm/kernels/fully_connected_dsp.py.
"""


def connect_kernel(machine):
    k = Kernel("connect", _CONNECT, ("parameters",), machine)
    p = Record(k, k.arguments[0], CONNECT, first=0)
    at, inputs, output, left, weights = p.stream, p.input, p.output, p.groups, p.weights
    zero_point, clamped, low, high = p.zero_point, p.clamped, p.minimum, p.maximum
    with k.loop("group") as groups:
        x = k.var("x", inputs)
        sums = k.vars("sum0 sum1 sum2 sum3")
        for i, total in enumerate(sums):
            at.get("w", 4 + 4 * i, total)
        at += 20
        end = k.var("weights_end", at + weights)
        with k.loop("quad", times=32) as quad:
            for _ in range(2):
                for pair in unpack(k, x.next(k.reg())):
                    words = at.next(*[k.reg() for _ in sums])
                    for total, word in zip(sums, words, strict=True):
                        multiply_add(k, total, pair, word)
            quad.repeat_if(at.below(end))
        for total in sums:
            multiplier, shift = at.next(k.reg(), k.reg())
            requantize(k, [total], multiplier, shift, zero_point)
        join(k, sums)
        with k.If(clamped != 0):
            clamp(k, sums[0], low, high)
        output.put_next(sums[0])
        left -= 1
        groups.repeat_if(left != 0)
    return k.finish()


def connect():
    machine = MACHINES["armv7em"]()
    return machine.compile(connect_kernel(machine))
