# tflm: TOPK_V2: the largest numbers of each row
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package more; check axis

_INPUT = const(1)
_VALUES = const(2)
_INDICES = const(3)
_KIND = const(4)
_LENGTH = const(5)
_COUNT = const(6)

_FLOAT32 = const(0)
_INT32 = const(1)
_INT8 = const(2)
_UINT8 = const(3)
_INT16 = const(4)


# Units are rows. Each pass over a row finds the largest number below the last one found, or an
# equal number after it. Equal numbers therefore keep their order, and nothing is sorted. Bits of
# floats compare like integers once the bits of negative ones are inverted; -0 counts as less than
# 0.
@micropython.viper
def eval(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    kind = op[_KIND]
    length = op[_LENGTH]
    count = op[_COUNT]
    size = 4
    if kind == _INT16:
        size = 2
    elif kind >= _INT8:
        size = 1
    highest = 1
    highest = (highest << 31) - 1
    while start < stop:
        row = source + start * length * size
        values = int(arena) + (op[_VALUES] >> 2) + start * count * size
        indices = ptr32(int(arena) + (op[_INDICES] >> 2) + 4 * start * count)
        last = highest
        last_at = -1
        n = 0
        while n < count:
            best = 0
            best_at = -1
            i = 0
            while i < length:
                if size == 4:
                    x = (ptr32(row)[i] << sign) >> sign
                    if kind == _FLOAT32 and x < 0:
                        x = x ^ highest
                elif size == 2:
                    x = (ptr16(row)[i] ^ 0x8000) - 0x8000
                else:
                    x = ptr8(row)[i]
                    if kind == _INT8:
                        x = (x ^ 0x80) - 0x80
                if (x < last or x == last and i > last_at) and (best_at < 0 or x > best):
                    best = x
                    best_at = i
                i += 1
            if size == 4:
                ptr32(values)[n] = ptr32(row)[best_at]
            elif size == 2:
                ptr16(values)[n] = ptr16(row)[best_at]
            else:
                ptr8(values)[n] = ptr8(row)[best_at]
            indices[n] = best_at
            last = best
            last_at = best_at
            n += 1
        start += 1
