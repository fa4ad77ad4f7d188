# tflm: a slice whose begin is computed at run time: SLICE, DYNAMIC_UPDATE_SLICE
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package more; check indices

_INPUT = const(1)
_OUTPUT = const(2)
_BEGIN = const(3)
_BEGIN_WORDS = const(4)  # words of an entry: 1 or 2
_ROW = const(5)  # bytes of a row
_DIMENSIONS = const(6)
_INTO = const(7)
_TABLE = const(8)  # for each dimension: size of the slice, stride, largest begin


# Units are rows: the slice's elements along its last dimension. A begin out of range is moved to 0
# or to the largest begin. The slice is copied from the input; with `into` it is the input and is
# copied into the output. The slice is dense; `other` is the offset in the other tensor.
@micropython.viper
def eval_computed(op: ptr32, arena: ptr32, rom: ptr32, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    target = int(arena) + (op[_OUTPUT] >> 2)
    word = op[_BEGIN]
    begin = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    step = op[_BEGIN_WORDS]
    length = op[_ROW]
    last = op[_DIMENSIONS] - 1
    into = op[_INTO]
    origin = target if into else source
    dense = (source if into else target) + start * length
    level = 0
    while level <= last:
        v = (begin[level * step] << sign) >> sign
        largest = op[_TABLE + 2 + 3 * level]
        if step == 2:
            word = (begin[2 * level + 1] << sign) >> sign
            if word < 0:
                v = 0
            elif word or v < 0:
                v = largest
        if v < 0:
            v = 0
        if v > largest:
            v = largest
        origin += v * op[_TABLE + 1 + 3 * level]
        level += 1
    while start < stop:
        rest = start
        other = origin
        level = last
        while level:
            level -= 1
            size = op[_TABLE + 3 * level]
            other += rest % size * op[_TABLE + 1 + 3 * level]
            rest = rest // size
        source = dense if into else other
        target = other if into else dense
        n = length
        dense += n
        if not (source | target) & 3:
            while n >= 4:
                ptr32(target)[0] = ptr32(source)[0]
                source += 4
                target += 4
                n -= 4
        while n:
            ptr8(target)[0] = ptr8(source)[0]
            source += 1
            target += 1
            n -= 1
        start += 1
