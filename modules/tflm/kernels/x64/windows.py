# tflm: x86-64: records of machine code for CONV_2D and FULLY_CONNECTED
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import address_of
from .machine import new_record, put_words
from .records import BLOCK, WINDOWS

_PIXELS = 4  # of a tile
_MOST_VECTORS = 4  # of a tile
_DEPTHWISE_VECTORS = 2
_SLACK = 64  # bytes after a copied row that are read with weights of 0
_ROW = 1 << 15  # bytes of input that rows of pixels are joined to
_SLICE = 1 << 23  # multiply-accumulates between two checks for Ctrl-C


# Return the number of images of a record, 0 unless its units are whole images of `each` units.
def images_of(units, each):
    return 0 if units % each else units // each


# A CONV_2D or a FULLY_CONNECTED as the machine code sees it.
class Windows:
    # windows: the words of prepare.convolution.WINDOWS. batches: images. group: (channels of the
    # filter, output channels of a group). sizes: bytes of an element of the input, of the input as
    # the machine code reads it, and of the output. taps: how many are multiplied at a time.
    def __init__(self, windows, batches, group, sizes, taps):
        (
            self.height,
            self.width,
            self.depth,
            self.rows,
            self.pixels,
            self.channels,
            self.filter_height,
            self.filter_width,
            self.stride_height,
            self.stride_width,
            self.dilation_height,
            self.dilation_width,
            self.padding_height,
            self.padding_width,
        ) = windows
        self.length, self.group_channels = group
        self.input_bytes, self.copy_bytes, self.output_bytes = sizes
        self.taps = taps
        self.images = batches
        self.cells = self.filter_width
        if self.length == self.depth and (self.dilation_width == 1 or self.cells == 1):
            self.length *= self.cells
            self.cells = 1
        self.columns = (self.pixels - 1) * self.stride_width + 1
        self.columns += (self.filter_width - 1) * self.dilation_width
        self.reach = (self.filter_height - 1) * self.dilation_height + 1
        self._join_rows()

    # Where packed weights of channels that follow each other begin: [(place, channel, channels)].
    def packed_order(self, count, lanes):
        return ((0, 0, count),)

    # True if some window is partly outside the image.
    def has_padding(self):
        last = (self.rows - 1) * self.stride_height + self.reach - self.padding_height
        before = self.padding_height or self.padding_width
        return before or last > self.height or self.columns > self.width

    # Multiply-accumulates of a row of pixels.
    def work(self):
        return self.pixels * self.channels * self.filter_height * self.cells * self.length

    # Bytes of the input of an image, and of its output.
    def image_bytes(self):
        size = self.height * self.width * self.depth * self.input_bytes
        return size, self.rows * self.pixels * self.channels * self.output_bytes

    # Pixels that do not see each other are one long row, or some rows of them: fewer tiles are
    # begun and left over.
    def _join_rows(self):
        plain = self.filter_height * self.filter_width * self.stride_height * self.stride_width
        if plain != 1 or self.has_padding():
            return
        if (self.height, self.width) != (self.rows, self.pixels):
            return
        rows = self.images * self.rows
        most = max(1, _ROW // max(1, self.width * self.depth * self.copy_bytes))
        joined = max([k for k in range(1, min(rows, most) + 1) if rows % k == 0])
        self.images = 1
        self.height = self.rows = rows // joined
        self.width = self.pixels = self.columns = joined * self.pixels

    # Vectors of output channels of each block, for vectors of `lanes` elements, in the order of
    # the channels: [(first channel, channels, vectors, first channel of the input)].
    def blocks(self, lanes):
        most = 2 if self.pixels >= _PIXELS else _MOST_VECTORS
        found = []
        for group in range(self.channels // self.group_channels):
            first = group * self.group_channels
            end = first + self.group_channels
            while first < end:
                vectors = most
                while vectors > 1 and end - first <= (vectors >> 1) * lanes:
                    vectors >>= 1
                count = min(vectors * lanes, end - first)
                found.append((first, count, vectors, group * self.length))
                first += count
        return found


# A DEPTHWISE_CONV_2D with as many output channels as input channels.
class DepthwiseWindows(Windows):
    def __init__(self, windows, batches, sizes, taps):
        Windows.__init__(self, windows, batches, (1, windows[5]), sizes, taps)
        self.length = self.filter_width
        self.cells = 1
        # The last pair of an odd row has no second cell. The machine code reads one all the same,
        # with weights of 0: the first cell again, or a cell in further columns of the copied row.
        if self.length == 1:
            self.dilation_width = 0
        elif self.length % self.taps:
            self.columns += self.dilation_width

    def _join_rows(self):
        pass

    def blocks(self, lanes):
        size = _DEPTHWISE_VECTORS * lanes
        return [
            (first, min(size, self.channels - first), _DEPTHWISE_VECTORS, first)
            for first in range(0, self.channels, size)
        ]

    # AVX2 interleaves each half of a vector separately: the first vector of sums has channels 0
    # to 3 and 8 to 11.
    def packed_order(self, count, lanes):
        positions = (0, 8, 4, 12) if lanes == 16 else (0, 4)
        return [(positions[i >> 2], i, min(4, count - i)) for i in range(0, count, 4)]


# The words of the windows of a FULLY_CONNECTED: each vector of the input is a row of one pixel.
def matrix(batches, depth, channels):
    return [batches, 1, depth, batches, 1, channels, 1, 1, 1, 1, 1, 1, 0, 0]


# The bytes of the arena that an operand has: none for a constant of the model.
def _range(operand, size):
    return (0, 0) if operand & 1 else (operand >> 2, (operand >> 2) + size)


def _overlap(one, other):
    return one[0] < other[1] and other[0] < one[1]


# A record for windows; None if it needs more than `max_bytes` bytes.
#
# operands: the words of input and output. copies: rows are copied in any case. A block of channels
# has `weight_bytes` for each tap and channel, and `constant_bytes` for each channel. Returns
# (record, addresses by the names of WINDOWS, blocks), where a block is (first channel, channels,
# vectors, address of weights, address of constants).
def windows_record(w, operands, lanes, copies, weight_bytes, constant_bytes, max_bytes):
    source, output = operands
    sizes = [size * w.images for size in w.image_bytes()]
    pairs = (w.length + w.taps - 1) // w.taps
    copies = copies or w.has_padding() or w.length % w.taps
    copies = copies or _overlap(_range(source, sizes[0]), _range(output, sizes[1]))
    pixel = w.depth * w.copy_bytes
    copied_row = (w.columns * pixel + _SLACK + 31) // 32 * 32 if copies else 0
    blocks = w.blocks(lanes)
    runs = w.filter_height * w.cells
    outputs = [vectors * lanes for _, _, vectors, _ in blocks]
    sizes = {
        "runs": 8 * runs,
        "sums": 4 * lanes * max(2 * _PIXELS, _MOST_VECTORS),
        "block_list": 8 * len(BLOCK) * len(blocks),
        "limits": 96,
        "zero_points": 4 * lanes,
        "copies_at": copied_row * w.reach,
        "padding_row": copied_row,
    }
    names = list(sizes)
    sizes = [sizes[name] for name in names]
    sizes += [runs * pairs * w.taps * weight_bytes * count for count in outputs]
    sizes += [constant_bytes * (count + 7 & (0 - 8)) for count in outputs]
    record, addresses = new_record(len(WINDOWS), sizes, max_bytes)
    if record is None:
        return None
    values = dict(zip(names, addresses))
    copied = max(0, min(w.width, w.columns - w.padding_width)) * w.depth
    values.update(
        {
            "input": source,
            "output": output >> 2,
            "input_height": w.height,
            "input_row": w.width * w.depth * w.input_bytes,
            "output_height": w.rows,
            "output_row": w.pixels * w.channels * w.output_bytes,
            "output_pixel": w.channels * w.output_bytes,
            "pixels": w.pixels,
            "pixel_step": w.stride_width * pixel,
            "row_step": w.stride_height,
            "padding_height": w.padding_height,
            "dilation_height": w.dilation_height,
            "filter_height": w.filter_height,
            "cells": w.cells,
            "cell_step": w.dilation_width * pixel,
            "length": pairs,
            "blocks": len(blocks),
            "copies": 1 if copies else 0,
            "copied_rows": w.reach,
            "copied_row": copied_row,
            "copied_start": w.padding_width * pixel,
            "copied_count": copied if w.copy_bytes > w.input_bytes else copied * w.input_bytes,
            "batch_scales": 0,
            "batch_offsets": 0,
        }
    )
    put_words(address_of(record), [values[name] for name in WINDOWS])
    listed = []
    words = []
    addresses = addresses[len(names) :]
    for i in range(len(blocks)):
        first, count, vectors, channel = blocks[i]
        weights, constants = addresses[i], addresses[len(blocks) + i]
        words += [vectors, weights, constants, channel * w.copy_bytes]
        words += [first * w.output_bytes, count]
        listed.append((first, count, vectors, weights, constants))
    put_words(values["block_list"], words)
    return record, values, listed


# (function, record, units, units of a slice): the units are rows.
def windows_step(function, record, w):
    rows = w.images * w.rows
    return function, record, rows, max(1, _SLICE // max(1, w.work()))
