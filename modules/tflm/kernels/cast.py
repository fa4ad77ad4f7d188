# tflm: CAST between integers
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package more; check unary

_INPUT = const(1)
_OUTPUT = const(2)
_INPUT_SIZE = const(3)
_OUTPUT_SIZE = const(4)
_SIGNED = const(5)
_TO_BOOL = const(6)


# Units are elements. Low bits stay; wider types are extended with the sign, or with zeros.
@micropython.viper
def eval_integers(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    size = op[_INPUT_SIZE]
    p = (int(rom) if word & 1 else int(arena)) + (word >> 2) + start * size
    output_size = op[_OUTPUT_SIZE]
    q = int(arena) + (op[_OUTPUT] >> 2) + start * output_size
    signed = op[_SIGNED]
    to_bool = op[_TO_BOOL]
    left = stop - start
    while left:
        high = 0
        if size == 1:
            low = ptr8(p)[0]
            if signed:
                low = (low ^ 0x80) - 0x80
        elif size == 2:
            low = (ptr16(p)[0] ^ 0x8000) - 0x8000
        else:
            low = ptr32(p)[0]
        if size == 8:
            high = ptr32(p)[1]
        elif signed:
            high = 0 - (low >> 31 & 1)
        if to_bool:
            ptr8(q)[0] = 1 if low | high else 0
        elif output_size == 1:
            ptr8(q)[0] = low
        elif output_size == 2:
            ptr16(q)[0] = low
        else:
            ptr32(q)[0] = low
            if output_size == 8:
                ptr32(q)[1] = high
        p += size
        q += output_size
        left -= 1
