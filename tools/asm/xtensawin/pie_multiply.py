# Generator of the kernels of CONV_2D and FULLY_CONNECTED for the vector unit of the ESP32-S3
# MIT license; Copyright (c) 2026 the tflm authors

from ..encoders.pie import VECTOR, Pie
from ..kernels.parameters import PIE_MULTIPLY, at
from .pie_outputs import BIAS, FACTOR, HALF, MORE, OUTPUT, SPARE, SUM, folded, twice, twice_stored
from .pie_pixel import only_pixel

_HELD = 7  # vectors of weights that stay in q0 to q6; q7 has inputs
_GAP = 2  # instructions between the last product and the read of ACCX, as in ESP-NN
_SLOTS = ["stream", "output", "inputs", "channels", "pixels", "rows", "rows_left", "row"]
_SLOTS += ["pixel_step", "row_step", "output_step", "window", "vectors", "sign"]
_SLOTS += ["output_zero_point", "activation_min", "activation_max"]
_ABOUT = """
Outputs of channels for pixels whose inputs are vectors. The arguments are the arena, the offset of
a block of parameters in it (PIE_MULTIPLY in tools/asm/kernels/parameters.py), and the memory of
the stream (prepare/pie.py). Addresses among the parameters are offsets in these two.
"""

# Registers of a channel whose weights are in q registers.
_X, _OUT, _V, _Q, _D, _P, _OUT_STEP, _LAST_STEP = (f"a{i}" for i in range(2, 10))
_COUNT, _ROWS_LEFT, _ROW, _ROW_STEP, _STREAM, _U = (f"a{i}" for i in range(10, 16))


# The registers of folded() for a channel whose weights are in q registers.
_FOLDED = (_V, _Q, _D, _P, _U, _OUT, _OUT_STEP)


# The products of a pixel, whose first vector is in q7, as functions. The last one loads the first
# vector of the next pixel.
def _products(t, count):
    steps = [VECTOR] * count
    if count > 1:
        steps[count - 2] = _LAST_STEP
    else:
        steps[0] = _LAST_STEP
    return [
        lambda i=i, step=step: t.mul_accx_load("q7", _X, step, "q7", f"q{i}")
        for i, step in enumerate(steps)
    ]


# Alternate two lists of instructions; the last _GAP of `others` come after all products. A loop
# must not begin with an instruction of 4 bytes.
def _interleaved(products, others):
    mixed = []
    ahead, kept = others[:-_GAP], others[-_GAP:]
    while products or ahead:
        mixed += ahead[:1] + products[:1]
        products, ahead = products[1:], ahead[1:]
    return mixed + kept


# All pixels of a channel with `count` vectors of weights. While the products of a pixel are
# computed, the output of the previous one is made.
def _held(t, count, next_channel):
    row, end = t.new_label("row"), t.new_label("multiplied")
    for i in range(count):
        t.vld_ip(f"q{i}", _STREAM, VECTOR)
    _numbers(t)
    t.load(_OUT_STEP, "output_step")
    t.load(_LAST_STEP, "pixel_step")
    if count > 1:
        t.addi(_LAST_STEP, _LAST_STEP, VECTOR * (1 - count))
    t.label(row)
    t.mov(_X, _ROW)
    if count > 1:
        t.vld_ip("q7", _X, VECTOR)
    else:
        t.vld_xp("q7", _X, _LAST_STEP)
    t.zero_accx()
    t.load(_COUNT, "pixels")
    for product in _products(t, count):
        product()
    t.addi(_COUNT, _COUNT, -1)
    t.add(_ROW, _ROW, _ROW_STEP)
    t.rur(_V, "accx_0")
    t.zero_accx()
    t.loopnez(_COUNT, end)
    for instruction in _interleaved(_products(t, count), folded(t, *_FOLDED)):
        instruction()
    t.rur(_V, "accx_0")
    t.zero_accx()
    t.label(end)
    for instruction in folded(t, *_FOLDED):
        instruction()
    t.addi(_ROWS_LEFT, _ROWS_LEFT, -1)
    t.bnez(_ROWS_LEFT, row)
    t.j(next_channel)


