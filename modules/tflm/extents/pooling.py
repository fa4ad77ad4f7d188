# tflm: extents: pools, int8 and int16
# MIT license; Copyright (c) 2026 the tflm authors

from .record import divided


# Each window must hold a cell of the image, or the kernel would divide by none.
def _pool(r, size):
    height, width, channels, rows, columns = r.numbers(4, 5)
    cells_y, cells_x, stride_y, stride_x = r.numbers(9, 4)
    top, left = r.numbers(13, 2, 0)
    r.small(rows * stride_y + cells_y, columns * stride_x + cells_x, width * channels)
    r.need(top < cells_y and (rows - 1) * stride_y - top < height)
    r.need(left < cells_x and (columns - 1) * stride_x - left < width)
    r.need(r.words >= 17)
    r.reads(1, divided(r.units, rows) * height * width * channels * size, align=size)
    r.writes(2, r.units * columns * channels * size, align=size)


CHECKS = {
    "pooling.eval_int8": lambda r: _pool(r, 1),
    "pooling_int16.eval_int16": lambda r: _pool(r, 2),
}
