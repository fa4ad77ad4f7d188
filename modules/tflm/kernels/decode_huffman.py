# tflm: TFLM_DECODE of Huffman codes
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types packed; package more; check decode

_INPUT = const(1)
_VALUES = const(2)
_OUTPUT = const(3)
_POSITION = const(4)
_FIRST_VALUE = const(5)
_ENTRIES = const(6)
_ENTRY_BYTES = const(7)
_FIRST_BITS = const(8)
_INPUT_BITS = const(9)
_SIZE = const(10)


# Units are elements, one after the other. The position of the next code is kept in scratch from
# slice to slice; it is checked because another task may overwrite scratch in between.
#
# Some bits of the code select an entry of the table. The upper five bits of an entry say either
# that it is a value, and how many of these bits belonged to its code, or how many bits less one
# are added to the rest of the entry and to the entry's index. A table that leads outside of itself
# and codes past the end give 0.
@micropython.viper
def eval_any(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_VALUES]
    table = (int(rom) if word & 1 else int(arena)) + (word >> 2) + op[_FIRST_VALUE]
    size = op[_SIZE]
    y = ptr8(int(arena) + (op[_OUTPUT] >> 2) + start * size)
    state = ptr32(int(arena) + (op[_POSITION] >> 2))
    entry_bytes = op[_ENTRY_BYTES]
    last = op[_INPUT_BITS] - 1
    position = state[0]
    if not start or position < 0:
        position = 0
    if position > last:
        position = last + 1
    left = stop - start
    while left:
        bits = op[_FIRST_BITS]
        entry = 0
        found = 0
        low = 0
        high = 0
        while not found:
            # Up to 16 bits are in three bytes; after the last byte there are zeros.
            v = 0
            k = 0
            while k < 3:
                v = v << 8
                if (position & -8) + 8 * k <= last:
                    v = v | x[(position >> 3) + k]
                k += 1
            v = v >> 24 - (position & 7) - bits & (1 << bits) - 1
            entry += v
            if entry >= op[_ENTRIES] or position > last:
                low = 0
                high = 0
                found = 1
            else:
                position += bits
                z = ptr8(table + entry * entry_bytes)
                low = z[0]
                high = z[1]
                flags = z[entry_bytes - 1]
                k = flags >> 3 & 15
                found = flags >> 7
                if found:
                    if bits > k:
                        position -= bits - k
                else:
                    bits = k + 1
                    v = (flags & 7) << 8
                    if entry_bytes == 4:
                        v = (v | z[2]) << 8 | high
                        v = v << 8
                    entry += v | low
        y[0] = low
        if size == 2:
            y[1] = high
        y = ptr8(int(y) + size)
        left -= 1
    state[0] = position