# Load the numbers of a FOLDED channel after its weights, and what each row needs.
def _numbers(t):
    t.l32i(_D, _STREAM, 0)
    t.l32i(_P, _STREAM, 4)
    t.l32i(_V, _STREAM, 8)
    t.l32i(_Q, _STREAM, 12)
    t.movi(_U, -1)
    t.sub(_V, _U, _V)
    t.ssr(_V)
    t.load(_OUT, "output")
    t.load(_ROW, "inputs")
    t.load(_ROW_STEP, "row_step")
    t.load(_ROWS_LEFT, "rows")


# Registers of a channel whose weights are read for each pixel. _X and _V are as above.
_W, _PIXEL, _WEIGHTS = "a15", "a4", "a5"
_PIXELS_LEFT, _PAIRS, _ODD = "a9", "a10", "a11"


_NEXT = _PIXEL  # bytes from the vector after the inputs of a pixel to the next pixel
_PARTLY_HELD = 4  # vectors of weights in q4 to q7


# The sum of a pixel in ACCX. Two vectors of inputs and weights are loaded ahead of their products:
# a vector after the window and a vector after the weights are also read.
def _sum(t):
    t.mov(_X, _PIXEL)
    t.mov(_W, _WEIGHTS)
    t.zero_accx()
    t.vld_ip("q0", _X, VECTOR)
    t.vld_ip("q1", _W, VECTOR)
    t.add_products(_X, _W, _ODD, _PAIRS)
    t.load(MORE, "pixel_step")
    t.addi(_PIXELS_LEFT, _PIXELS_LEFT, -1)
    t.rur(SUM, "accx_0")
    t.add(_PIXEL, _PIXEL, MORE)


# All pixels of a channel that is not FOLDED, with few vectors.
def _read(t, next_channel):
    row, pixel, done = t.new_label("row"), t.new_label("pixel"), t.new_label("done")
    t.label(row)
    t.load(_PIXEL, "row")
    t.load(_PIXELS_LEFT, "pixels")
    t.label(pixel)
    _sum(t)
    twice(t)
    t.load(MORE, "output_step")
    t.s8i(SUM, OUTPUT, 0)
    t.add(OUTPUT, OUTPUT, MORE)
    t.bnez(_PIXELS_LEFT, pixel)
    t.load(SPARE, "rows_left")
    t.load(_PIXEL, "row")
    t.load(MORE, "row_step")
    t.addi(SPARE, SPARE, -1)
    t.add(_PIXEL, _PIXEL, MORE)
    t.store(SPARE, "rows_left")
    t.store(_PIXEL, "row")
    t.beqz(SPARE, done)
    t.j(row)
    t.label(done)
    t.j(next_channel)


# The sum of a pixel in ACCX, then in SUM; _X advances to the next pixel. The first vectors of
# weights are in q4 to q7, the others are read. `others`: instructions, as functions, that run
# between the first products.
def _sum_partly_held(t, others):
    t.mov(_W, _WEIGHTS)
    t.vld_ip("q0", _X, VECTOR)
    t.vld_ip("q1", _W, VECTOR)
    inputs = ("q0", "q2") * _PARTLY_HELD
    products = [
        lambda i=i: t.mul_accx_load(inputs[i + 1], _X, VECTOR, inputs[i], f"q{4 + i}")
        for i in range(_PARTLY_HELD)
    ]
    for instruction in _interleaved(products, others):
        instruction()
    t.add_products(_X, _W, _ODD, _PAIRS)
    t.addi(_PIXELS_LEFT, _PIXELS_LEFT, -1)
    t.add(_X, _X, _NEXT)
    t.rur(SUM, "accx_0")
    t.zero_accx()


