# tflm: integers from one scale and type to another: QUANTIZE; ABS, RELU, LEAKY_RELU on int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 int16 int32; package more; check unary; order elements

_INPUT = const(1)
_OUTPUT = const(2)
_INPUT_TYPE = const(3)
_OUTPUT_TYPE = const(4)
_INPUT_ZERO_POINT = const(5)
_OUTPUT_ZERO_POINT = const(6)
_LOWEST = const(7)
_HIGHEST = const(8)
_MULTIPLIER = const(9)
_SHIFT = const(10)
_NEGATIVE_MULTIPLIER = const(11)
_NEGATIVE_SHIFT = const(12)
_NEGATE = const(13)

_INT8 = const(0)
_UINT8 = const(1)
_INT16 = const(2)


# Units are elements. TFLM's MultiplyByQuantizedMultiplier as explained in requantize.py, but exact
# for 32 bits: the difference to the zero point and the left shift saturate.
@micropython.viper
def eval_integers(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = op[_INPUT]
    source = int(rom) if word & 1 else int(arena)
    source += word >> 2
    target = int(arena) + (op[_OUTPUT] >> 2)
    source_type = op[_INPUT_TYPE]
    target_type = op[_OUTPUT_TYPE]
    zero_in = (op[_INPUT_ZERO_POINT] << sign) >> sign
    zero_out = (op[_OUTPUT_ZERO_POINT] << sign) >> sign
    low = (op[_LOWEST] << sign) >> sign
    high = (op[_HIGHEST] << sign) >> sign
    limit = 1
    limit = (limit << 31) - 1
    i = start
    while i < stop:
        if source_type == _INT8:
            x = (ptr8(source)[i] ^ 0x80) - 0x80
        elif source_type == _UINT8:
            x = ptr8(source)[i]
        elif source_type == _INT16:
            x = (ptr16(source)[i] ^ 0x8000) - 0x8000
        else:
            x = (ptr32(source)[i] << sign) >> sign
        v = ((x - zero_in) << sign) >> sign
        if (x ^ zero_in) & (x ^ v) < 0:
            v = limit if x >= 0 else 0 - limit - 1
        flip = 0
        if v < 0:
            flip = op[_NEGATE]
            if flip > 1:
                flip = 0
                v = 0 - v
        k = _MULTIPLIER if v >= 0 else _NEGATIVE_MULTIPLIER
        m = op[k]
        e = (op[k + 1] << sign) >> sign
        if e > 0:
            if v > limit >> e:
                v = limit
            elif v < 0 - (limit >> e) - 1:
                v = 0 - limit - 1
            else:
                v = v << e
            e = 0
        e = 0 - e
        if sign:
            v = (m * v >> 30) + 1 >> 1
        else:
            vh = v >> 16
            v = v & 0xFFFF
            mh = m >> 16
            m = m & 0xFFFF
            a = v * mh
            b = vh * m + ((v * m >> 16) & 0xFFFF)
            v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (vh * mh << 1)
        if e:
            v = ((v >> 31) + v >> e - 1) + 1 >> 1
        if flip:
            v = 0 - v
        if v < low:
            v = low
        if v > high:
            v = high
        v = v + zero_out
        if target_type < _INT16:
            ptr8(target)[i] = v
        elif target_type == _INT16:
            ptr16(target)[i] = v
        else:
            ptr32(target)[i] = v
        i += 1
