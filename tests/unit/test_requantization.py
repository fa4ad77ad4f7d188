# Tests of requantization in the kernel language: all sums that a channel can reach
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest

from tools.asm.language.interpreter import InterpretedMachine, Memory, run
from tools.asm.language.kernel import Kernel
from tools.asm.language.machines import MACHINES
from tools.asm.language.macros import QuantizedScale

# 64 taps: products of int8 weights and of inputs less a zero point, which has 9 bits.
_REACH = 64 * 128 * 255
_BLOCK = 1 << 16
_EDGES = np.array([[0, -1 << 31, (1 << 31) - 1], [1, 1 - (1 << 31), (1 << 31) - 2]]).ravel()
# (multiplier, power of two): the smallest, the largest and odd multipliers. A shift left wraps.
_SCALES = [(1 << 30, -1), ((1 << 31) - 1, -31), (0x5A827999, -8), (0x40000001, 3)]


def _kernel(machine):
    k = Kernel("requantize", "Requantizes.", ("value", "multiplier", "shift"), machine)
    value, multiplier, shift = k.arguments
    QuantizedScale(k, multiplier, shift).apply(value)
    return k.finish(value)


# MultiplyByQuantizedMultiplier of TFLM: SaturatingRoundingDoublingHighMul, then
# RoundingDivideByPOT.
def _expected(values, multiplier, power):
    left, right = max(power, 0), max(-power, 0)
    values = ((values << left) + (1 << 31) & 0xFFFFFFFF) - (1 << 31)
    products = values * multiplier
    nudged = products + np.where(products >= 0, 1 << 30, 1 - (1 << 30))
    high = (np.abs(nudged) >> 31) * np.sign(nudged)
    mask = (1 << right) - 1
    threshold = (mask >> 1) + (high < 0)
    return (high >> right) + ((high & mask) > threshold)


# The interpreter runs the kernel once for an array of sums: no branch depends on the sum.
@pytest.mark.parametrize(("multiplier", "power"), _SCALES)
@pytest.mark.parametrize("name", ["armv6m", "armv7em", "rv32imc"])
def test_all_sums_of_a_channel(name, multiplier, power):
    kernel = _kernel(InterpretedMachine(MACHINES[name]))
    blocks = [np.arange(at, min(at + _BLOCK, _REACH + 1)) for at in range(-_REACH, _REACH, _BLOCK)]
    for values in [*blocks, _EDGES]:
        got = run(kernel, Memory({}), values & 0xFFFFFFFF, multiplier, power + 32)
        assert (got == _expected(values, multiplier, power)).all()
