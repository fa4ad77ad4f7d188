# Generator of the kernels of 3x3 DEPTHWISE_CONV_2D for the vector unit of the ESP32-S3
# MIT license; Copyright (c) 2026 the tflm authors

from ..encoders.pie import VECTOR, Pie
from ..kernels.parameters import PIE_DEPTHWISE, at

_TAPS, _NUMBERS = 9, 8  # vectors of weights of 16 channels, and bytes of numbers of each channel
_HALF = 8  # channels whose sums are in one half of QACC
_HELD = 5  # vectors of weights that stay in q0 to q4; q5 has another one, q6 and q7 have inputs
_SUM_BITS, _SHIFT = 20, 12  # of a channel in QACC, and of FOLDED (prepare/pie.py)
_STAGED = 96  # offset in the scratch buffer: vectors after the parameters


def _load(t, to, name, base="a3"):
    t.l32i(to, base, at(PIE_DEPTHWISE, name))


_MULTIPLY_ROW = """
Outputs of a row of windows, 16 channels after the other. The arguments are the arena, the offset
of a block of parameters in it (PIE_DEPTHWISE in tools/asm/kernels/parameters.py), and the memory
of the stream (prepare/pie.py).
"""

_PIXEL, _COUNT, _OUT, _MASK, _WEIGHTS, _AT = "a2", "a4", "a5", "a6", "a7", "a3"
_ROW_STEP, _LOWER, _UPPER = "a8", "a9", "a10"
_A, _T, _B, _U = "a12", "a13", "a14", "a15"
_SLOTS = ("plane", "stream", "output", "channels", "parameters", "pixels", "size", "to")


# The sums of the window at _PIXEL in QACC. _A becomes the address of the next inputs. The vectors
# of inputs are loaded two products ahead.
def _sums(t):
    t.mov(_A, _PIXEL)
    t.zero_qacc()
    t.vld_ip("q6", _A, VECTOR)
    t.vld_ip("q7", _A, VECTOR)
    t.vld_ip("q5", _WEIGHTS, VECTOR)
    for tap in range(_TAPS):
        inputs = ("q6", "q7")[tap % 2]
        weights = f"q{min(tap, _HELD)}"
        following = tap + 2
        if following < _TAPS:
            step = _ROW_STEP if following % 3 == 2 else VECTOR
            t.mul_qacc_load(inputs, _A, step, inputs, weights)
        else:
            t.mul_qacc(inputs, weights)
        if _HELD <= tap < _TAPS - 1:
            is_last = tap == _TAPS - 2
            t.vld_ip("q5", _WEIGHTS, (_HELD - _TAPS + 1) * VECTOR if is_last else VECTOR)


# Return (first word of a half of QACC that has the sum of a channel; its right shift, or a
# negative left shift, that moves the sum to the upper 20 bits of a word; whether it needs the next
# word).
def _position(lane):
    word, bit = divmod(_SUM_BITS * lane, 32)
    crosses = bit + _SUM_BITS > 32
    return word, bit - _SHIFT, crosses


# v = the sum of a channel, with 12 zeros after it. _LOWER and _UPPER have words of QACC.
def _sum_of(t, half, lane, v):
    word, shift, crosses = _position(lane)
    registers = (_LOWER, _UPPER) if word % 2 == 0 else (_UPPER, _LOWER)
    if lane == 0:
        t.rur(registers[0], f"qacc_{half}_0")
    if crosses:
        t.rur(registers[1], f"qacc_{half}_{word + 1}")
        t.ssai(shift)
        t.src(v, registers[1], registers[0])
    elif shift < 0:
        t.slli(v, registers[0], 0 - shift)
    else:
        t.and_(v, registers[0], _MASK)
    if lane and shift:
        t.and_(v, v, _MASK)


# Outputs of the channels of a half of QACC. Two channels are computed at a time, so that no
# instruction waits for a product.
def _half(t, half, first):
    for lane in range(0, _HALF, 2):
        pairs = ((lane, _A, _T), (lane + 1, _B, _U))
        for number, v, other in pairs:
            _sum_of(t, half, number, v)
            offset = _NUMBERS * (first + number)
            t.l32i(other, _AT, offset)
            t.add(v, v, other)
            t.l32i(other, _AT, offset + 4)
            t.mulsh(v, v, other)
        for _, v, _ in pairs:
            t.srai(v, v, _SHIFT)
        for number, v, other in pairs:
            t.clamps(v, v, other)
            t.s8i(v, _OUT, first + number)


