# tflm: DEQUANTIZE and CAST, float16 to float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float16; package core; check unary_float

_INPUT = const(1)
_OUTPUT = const(2)


# Units are elements. The conversion is exact; subnormal float16 become normal float32.
@micropython.viper
def eval_to_float32(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr32(int(arena) + (op[_OUTPUT] >> 2))
    while start < stop:
        bits = x[start]
        sign = bits >> 15
        e = bits >> 10 & 0x1F
        m = bits & 0x3FF
        if e == 31:
            e = 255
            if m:
                m = m | 0x200
        elif e:
            e += 112
        elif m:
            e = 113
            while not m >> 10:
                m = m << 1
                e -= 1
            m = m & 0x3FF
        y[start] = sign << 31 | e << 23 | m << 13
        start += 1
