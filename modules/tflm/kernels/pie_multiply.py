# tflm: inputs and weights as vectors of 16 bytes (prepare/pie.py), for boards without vectors
# MIT license; Copyright (c) 2026 the tflm authors

# Words of the parameters; see tools/asm/kernels/parameters.py. Here addresses are offsets in the
# arena; the address of image or stream is an offset in its memory.
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
_M_STREAM = const(0)
_M_INPUTS = const(1)
_M_OUTPUT = const(2)
_M_CHANNELS = const(3)
_M_PIXELS = const(4)
_M_ROWS = const(5)
_M_PIXEL_STEP = const(6)
_M_ROW_STEP = const(7)
_M_OUTPUT_STEP = const(8)
_M_WINDOW = const(9)
_M_OUTPUT_ZERO_POINT = const(10)
_M_ACTIVATION_MIN = const(11)
_M_ACTIVATION_MAX = const(12)


# Copy columns of int8 to vectors. `to` is the arena, `v` the offset of the parameters in it,
# `memory` holds the image. A column is a run of whole, aligned words in each row of the filter,
# either inside the image or outside of it.
@micropython.viper
def gather(to: ptr32, v: int, memory: ptr8):
    base = int(to)
    p = ptr32(base + v)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    at = (p[_AT] << sign) >> sign
    last = p[_LAST]
    line = int(memory) + ((p[_SOURCE] << sign) >> sign)
    column = base + p[_LANES]
    columns = p[_COLUMNS]
    while columns:
        to = ptr32(column)
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
                to = ptr32(int(to) + 4)
                n -= 1
            if not rows:
                break
            while rows:
                x = ptr32(from_)
                n = p[_RUN] >> 2
                while n:
                    to[0] = x[0]
                    to = ptr32(int(to) + 4)
                    x = ptr32(int(x) + 4)
                    n -= 1
                from_ += p[_ROW_STEP]
                rows -= 1
            fill = below
        column += p[_COLUMN_BYTES]
        line += p[_COLUMN_STEP]
        at += p[_COLUMN_STEP]
        columns -= 1


# Copy columns of int8 of any width and alignment to vectors. The arguments are the same as for
# gather().
@micropython.viper
def gather_bytes(to: ptr8, v: int, memory: ptr8):
    base = int(to)
    p = ptr32(base + v)
    sign = 0x20000000
    sign = sign << 3 >> 27
    at = (p[_AT] << sign) >> sign
    line = int(memory) + ((p[_SOURCE] << sign) >> sign)
    column = base + p[_LANES]
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
        to = ptr8(column)
        n = p[_ROWS_ABOVE] * run
        rows = p[_ROWS]
        from_ = line + left
        while rows:
            n += left
            while n:
                to[0] = zero
                to = ptr8(int(to) + 1)
                n -= 1
            x = ptr8(from_)
            n = inside
            while n:
                to[0] = x[0]
                to = ptr8(int(to) + 1)
                x = ptr8(int(x) + 1)
                n -= 1
            n = right
            from_ += p[_ROW_STEP]
            rows -= 1
        n += p[_ROWS_BELOW] * run
        while n:
            to[0] = zero
            to = ptr8(int(to) + 1)
            n -= 1
        column += p[_COLUMN_BYTES]
        line += p[_COLUMN_STEP]
        at += p[_COLUMN_STEP]
        columns -= 1


# Outputs of channels for pixels whose inputs are vectors. `w` is the arena, `v` the offset of the
# parameters in it, `memory` holds the stream. The upper word of a product is made of four products
# of halfwords.
@micropython.viper
def multiply(w: ptr8, v: int, memory: ptr8):
    base = int(w)
    p = ptr32(base + v)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    low = (p[_M_ACTIVATION_MIN] << sign) >> sign
    high = (p[_M_ACTIVATION_MAX] << sign) >> sign
    zero_point = (p[_M_OUTPUT_ZERO_POINT] << sign) >> sign
    stream = int(memory) + p[_M_STREAM]
    size = p[_M_WINDOW]
    out = base + p[_M_OUTPUT]
    channels = p[_M_CHANNELS]
    while channels:
        numbers = ptr32(stream + size)
        bias = (numbers[0] << sign) >> sign
        shift = (numbers[2] << sign) >> sign
        factor = 2
        if shift < 0:
            factor = numbers[3]
        upper = numbers[1] >> 16
        lower = numbers[1] & 0xFFFF
        y = ptr8(out)
        row = base + p[_M_INPUTS]
        rows = p[_M_ROWS]
        while rows:
            inputs = row
            pixels = p[_M_PIXELS]
            while pixels:
                acc = 0
                x = ptr8(inputs)
                w = ptr8(stream)
                n = size
                while n:
                    acc += ((w[0] ^ 0x80) - 0x80) * ((x[0] ^ 0x80) - 0x80)
                    w = ptr8(int(w) + 1)
                    x = ptr8(int(x) + 1)
                    n -= 1
                acc = (acc * factor + bias << sign) >> sign
                v = acc & 0xFFFF
                acc = acc >> 16
                k = acc * lower + ((v * lower >> 16) & 0xFFFF)
                v = (k & 0xFFFF) + v * upper
                acc = acc * upper + (k >> 16) + (v >> 16)
                if shift < 0:
                    acc = acc >> -1 - shift
                else:
                    acc += v >> 15 & 1
                    if shift:
                        acc = ((acc >> 31) + acc >> shift - 1) + 1 >> 1
                    acc += zero_point
                if acc < low:
                    acc = low
                if acc > high:
                    acc = high
                y[0] = acc
                y = ptr8(int(y) + p[_M_OUTPUT_STEP])
                inputs += p[_M_PIXEL_STEP]
                pixels -= 1
            row += p[_M_ROW_STEP]
            rows -= 1
        stream += size + 16
        out += 1
        channels -= 1
