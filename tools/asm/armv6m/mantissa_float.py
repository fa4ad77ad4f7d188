# Steps of assembler kernels that compute float32 with integers: mantissas, alignment, rounding
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R2, R4, R5, R6, R7

SPARE_BITS = 5  # of a summand below the last bit of its mantissa, before align() doubles it


def mantissa(t, register, temporary):
    """Replace a float32 by its mantissa of 24 bits."""
    t.lsl(register, register, 9)
    t.lsr(register, register, 9)
    t.mov(temporary, 1)
    t.lsl(temporary, temporary, 23)
    t.add(register, temporary)


def align(t, register):
    """Shift a register right by R5 and double it; its bit 0 collects the bits that are dropped.

    Shifts of 32 bits and more drop nothing that counts. Uses R6 and R7.
    """
    t.mov(R7, register)
    t.asr(register, register, R5)
    t.mov(R6, 32)
    t.sub(R6, R6, R5)
    t.lsl(R7, R7, R6)
    t.sub(R7, 1)
    t.adc(register, register)


def normalize(t):
    """Shift R2, which is not 0, left until bit 31 is set; R4 goes down by the bits."""
    shift = t.new_label("normalize")
    t.label(shift)
    t.sub(R4, 1)
    t.add(R2, R2, R2)
    t.branch("pl", shift)


def round_to_even(t, done):
    """Round R2, whose bit 31 is set, at bit 8; R4 is its exponent. Uses R5.

    Continues at `done` unless it is rounded up to 2 ** 32.
    """
    t.lsr(R5, R2, 9)
    t.mov(R5, 127)
    t.adc(R2, R5)
    t.branch("cc", done)
    t.add(R4, 1)
    t.mov(R2, 1)
    t.lsl(R2, R2, 31)