# All pixels of up to 16 channels. both: more than 8 channels. staged: other numbers of channels
# than 16 and 8, whose outputs are staged in scratch memory.
def _pixels(t, both, staged, done):
    pixel = t.new_label("pixel")
    t.label(pixel)
    _sums(t)
    t.load(_A, "parameters")  # ESP-NN has two instructions before it reads sums, too
    _load(t, _T, "pixel_step", _A)
    t.addi(_COUNT, _COUNT, -1)
    t.add(_PIXEL, _PIXEL, _T)
    _half(t, "l", 0)
    if both:
        _half(t, "h", _HALF)
    if staged:
        _unstage(t)
    else:
        t.load(_A, "parameters")
        _load(t, _U, "output_step", _A)
        t.add(_OUT, _OUT, _U)
    t.bnez(_COUNT, pixel)
    t.j(done)


# Copy the staged outputs at _OUT to the place of the pixel, which advances.
def _unstage(t):
    end = t.new_label("copied")
    t.load(_A, "to")
    t.load(_B, "size")
    t.load(_U, "parameters")
    _load(t, _U, "output_step", _U)
    t.add(_U, _U, _A)
    t.store(_U, "to")
    t.mov(_T, _OUT)
    t.loopnez(_B, end)
    t.l8ui(_U, _T, 0)
    t.addi(_T, _T, 1)
    t.s8i(_U, _A, 0)
    t.addi(_A, _A, 1)
    t.label(end)


def multiply_row():
    t = Pie("multiply_row", _MULTIPLY_ROW, 3, _SLOTS)
    block, partial, eight, next_block, end = map(
        t.new_label, ("block", "partial", "eight", "next_block", "end")
    )
    t.add("a3", "a3", "a2")
    t.store("a3", "parameters")
    for name, base in (("plane", "a2"), ("output", "a2"), ("stream", "a4")):
        _load(t, _A, name)
        t.add(_A, _A, base)
        t.store(_A, name)
    _load(t, _A, "channels")
    t.store(_A, "channels")
    t.movi(_MASK, -1)
    t.slli(_MASK, _MASK, _SHIFT)
    t.label(block)
    t.load(_A, "parameters")
    _load(t, _COUNT, "width", _A)
    _load(t, _ROW_STEP, "plane_row", _A)
    t.addi(_ROW_STEP, _ROW_STEP, -2 * VECTOR)
    t.load(_PIXEL, "plane")
    t.load(_OUT, "output")
    t.load(_WEIGHTS, "stream")
    for tap in range(_HELD):
        t.vld_ip(f"q{tap}", _WEIGHTS, VECTOR)
    t.addi(_AT, _WEIGHTS, VECTOR * (_TAPS - _HELD))
    t.load(_T, "channels")
    t.movi(_U, VECTOR)
    t.far("blt", _T, _U, partial)
    _pixels(t, True, False, next_block)
    t.label(partial)
    t.movi(_U, _HALF)
    t.far("beq", _T, _U, eight)
    t.store(_T, "size")
    t.store(_OUT, "to")
    t.addi(_OUT, _A, _STAGED)
    _pixels(t, True, True, next_block)
    t.label(eight)
    _pixels(t, False, False, next_block)
    t.label(next_block)
    t.load(_A, "parameters")
    _load(t, _T, "block_step", _A)
    t.load(_B, "plane")
    t.add(_B, _B, _T)
    t.store(_B, "plane")
    t.load(_B, "stream")
    t.addi(_B, _B, 16)
    t.addi(_B, _B, 256)
    t.store(_B, "stream")
    t.load(_B, "output")
    t.addi(_B, _B, VECTOR)
    t.store(_B, "output")
    t.load(_B, "channels")
    t.addi(_B, _B, -VECTOR)
    t.store(_B, "channels")
    t.movi(_T, 1)
    t.blt(_B, _T, end)
    t.j(block)
    t.label(end)
    return t.text()
