# tflm: REVERSE_SEQUENCE: the first steps of each batch backwards, the others unchanged
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package rnn; check indices

_INPUT = const(1)
_LENGTHS = const(2)
_OUTPUT = const(3)
_WIDE = const(4)  # 1: lengths are int64
_SIZE = const(5)  # bytes of a block
_STEPS = const(6)
_STEP = const(7)  # blocks from one step to the next
_BATCHES = const(8)
_BATCH_STEP = const(9)


# Units are blocks. A length that is too large means all steps; a length below 1 means none.
@micropython.viper
def eval(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    word = op[_LENGTHS]
    lengths = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    target = int(arena) + (op[_OUTPUT] >> 2)
    size = op[_SIZE]
    steps = op[_STEPS]
    while start < stop:
        number = start // op[_STEP]
        number = number - number // steps * steps
        batch = start // op[_BATCH_STEP]
        batch = batch - batch // op[_BATCHES] * op[_BATCHES]
        length = (lengths[batch << op[_WIDE]] << sign) >> sign
        if length > steps:
            length = steps
        moved = start
        if number < length:
            moved = start + (length - 1 - number - number) * op[_STEP]
        x = ptr8(source + moved * size)
        y = ptr8(target + start * size)
        i = 0
        while i < size:
            y[i] = x[i]
            i += 1
        start += 1