# All pixels of a channel with more vectors of weights than registers hold. While the first
# products of a pixel are computed, the instructions `requantize` make the output of the previous
# pixel.
def _read_many(t, requantize, next_channel):
    row, pixel, last = map(t.new_label, ("row", "pixel", "last"))
    for i in range(_PARTLY_HELD):
        t.vld_ip(f"q{4 + i}", _WEIGHTS, VECTOR)
    t.addi(_PAIRS, _PAIRS, 0 - _PARTLY_HELD // 2)
    t.load(SUM, "window")
    t.load(_NEXT, "pixel_step")
    t.load(SPARE, "output_step")
    t.sub(_NEXT, _NEXT, SUM)
    t.addi(_NEXT, _NEXT, 0 - VECTOR)
    t.label(row)
    t.load(_X, "row")
    t.load(_PIXELS_LEFT, "pixels")
    t.zero_accx()
    _sum_partly_held(t, [])
    t.beqz(_PIXELS_LEFT, last)
    t.label(pixel)
    _sum_partly_held(t, requantize)
    t.bnez(_PIXELS_LEFT, pixel)
    t.label(last)
    for instruction in requantize:
        instruction()
    t.load(SUM, "rows_left")
    t.load(_X, "row")
    t.load(MORE, "row_step")
    t.addi(SUM, SUM, -1)
    t.add(_X, _X, MORE)
    t.store(SUM, "rows_left")
    t.store(_X, "row")
    t.bnez(SUM, row)
    t.j(next_channel)


# Load the numbers of a channel whose weights stay in memory, then compute it.
def _channel_from_memory(t, next_channel):
    is_folded, is_small = t.new_label("folded"), t.new_label("small")
    t.load(_WEIGHTS, "stream")
    t.load(SUM, "window")
    t.add(_W, _WEIGHTS, SUM)
    t.l32i(BIAS, _W, 0)
    t.l32i(FACTOR, _W, 4)
    t.l32i(SPARE, _W, 8)
    t.l32i(HALF, _W, 12)
    t.load(SUM, "vectors")
    t.srli(_PAIRS, SUM, 1)
    t.extui(_ODD, SUM, 0, 1)
    t.load(OUTPUT, "output")
    t.load(SUM, "inputs")
    t.store(SUM, "row")
    t.load(SUM, "rows")
    t.store(SUM, "rows_left")
    t.bltz(SPARE, is_folded)
    t.ssr(SPARE)
    t.movi(SUM, 0)
    t.movi(SPARE, -1)
    t.max(SUM, SUM, HALF)
    t.neg(SUM, SUM)
    t.max(SUM, SUM, SPARE)
    t.store(SUM, "sign")
    t.movi(SPARE, (_HELD + 1) // 2)
    t.far("blt", _PAIRS, SPARE, is_small)
    _read_many(t, twice_stored(t), next_channel)
    t.label(is_small)
    _read(t, next_channel)
    t.label(is_folded)
    t.movi(SUM, -1)
    t.sub(SPARE, SUM, SPARE)
    t.ssr(SPARE)
    _read_many(t, folded(t, SUM, HALF, BIAS, FACTOR, MORE, OUTPUT, SPARE), next_channel)


# a2: arena, a3: offset, a4: memory of the stream.
def _begin(t):
    t.add("a3", "a3", "a2")
    for name in PIE_MULTIPLY:
        t.l32i("a5", "a3", at(PIE_MULTIPLY, name))
        if name in ("inputs", "output"):
            t.add("a5", "a5", "a2")
        elif name == "stream":
            t.add("a5", "a5", "a4")
        t.store("a5", name)
    t.load("a5", "window")
    t.srli("a5", "a5", 4)
    t.store("a5", "vectors")


def multiply():
    t = Pie("multiply", _ABOUT, 3, _SLOTS)
    channel, from_memory, next_channel, end = map(
        t.new_label, ("channel", "from_memory", "next_channel", "end")
    )
    held = [t.new_label("held") for _ in range(_HELD)]
    _begin(t)
    several = t.new_label("several")
    t.load(_V, "pixels")
    t.load(_U, "rows")
    t.mull(_V, _V, _U)
    t.addi(_V, _V, -1)
    t.bnez(_V, several)
    only_pixel(t, end)
    t.label(several)
    t.label(channel)
    t.load(_STREAM, "stream")
    t.load(_U, "window")
    t.add(_U, _U, _STREAM)
    t.l32i(_V, _U, 8)
    t.load(_U, "vectors")
    t.bgez(_V, from_memory)  # not FOLDED
    for count, label in enumerate(held, 1):
        past = t.new_label("past")
        t.movi(_V, count)
        t.bne(_U, _V, past)
        t.j(label)
        t.label(past)
    t.label(from_memory)
    _channel_from_memory(t, next_channel)
    for count, label in enumerate(held, 1):
        t.label(label)
        _held(t, count, next_channel)
    t.label(next_channel)
    t.load(_V, "stream")
    t.load(_U, "window")
    t.addi(_V, _V, 16)
    t.add(_V, _V, _U)
    t.store(_V, "stream")
    t.load(_V, "output")
    t.load(_U, "channels")
    t.addi(_V, _V, 1)
    t.addi(_U, _U, -1)
    t.store(_V, "output")
    t.store(_U, "channels")
    t.beqz(_U, end)
    t.j(channel)
    t.label(end)
    return t.text()
