# tflm: x86-64: weights of int8 for the machine code of convolutions and FULLY_CONNECTED
# MIT license; Copyright (c) 2026 the tflm authors

from . import LEVEL
from .bound import address_of, constant_address, signed
from .machine import fill_words
from .outputs import BYTES, CONSTANTS, REDUCED, WORDS, fill_outputs, pack_taps
from .windows import DepthwiseWindows, windows_record, windows_step

_AVX2 = 2
INT8 = (1, 2, 1)  # bytes of an element of the input, of its copy, and of the output
INT16 = (2, 2, 2)
_MOST = {INT8: 255, INT16: 1 << 15}  # the largest absolute input less its zero point
_TAPS = 2  # side by side

# Words of a REQUANTIZE block. REQUANTIZE_INT16 has `pairs` in position of `channels`.
_ACTIVATION_MIN = 1
_ACTIVATION_MAX = 2
_PER_CHANNEL = 3
_CHANNELS = 4
_PAIRS = 4
_TABLE = 5


# How the outputs of a record are step_record: `block` is the number of the first word of its block
# REQUANTIZE or REQUANTIZE_INT16. Returns (limits, zero point, function that gives the addresses
# of a channel's multiplier and shift, kind, per_channel).
def requantization(record, words, block, dtype):
    zero_point, low, high, per_channel, count = words[block : block + 5]
    table = address_of(record) + 4 * (block + _TABLE)
    if dtype == INT8:
        kind = BYTES

        def table_addresses(channel):
            return table + 4 * channel * per_channel, table + 4 * count + channel * per_channel
    else:
        kind = REDUCED if count else WORDS

        def table_addresses(channel):
            return table + 8 * channel * per_channel, 0

    return (low, high), signed(zero_point), table_addresses, kind, per_channel


# Return a step for the machine code, or None if weights are not constant, numbers are too large or
# the step needs more than `max_bytes`.
#
# w: the windows, whose sizes are INT8 or INT16. operands: the words of input, weights, bias and
# output. zero_points: of the input and of the weights. outputs: as requantization() returns them.
# bias_size: bytes of a bias. functions: for SSE2 and for AVX2. by_taps: weights are ordered by
# tap, not by channel.
def make_step(
    w, operands, zero_points, outputs, bias_size, rom, max_bytes, functions, by_taps=False
):
    source, weights, bias, output = operands
    values = constant_address(weights, rom)
    biases = constant_address(bias, rom) or 0
    if values is None or (bias != 1 and not biases):
        return None
    is_avx2 = LEVEL == _AVX2
    lanes = 8 if is_avx2 else 4
    dtype = w.input_bytes, w.copy_bytes, w.output_bytes
    limits, zero_point, table_addresses, kind, per_channel = outputs
    copies = dtype == INT8 or isinstance(w, DepthwiseWindows)
    step_record = windows_record(w, (source, output), lanes, copies, 2, CONSTANTS, max_bytes)
    if step_record is None:
        return None
    record, addresses, blocks = step_record
    for i in (0, 1):
        fill_words(addresses["limits"] + 4 * lanes * i, limits[i], lanes)
        fill_words(addresses["limits"] + 64 + 8 * i, 1 << 31, 1)
        fill_words(addresses["limits"] + 80 + 8 * i, 1 << 31, 1)
    fill_words(addresses["zero_points"], (zero_points[0] & 0xFFFF) * 0x10001, lanes)
    runs = w.filter_height * w.cells
    taps = runs * w.length
    pitch, step = (1, w.channels) if by_taps else (taps, 1)
    for first, count, vectors, packed, constants in blocks:
        address = values + pitch * first
        if not fill_outputs(
            constants,
            count,
            address,
            pitch,
            taps,
            step,
            zero_points[1],
            biases and biases + bias_size * first,
            bias_size,
            *table_addresses(first),
            kind,
            per_channel,
            _MOST[dtype],
            zero_point,
        ):
            return None
        for position, channel, channels in w.packed_order(count, vectors * lanes):
            pack_taps(
                packed + 4 * position,
                address + pitch * channel,
                runs,
                w.length,
                vectors * lanes,
                channels,
                pitch,
                step,
                zero_points[1],
            )
    return windows_step(functions[is_avx2], record, w)
