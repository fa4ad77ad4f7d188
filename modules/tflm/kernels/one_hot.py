# tflm: ONE_HOT: a value at each index
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package more; check indices

_INDICES = const(1)
_VALUE = const(2)
_OUTPUT = const(3)
_WIDE = const(4)  # 1: indices are int64
_SIZE = const(5)  # bytes of the value
_DEPTH = const(6)
_INNER = const(7)


# Units are indices. An index out of range writes nothing. The upper word of an int64 index must be
# 0.
@micropython.viper
def eval(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INDICES]
    indices = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_VALUE]
    value = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    target = int(arena) + (op[_OUTPUT] >> 2)
    wide = op[_WIDE]
    size = op[_SIZE]
    depth = op[_DEPTH]
    inner = op[_INNER]
    while start < stop:
        index = indices[start << wide]
        if index >= 0 and index < depth and not (wide and indices[2 * start + 1]):
            outer = start // inner
            y = ptr8(target + ((outer * (depth - 1) + index) * inner + start) * size)
            i = 0
            while i < size:
                y[i] = value[i]
                i += 1
        start += 1
