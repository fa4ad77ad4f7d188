# tflm: DEPTHWISE_CONV_2D, float32: for the FPU of a Cortex-M4, M7 or M33
# MIT license; Copyright (c) 2026 the tflm authors

from ..depthwise_conv_float import outputs as outputs_of_helpers
from .gen.depthwise_float_asm import depthwise
from .gen.float32_asm import elements, limit, strided

_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_INPUT_HEIGHT = const(5)
_INPUT_WIDTH = const(6)
_INPUT_CHANNELS = const(7)
_OUTPUT_HEIGHT = const(8)
_OUTPUT_WIDTH = const(9)
_OUTPUT_CHANNELS = const(10)
_FILTER_HEIGHT = const(11)
_FILTER_WIDTH = const(12)
_STRIDE_HEIGHT = const(13)
_STRIDE_WIDTH = const(14)
_DILATION_HEIGHT = const(15)
_DILATION_WIDTH = const(16)
_PADDING_HEIGHT = const(17)
_PADDING_WIDTH = const(18)
_LOOPS = const(19)
_LENGTH = const(20)
_STEPS = const(21)
_INPUT_MOVE = const(22)
_OUTPUT_MOVE = const(23)
_ACTIVATION_MIN = const(24)

# Arguments of elements() and strided() in tools/asm/armv7emsp/float32.py.
_MAC = const(0)
_ADD = const(2)
_EACH = const(7)
_UNIT_STEPS = const(1 | 1 << 10 | 1 << 20)
_MOST_STRIDED = const(511)
_STEP = const(0x3FF)
_RESULT_ADVANCES = const(1 << 9)


# Units are pixels. As outputs() of the portable kernel, which it replaces for few channels and for
# several output channels of an input channel. Calls of float32.combine would take longer than
# their few products.
@micropython.viper
def outputs(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_OUTPUT_CHANNELS]
    steps = r[_STEPS]
    flags = r[_LENGTH] << 6 | _MAC << 3 | steps & 1 | steps >> 9 & 2 | steps >> 18 & 4
    is_strided = 0
    if steps | _UNIT_STEPS != _UNIT_STEPS:
        # The results advance as the weights do.
        is_strided = 1
        flags = r[_LENGTH] | _RESULT_ADVANCES | steps >> 10 << 10
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    source = base + (r[_INPUT] >> 2) + gap * (r[_INPUT] & 1)
    weights = base + (r[_WEIGHTS] >> 2) + gap * (r[_WEIGHTS] & 1)
    bias = base + (r[_BIAS] >> 2) + gap * (r[_BIAS] & 1)
    dst = base + (r[_OUTPUT] >> 2) + (start * depth << 2)
    limits = int(r) + 4 * _ACTIVATION_MIN
    # Small integers have 31 bits: their two highest bits are equal in a word.
    unfit = source ^ source << 1 | weights ^ weights << 1 | bias ^ bias << 1
    unfit = unfit | dst ^ dst << 1 | limits ^ limits << 1
    if unfit < 0 or is_strided and r[_LENGTH] > _MOST_STRIDED:
        outputs_of_helpers(op, arena, rom, start, stop)
        return
    first = dst
    total = (stop - start) * depth
    while start < stop:
        out = ptr32(dst)
        n = 0
        while n < depth:
            out[n] = 0
            n += 1
        y = start // r[_OUTPUT_WIDTH]
        origin = (start - y * r[_OUTPUT_WIDTH]) * r[_STRIDE_WIDTH] - r[_PADDING_WIDTH]
        batch = y // r[_OUTPUT_HEIGHT]
        y = (y - batch * r[_OUTPUT_HEIGHT]) * r[_STRIDE_HEIGHT] - r[_PADDING_HEIGHT]
        cell = weights
        rows = r[_FILTER_HEIGHT]
        while rows:
            x = origin
            cells = r[_FILTER_WIDTH]
            while cells:
                if 0 <= x < r[_INPUT_WIDTH] and 0 <= y < r[_INPUT_HEIGHT]:
                    a = ((batch * r[_INPUT_HEIGHT] + y) * r[_INPUT_WIDTH] + x) * r[_INPUT_CHANNELS]
                    a = source + (a << 2)
                    b = cell
                    to = dst
                    loops = r[_LOOPS]
                    while loops:
                        if is_strided:
                            strided(to, a, b, flags)
                        else:
                            elements(to, a, b, flags)
                        a += r[_INPUT_MOVE] << 2
                        b += r[_OUTPUT_MOVE] << 2
                        to += r[_OUTPUT_MOVE] << 2
                        loops -= 1
                cell += depth << 2
                x += r[_DILATION_WIDTH]
                cells -= 1
            y += r[_DILATION_HEIGHT]
            rows -= 1
        if r[_BIAS] != 1:
            elements(dst, dst, bias, depth << 6 | _ADD << 3 | _EACH)
        dst += depth << 2
        start += 1
    limit(first, limits, total)


# Units are pixels. The assembler computes four channels at a time, each from one input channel. It
# takes at most four arguments, so the word of the first output passes `stop`.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    channels = r[_OUTPUT_CHANNELS]
    if channels < 4 or r[_INPUT_CHANNELS] != channels:
        outputs(op, arena, rom, start, stop)
    else:
        ptr32(int(ptr8(arena)) + (r[_OUTPUT] >> 2))[start * channels] = stop
        depthwise(op, arena, rom, start)
