# tflm: x86-64: CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of float32 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

from . import LEVEL
from .bound import address_of, constant_address, words_of
from .gen import hybrid_asm
from .machine import fill_words, pack_words, put_words
from .outputs import pack_taps
from .records import WINDOWS
from .windows import DepthwiseWindows, Windows, images_of, windows_record, windows_step

_QUANTIZED = 1
_SCALES = 2
_OFFSETS = 3
_WEIGHTS = 4
_WEIGHT_SCALES = 5
_BIAS = 6
_OUTPUT = 7
_WINDOWS = 8  # the first word of the windows
_DEPTH = 22
_GROUP_CHANNELS = 23
_CHANNEL_STEP = 24
_CELL_STEP = 25
_PER_CHANNEL = 26
_ACTIVATION_MIN = 27

_AVX2 = 2
_SIZES = (1, 2, 4)  # bytes of an element of the input, of its copy, and of the output
_TAPS = 2  # side by side
_NEGATIVE_ZERO = 1 << 31  # adding it changes no number


# Each batch has a scale: pixels of several batches are not joined.
class _HybridWindows(Windows):
    def _join_rows(self):
        if self.images == 1:
            Windows._join_rows(self)


# Return a step for the machine code that replaces hybrid.eval_float32 for this record, or None if
# there cannot be one or it needs more than `max_bytes`.
def bind_float32(function, record, rom, max_bytes):
    words = words_of(record)
    windows = words[_WINDOWS : _WINDOWS + 14]
    depth, channels = windows[2], windows[5]
    images = images_of(words[0], windows[3] * windows[4] * channels)
    values = constant_address(words[_WEIGHTS], rom)
    scales = constant_address(words[_WEIGHT_SCALES], rom)
    bias = constant_address(words[_BIAS], rom)
    length, group, pitch, cell_step = words[_DEPTH : _CELL_STEP + 1]
    if not images or not values or not scales or (words[_BIAS] != 1 and not bias):
        return None
    if not length:  # the machine code has at least one pair of taps
        return None
    is_depthwise = length == 1 and group == 1 and depth == channels
    if is_depthwise:
        w = DepthwiseWindows(windows, images, _SIZES, _TAPS)
        functions = hybrid_asm.depthwise_sse, hybrid_asm.depthwise_avx2
    else:
        w = _HybridWindows(windows, images, (length, group), _SIZES, _TAPS)
        functions = hybrid_asm.conv_sse, hybrid_asm.conv_avx2
    # The taps of a channel follow each other, or they are `step` bytes apart.
    step = cell_step if length == 1 else 1
    if length > 1 and cell_step != length:
        return None
    lanes = 8 if LEVEL == _AVX2 else 4
    operands = words[_QUANTIZED], words[_OUTPUT]
    step_record = windows_record(w, operands, lanes, True, 2, 8, max_bytes)
    if step_record is None:
        return None
    record, addresses, blocks = step_record
    batches = [words[_SCALES] >> 2, words[_OFFSETS] >> 2]
    put_words(address_of(record) + 8 * WINDOWS.index("batch_scales"), batches)
    for i in (0, 1):
        fill_words(addresses["limits"] + 4 * lanes * i, words[_ACTIVATION_MIN + i], lanes)
    runs = w.filter_height * w.cells
    for first, count, vectors, packed, constants in blocks:
        for position, channel, n in w.packed_order(count, vectors * lanes):
            address = values + pitch * (first + channel)
            to = packed + 4 * position
            pack_taps(to, address, runs, w.length, vectors * lanes, n, pitch, step, 0)
        # The scales of the block's channels, then the biases.
        if words[_PER_CHANNEL]:
            pack_words(constants, scales + 4 * first, count, 1, 1, 0, 4)
        else:
            pack_words(constants, scales, count, 1, 1, 0, 0)
        constants += 4 * vectors * lanes
        if bias:
            pack_words(constants, bias + 4 * first, count, 1, 1, 0, 4)
        else:
            fill_words(constants, _NEGATIVE_ZERO, count)
    return windows_step(functions[LEVEL == _AVX2], record, w)
