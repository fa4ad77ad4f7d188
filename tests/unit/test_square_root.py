# Tests of square roots of 64 bits in the kernel language: numbers beside squares and limits
# MIT license; Copyright (c) 2026 the tflm authors

import math
import random
import struct

import pytest

from tools.asm.kernels.signal_filter_bank_square_root import eval_uint64
from tools.asm.language.interpreter import InterpretedMachine, Memory, run
from tools.asm.language.machines import MACHINES

_RECORD, _NUMBERS, _SCALE_BITS, _ROOTS = 0x1000, 0x2000, 0x8000, 0x9000
_MAX = (1 << 64) - 1


# Powers of two, squares of numbers of all lengths, and where roots are rounded up, each with its
# neighbours.
def _numbers():
    roots = [random.Random(bits).getrandbits(bits) | 1 << bits - 1 for bits in range(1, 33)]
    roots += [(1 << bits) - 1 for bits in range(1, 33)]
    middle = [n for root in roots for n in (root * root, root * (root + 1))]
    middle += [1 << bits for bits in range(65)]
    numbers = {n + by for n in middle for by in (-1, 0, 1)}
    return sorted(n for n in numbers if 0 <= n <= _MAX)


# As TFLM: rounded to nearest, but not to 17 bits for a number of 32 bits, nor to 33 bits.
def _root(number):
    root = math.isqrt(number)
    rounded = root + (number - root * root > root)
    return root if rounded in (1 << 16, 1 << 32) and number >> 32 in (0, _MAX >> 32) else rounded


@pytest.mark.parametrize("name", ["armv6m", "armv7em", "rv32imc", "xtensawin"])
def test_roots_beside_squares_and_powers_of_two(name):
    numbers, machine = _numbers(), MACHINES[name]
    found = bytearray(4 * len(numbers))
    operands = len(numbers), _NUMBERS << 2, _SCALE_BITS << 2, _ROOTS << 2
    memory = Memory(
        {
            "record": (_RECORD, struct.pack("<4I", *operands), False),
            "numbers": (_NUMBERS, struct.pack(f"<{len(numbers)}Q", *numbers), False),
            "scale_bits": (_SCALE_BITS, bytes(1), False),
            "roots": (_ROOTS, found, True),
        }
    )
    units = (0, len(numbers)) if machine.max_arguments > 4 else (len(numbers),)
    run(eval_uint64(InterpretedMachine(machine)), memory, _RECORD, 0, 0, *units)
    assert list(struct.unpack(f"<{len(numbers)}I", found)) == list(map(_root, numbers))
