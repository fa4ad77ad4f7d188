# Generator of the assembler kernel of layers that use each weight once, with weights of one byte
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.dense import DENSE

from ..common.record import word_of
from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb
from ..common.thumb_record import address
from .requantize import requantize_by

_ABOUT = """
Groups of four channels, each the sum of all inputs times its weights, which are used once. `r0`
is the address of the record (DENSE in prepare/dense.py), `r1` of the arena, `r2` of the model.
`r3` is the first group + 16384 * (the last group + 1).
"""

_SLOTS = ("source", "channels", "output", "sums", "zero_point", "low", "high", "shifts")
_TOTALS = R8, R9, R10, R11

_GROUP_NUMBERS = 36  # bytes of a group besides its weights

# The flash cache of an RP2040 has 16 KB. Weights that are read once would evict everything else:
# code, records and the weights of small layers. Layers with more than 2 KB of weights are
# therefore read through the uncached alias of the flash, where a miss fetches one word and leaves
# the cache unchanged. Other chips, like an RP2350, lack this alias and have
# another mark in their boot ROM.
_FLASH = 0x10  # upper byte of the addresses of the flash
_WINDOW = 0x01  # added to the upper byte: the uncached alias
_LARGE_BITS = 11  # a layer of more than 2 KB
_MARK_AT = 0x10
_MARK = b"\x01uM"  # from the highest byte to the lowest


# Replace the stream's address in R5 by its uncached alias where that helps. r0: record, r7: depth.
# Uses R4 and R6.
def _choose_window(t):
    as_it_is = t.new_label("as_it_is")
    t.ldr(R4, R0, word_of(DENSE, "output_channels"))
    t.mul(R4, R7)
    t.lsr(R4, R4, _LARGE_BITS)
    t.branch("eq", as_it_is)
    t.lsr(R4, R5, 24)
    t.cmp(R4, _FLASH)
    t.branch("ne", as_it_is)
    t.mov(R4, _MARK_AT)
    t.ldr(R4, R4)
    t.lsl(R4, R4, 8)
    t.mov(R6, _MARK[0])
    for byte in _MARK[1:]:
        t.lsl(R6, R6, 8)
        t.add(R6, byte)
    t.lsl(R6, R6, 8)
    t.cmp(R4, R6)
    t.branch("ne", as_it_is)
    t.mov(R4, _WINDOW)
    t.lsl(R4, R4, 24)
    t.add(R5, R4)
    t.label(as_it_is)


# Load the words of the record into slots, the stream into R7 and the end of the inputs into LR.
def _begin(t):
    t.ldr(R7, R0, word_of(DENSE, "depth"))
    t.ldr(R4, R0, word_of(DENSE, "input"))
    address(t, t.asr)
    t.store(R5, "source")
    t.add(R5, R7)
    t.mov(LR, R5)
    t.ldr(R4, R0, word_of(DENSE, "stream"))
    address(t, t.asr)
    t.lsl(R6, R3, 18)
    t.lsr(R6, R6, 18)  # the first group
    t.lsl(R4, R7, 2)
    t.add(R4, _GROUP_NUMBERS)
    t.mul(R4, R6)
    t.add(R5, R4)
    t.lsl(R2, R6, 2)  # the first channel
    _choose_window(t)
    t.mov(R7, R5)
    t.ldr(R4, R0, word_of(DENSE, "output"))
    t.lsr(R4, R4, 2)
    t.add(R4, R1)
    t.add(R4, R2)
    t.store(R4, "output")
    t.ldr(R4, R0, word_of(DENSE, "scratch"))
    t.lsr(R4, R4, 2)
    t.add(R4, R1)
    t.store(R4, "sums")
    t.lsr(R3, R3, 14)
    t.lsl(R3, R3, 2)
    t.ldr(R4, R0, word_of(DENSE, "output_channels"))
    within = t.new_label("within")
    t.cmp(R4, R3)
    t.branch("le", within)
    t.mov(R4, R3)
    t.label(within)
    t.sub(R4, R2)
    t.store(R4, "channels")
    for name, slot in (
        ("activation_min", "low"),
        ("activation_max", "high"),
        ("output_zero_point", "zero_point"),
    ):
        t.ldr(R4, R0, word_of(DENSE, name))
        t.store(R4, slot)


