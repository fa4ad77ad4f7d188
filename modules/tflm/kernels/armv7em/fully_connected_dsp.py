# tflm: FULLY_CONNECTED, int8, with weights as halfwords (prepare/dsp.py): for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.fully_connected_asm import connect

_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_DEPTH = const(5)
_DEPTH_WORDS = const(6)
_BATCHES = const(7)
_OUTPUT_CHANNELS = const(8)
_OUTPUT_ZERO_POINT = const(9)
_ACTIVATION_MIN = const(10)
_ACTIVATION_MAX = const(11)
_SPARE = const(64)  # offset in the scratch buffer: the outputs of an incomplete group
_TAPS = const(128)  # and the inputs, rounded up to whole passes

# Words of the parameters of connect(); see tools/asm/kernels/fully_connected_dsp.py.
_C_STREAM = const(0)
_C_INPUT = const(1)
_C_OUTPUT = const(2)
_C_GROUPS = const(3)
_C_WEIGHTS = const(4)
_C_ZERO_POINT = const(5)
_C_CLAMPED = const(6)
_C_MINIMUM = const(7)
_C_MAXIMUM = const(8)


# Units are groups of four output channels.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    p = ptr32(base + (r[_SCRATCH] >> 2))
    weights = 16 * r[_DEPTH_WORDS]
    word = r[_STREAM]
    stream = (int(ptr8(rom)) if word & 1 else base) + (word >> 2) + start * (52 + weights)
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    channels = r[_OUTPUT_CHANNELS]
    rest = 0
    groups = stop - start
    if 4 * stop > channels:
        rest = channels & 3
        groups -= 1
    p[_C_WEIGHTS] = weights
    p[_C_ZERO_POINT] = r[_OUTPUT_ZERO_POINT]
    low = r[_ACTIVATION_MIN]
    high = r[_ACTIVATION_MAX]
    p[_C_CLAMPED] = low + 128 | high - 127
    low = low & 0xFF
    high = high & 0xFF
    low += low << 8
    high += high << 8
    p[_C_MINIMUM] = low + (low << 16)
    p[_C_MAXIMUM] = high + (high << 16)
    out = base + (r[_OUTPUT] >> 2) + 4 * start
    batches = r[_BATCHES]
    while batches:
        inputs = source
        if r[_DEPTH] != 2 * r[_DEPTH_WORDS]:
            # The elements that fill up the last pass have a weight of 0, but must be inside the
            # arena.
            inputs = int(p) + _TAPS
            from_ = ptr8(source)
            to = ptr8(inputs)
            k = r[_DEPTH]
            while k:
                to[0] = from_[0]
                from_ = ptr8(int(from_) + 1)
                to = ptr8(int(to) + 1)
                k -= 1
        p[_C_INPUT] = inputs
        if groups:
            p[_C_STREAM] = stream
            p[_C_OUTPUT] = out
            p[_C_GROUPS] = groups
            connect(int(p))
        if rest:
            spare = int(p) + _SPARE
            p[_C_STREAM] = stream + groups * (52 + weights)
            p[_C_OUTPUT] = spare
            p[_C_GROUPS] = 1
            connect(int(p))
            k = 0
            while k < rest:
                ptr8(out + 4 * groups)[k] = ptr8(spare)[k]
                k += 1
        source += r[_DEPTH]
        out += channels
        batches -= 1
