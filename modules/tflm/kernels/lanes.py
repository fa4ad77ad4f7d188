# tflm: unpacks inputs to pairs of 16-bit lanes, for boards without an assembler kernel
# MIT license; Copyright (c) 2026 the tflm authors

# The lanes are explained in prepare/lanes.py. The first two parameters of a viper function are in
# registers: they pass arguments, and then hold the values that the inner loop uses most.

# Words of the parameters; see tools/asm/kernels/parameters.py. Here addresses are offsets in the
# arena; the address of the image is an offset in its memory.
_SOURCE = const(0)
_LANES = const(1)
_COLUMNS = const(2)
_COLUMN_STEP = const(3)
_RUN = const(4)
_ROW_STEP = const(5)
_ROWS_ABOVE = const(6)
_ROWS = const(7)
_ROWS_BELOW = const(8)
_AT = const(9)
_LAST = const(10)
_FILL = const(11)
_ROW_BYTES = const(12)
_COLUMN_BYTES = const(13)
_SPARE = const(14)


# Unpack columns of int8 to lanes. `to` is the arena, `v` the offset of the parameters in it,
# `memory` holds the image. A column is a run of whole, aligned words in each row of the filter,
# either inside the image or outside of it.
@micropython.viper
def gather(to: ptr32, v: int, memory: ptr8):
    p = ptr32(int(to) + v)
    to = ptr32(int(to) + p[_LANES])
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    at = (p[_AT] << sign) >> sign
    last = p[_LAST]
    half = 0x00800080
    flip = (half << 8) + half
    mask = 0x00FF00FF
    line = int(memory) + ((p[_SOURCE] << sign) >> sign)
    columns = p[_COLUMNS]
    while columns:
        fill = p[_ROWS_ABOVE]
        rows = p[_ROWS]
        below = p[_ROWS_BELOW]
        if at < 0 or at > last:
            fill = fill + rows + below
            rows = 0
            below = 0
        from_ = line
        while True:
            v = p[_FILL]
            n = fill * p[_RUN] >> 2
            while n:
                to[0] = v
                to[1] = v
                to = ptr32(int(to) + 8)
                n -= 1
            if not rows:
                break
            while rows:
                x = ptr32(from_)
                n = p[_RUN] >> 2
                while n:
                    v = x[0] ^ flip
                    to[0] = (v & mask) - half
                    to[1] = (v >> 8 & mask) - half
                    to = ptr32(int(to) + 8)
                    x = ptr32(int(x) + 4)
                    n -= 1
                from_ += p[_ROW_STEP]
                rows -= 1
            fill = below
        line += p[_COLUMN_STEP]
        at += p[_COLUMN_STEP]
        columns -= 1


# Unpack columns of int8 of any width and alignment to lanes. The bytes of all rows of a column are
# first copied to spare memory without gaps. The arguments are the same as for gather().
@micropython.viper
def gather_bytes(to: ptr32, v: int, memory: ptr8):
    base = int(to)
    p = ptr32(base + v)
    sign = 0x20000000
    sign = sign << 3 >> 27
    at = (p[_AT] << sign) >> sign
    half = 0x00800080
    flip = (half << 8) + half
    mask = 0x00FF00FF
    line = int(memory) + ((p[_SOURCE] << sign) >> sign)
    lanes = base + p[_LANES]
    run = p[_RUN]
    row_bytes = p[_ROW_BYTES]
    zero = p[_FILL] & 0xFF
    columns = p[_COLUMNS]
    while columns:
        # Bytes of a run at the left of the image, in the image and at its right.
        left = 0 - at
        if left < 0:
            left = 0
        if left > run:
            left = run
        right = at + run - row_bytes
        if right < 0:
            right = 0
        if right > run:
            right = run
        inside = run - left - right
        spare = ptr8(base + p[_SPARE])
        n = p[_ROWS_ABOVE] * run
        rows = p[_ROWS]
        from_ = line + left
        while rows:
            n += left
            while n:
                spare[0] = zero
                spare = ptr8(int(spare) + 1)
                n -= 1
            to = ptr32(from_)
            v = int(spare)
            n = inside
            while n:
                ptr8(v)[0] = ptr8(to)[0]
                to = ptr32(int(to) + 1)
                v += 1
                n -= 1
            spare = ptr8(v)
            n = right
            from_ += p[_ROW_STEP]
            rows -= 1
        n += p[_ROWS_BELOW] * run
        while n:
            spare[0] = zero
            spare = ptr8(int(spare) + 1)
            n -= 1
        x = ptr32(base + p[_SPARE])
        to = ptr32(lanes)
        n = p[_COLUMN_BYTES] >> 2
        while n:
            v = x[0] ^ flip
            to[0] = (v & mask) - half
            to[1] = (v >> 8 & mask) - half
            to = ptr32(int(to) + 8)
            x = ptr32(int(x) + 4)
            n -= 1
        lanes = int(to)
        line += p[_COLUMN_STEP]
        at += p[_COLUMN_STEP]
        columns -= 1
