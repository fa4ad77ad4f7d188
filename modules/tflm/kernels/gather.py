# tflm: rows at indices that are computed at run time: GATHER, GATHER_ND, EMBEDDING_LOOKUP
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package more; check indices

from ..errors import InputError

_INPUT = const(1)
_INDICES = const(2)
_OUTPUT = const(3)
_ROW = const(4)
_EXTENT = const(5)
_COORDINATES = const(6)
_OUTER = const(7)
_DEPTH = const(8)
_TABLE = const(9)  # for each number of an index: its stride in bytes, and the largest valid value


# Units are rows of the output.
def eval(op, arena, rom, start, stop):
    if _gather(op, arena, rom, start, stop):
        raise InputError(
            "an index of GATHER, GATHER_ND or EMBEDDING_LOOKUP points outside its tensor; check "
            "the input that it comes from"
        )


# Return 1 at the first index that is out of range, before anything is read there. The input is a
# row of blocks of `extent` bytes; each block has its own rows of the output, `coordinates` of
# them, and `outer` blocks share their indices. An index of `depth` numbers is an offset in its
# block.
@micropython.viper
def _gather(op: ptr32, arena: ptr32, rom: ptr32, start: int, stop: int) -> int:
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    word = op[_INDICES]
    indices = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    row = op[_ROW]
    extent = op[_EXTENT]
    coordinates = op[_COORDINATES]
    depth = op[_DEPTH]
    target = int(arena) + (op[_OUTPUT] >> 2) + start * row
    table = int(op) + 4 * _TABLE
    block = start // coordinates
    coordinate = start - block * coordinates
    while start < stop:
        index = ptr32(indices + (block // op[_OUTER] * coordinates + coordinate) * depth * 4)
        entry = ptr32(table)
        offset = 0
        i = 0
        while i < depth:
            v = (index[i] << sign) >> sign
            if v > entry[1] or v < 0 - entry[1]:
                return 1
            offset += v * entry[0]
            entry = ptr32(int(entry) + 8)
            i += 1
        if offset < 0 or offset > extent - row:
            return 1
        p = ptr32(source + block * extent + offset)
        q = ptr32(target)
        n = row
        if not (int(p) | target) & 3:
            while n >= 4:
                q[0] = p[0]
                p = ptr32(int(p) + 4)
                q = ptr32(int(q) + 4)
                n -= 4
        while n:
            ptr8(q)[0] = ptr8(p)[0]
            p = ptr32(int(p) + 1)
            q = ptr32(int(q) + 1)
            n -= 1
        target += row
        coordinate += 1
        if coordinate == coordinates:
            coordinate = 0
            block += 1
        start += 1
    return 0