# Yield the four int8 of R5 in R4, one after the other.
def _elements(t):
    t.sxtb(R4, R5)
    yield
    for _ in range(2):
        t.asr(R5, R5, 8)
        t.sxtb(R4, R5)
        yield
    t.asr(R4, R5, 8)
    yield


# Compute the sums of a group in R0..R3.
#
# A word of weights is read once, because flash is slow, and its bytes are not unpacked: the factor
# of a channel is the word shifted right to the channel's byte, with the bytes above it. Each sum
# therefore includes 256 times the sum of the next channel, which is subtracted once after the last
# input. Weights are stored with 128 added; this adds 128 times the sum of the inputs.
#
# r0: a product; r1, r2: weights of four channels; r3: address of the next inputs; r4: an input;
# r5: four inputs; r7: stream; r8..r11: sums; r12: sum of the inputs; lr: end of the inputs.
def _sums(t):
    sums = R0, R1, R2, R3
    loop = t.new_label("quad")
    t.ldm(R7, *sums)
    for channel in (2, 1, 0):
        t.lsl(R4, sums[channel + 1], 8)
        t.add(sums[channel], R4)
    for total, value in zip(_TOTALS, sums, strict=True):
        t.mov(total, value)
    t.mov(R0, 0)
    t.mov(R12, R0)
    t.load(R3, "source")
    t.label(loop)
    t.ldm(R3, R5)
    for element, _ in enumerate(_elements(t)):
        word = (R1, R2)[element % 2]
        if word is R1:
            t.ldm(R7, R1, R2)
        t.add(R12, R4)
        for channel in (3, 2, 1):
            t.lsr(R0, word, 8 * channel)
            t.mul(R0, R4)
            t.add(_TOTALS[channel], R0)
        t.mul(word, R4)
        t.add(R8, word)
    t.cmp(R3, LR)
    t.branch("ne", loop)
    for total, value in zip(_TOTALS, sums, strict=True):
        t.mov(value, total)
    t.mov(R4, R12)
    t.lsl(R4, R4, 7)
    for channel in range(4):
        if channel < 3:
            t.lsl(R5, sums[channel + 1], 8)
            t.sub(sums[channel], R5)
        t.sub(sums[channel], R4)


def dense():
    t = Thumb("dense", _ABOUT, arguments=4, slots=_SLOTS)
    group, output, done = map(t.new_label, ("group", "output", "done"))
    _begin(t)
    t.label(group)
    _sums(t)
    t.load(R4, "sums")
    t.mov(R8, R4)
    t.stm(R4, R0, R1, R2, R3)
    for register, slot in ((R9, "low"), (R10, "high"), (R11, "output")):
        t.load(R0, slot)
        t.mov(register, R0)
    t.ldr(R4, R7, 16)
    t.store(R4, "shifts")
    t.label(output)
    t.mov(R1, R8)
    t.ldm(R1, R0)
    t.mov(R8, R1)
    t.load(R6, "zero_point")
    t.load(R4, "shifts")  # its lowest byte counts
    t.lsr(R5, R4, 8)
    t.store(R5, "shifts")
    t.ldm(R7, R3)
    t.lsl(R2, R3, 16)
    t.lsr(R2, R2, 16)
    t.lsr(R3, R3, 16)
    requantize_by(t)
    t.mov(R1, R11)
    t.strb(R0, R1)
    t.add(R1, 1)
    t.mov(R11, R1)
    t.load(R2, "channels")
    t.sub(R2, 1)
    t.branch("eq", done)
    t.store(R2, "channels")
    t.load(R2, "sums")
    t.add(R2, 16)
    t.cmp(R8, R2)
    t.branch("ne", output)
    t.store(R1, "output")
    t.add(R7, 4)
    t.b(group)
    t.label(done)
    return t.text()
