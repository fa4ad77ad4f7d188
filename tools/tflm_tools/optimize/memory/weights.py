# tflm_tools: ways to store the weights of a layer and to go over them: scratch, and what they cost
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.prepare.conv_lanes import CONV, FULLY_CONNECTED
from tflm.prepare.dense import DENSE as DENSE_LAYOUT
from tflm.prepare.depthwise_lanes import DEPTHWISE, PACKED_WORDS, scratch_bytes
from tflm.prepare.lanes import (
    BYTES,
    DENSE,
    GROUP,
    LANES,
    MAX_GROUP_BYTES,
    QUAD,
    block_pixels,
    group_bytes,
    lane_scratch,
)

from ...image.dense_lut import DENSE_LUT, INDEXED, SCRATCH
from .flash_cache import fetches

# Cycles of kernels/armv6m: to make lanes of a weight that is a byte, to begin a block of windows,
# or of pixels that are one run, and to begin a group of channels in it; to make lanes of a channel
# of a depthwise 3x3 filter.
WIDEN = 3.1
_DENSE = 0.6  # to use such a weight once, beside the lanes that are made of it otherwise
DENSE_BYTES = 64  # of scratch
_CONNECT = 0.4  # to use such a weight of FULLY_CONNECTED, beside widening it
_PAIRS = 1160  # to make a table of all pairs of 16 values
_BLOCK = 1200
_RUN = 150
_BLOCK_GROUP = 60
_UNPACK = 80
_MOST_BLOCK_MACS = 1_500_000  # some 35 ms of a Pico: Ctrl-C waits for the end of a block
_BYTE = 16  # cycles that a byte more of scratch saves at least
FREE_BYTE = 1  # the same where the arena is there anyway
BYTES_ONLY = BYTES, None  # the way that has fewest words
_MOST_PARTS = 24  # of a row, or of all rows


@dataclass(frozen=True)
class Choice:
    """A way to run a layer: `stored` (how weights are stored, bytes of lanes at a time or None).

    scratch: bytes of its scratch buffer. cycles: what fetching and unpacking its weights takes.
    """

    stored: tuple
    scratch: int
    cycles: int


# Pixels of a block, and blocks: some whole rows, or a part of one.
def _blocks(rows, pixels):
    for parts in (*range(1, min(rows, _MOST_PARTS + 1)), rows):
        most = -(-rows // parts)
        yield most * pixels, -(-rows // most)
    for parts in range(2, min(pixels, _MOST_PARTS) + 1):
        most = -(-pixels // parts)
        yield most, rows * -(-pixels // most)


# What it takes to begin a block of a CONV_2D: kernels go over runs of whole words by themselves.
def _begin(r, is_flat):
    is_run = is_flat and r["is_whole"] and r["output_channels"] % GROUP == 0
    return _RUN if is_run else _BLOCK


# Words of `groups` groups of four channels, with bias, multiplier and shift of each.
def _group_words(way, groups, depth):
    return groups * (16 + depth * (2 if way == LANES else 1))


# Cycles to go over `groups` groups of channels with `depth` elements in `blocks` blocks.
def _cycles(way, groups, depth, blocks, miss, begin=_BLOCK):
    words = _group_words(way, groups, depth)
    cycles = miss * words * fetches(words, blocks) + blocks * (begin + groups * _BLOCK_GROUP)
    each = {BYTES: WIDEN, DENSE: _DENSE}
    cycles += blocks * each.get(way, 0) * groups * GROUP * depth
    return round(cycles)


def _conv(r, is_flat, miss):
    rows, pixels = (1 if is_flat else r["units"]), r["output_width"]
    column, depth = r["column_lanes"], r["depth_lanes"]
    step = 2 * column * r["pixel_columns"]
    groups = -(-r["output_channels"] // GROUP)
    if rows == pixels == 1 and r["row_bytes"] * r["input_height"] == depth:  # one window is all
        yield (DENSE, None), DENSE_BYTES, _cycles(DENSE, groups, depth, 1, miss)
    for block, blocks in _blocks(rows, pixels):
        if block * depth * GROUP * groups > _MOST_BLOCK_MACS and block > 1:
            continue
        row = 2 * depth + (min(block, pixels) - 1) * step
        lane_bytes = row * max(1, block // pixels)
        for way in (LANES, BYTES):
            scratch = lane_scratch(lane_bytes, block, column) + group_bytes(way, depth)
            cycles = _cycles(way, groups, depth, blocks, miss, _begin(r, is_flat))
            yield (way, lane_bytes), scratch, cycles


def _fully_connected(r, miss):
    depth, batches = r["depth_lanes"], r["batches"]
    groups = -(-r["output_channels"] // GROUP)
    for way in (LANES, BYTES):
        scratch = lane_scratch(2 * depth, 1, depth) + group_bytes(way, depth)
        yield (way, None), scratch, _cycles(way, groups, depth, batches, miss)
    if batches == 1 and r["depth"] % QUAD == 0:
        yield (DENSE, None), DENSE_BYTES, _dense_cycles(groups, depth, miss)


# Cycles of the weights of a FULLY_CONNECTED that are used as they are.
def _dense_cycles(groups, depth, miss):
    return _cycles(BYTES, groups, depth, 1, miss) + round(_CONNECT * groups * GROUP * depth)


# The Choice of a record whose weights are indices of values, which is the only one.
def _indexed(record, miss):
    r = named_words(record, DENSE_LUT)
    own, count, eights = r["own_values"], r["output_channels"], -(-r["depth"] // 8)
    words = count * (4 + 4 * own + eights)
    tables = _PAIRS * (count * r["batches"] if own else 1)
    each = round((WIDEN + _CONNECT) * count * r["depth"])
    cycles = miss * words * fetches(words, r["batches"]) + r["batches"] * each + tables
    return Choice((BYTES, None), SCRATCH + 16 * eights, round(cycles))


# Cycles to go over the channels of a depthwise 3x3 filter, once for each band of rows.
def _channel_cycles(r, words, miss):
    channels, bands = r["output_channels"], r["batches"] * -(-r["output_height"] // r["band_rows"])
    cycles = round(miss * words * channels * fetches(words * channels, bands))
    return cycles + (_UNPACK * channels * bands if words == PACKED_WORDS else 0)


# Words of a channel as lanes: one set of weights, or for windows at even and at odd rows.
def _tap_words(r):
    return 4 + 6 * r["tap_words"]


def _depthwise(r, miss):
    size = r["band_rows"], 3, r["stride_height"], r["plane_columns"], r["padding_width"]
    words = _tap_words(r)
    yield (LANES, None), scratch_bytes(*size, False), _channel_cycles(r, words, miss)
    yield (BYTES, None), scratch_bytes(*size, True), _channel_cycles(r, PACKED_WORDS, miss)


_LAYOUTS = {
    f"{name}_{form}": layout
    for form in ("lanes", "mac16")
    for name, layout in (("conv", CONV), ("fully_connected", FULLY_CONNECTED))
}
_LAYOUTS["depthwise_conv_lanes"] = DEPTHWISE


def named_words(record, layout):
    """The words of a record by their names: `layout`, behind the units."""
    return dict(zip(("units", *layout), record.words, strict=False))


def fields_of(record):
    """The words of a record by their names, or None when it has no weights in lanes."""
    layout = _LAYOUTS.get(record.kernel.partition(".")[0])
    if layout is None or layout is DEPTHWISE and "3x3" not in record.kernel:
        return None
    r = named_words(record, layout)
    if layout is CONV:
        r["depth_lanes"] = r["column_lanes"] * r["window_columns"]
    return r


def choices_of(record, miss, byte=_BYTE):
    """Choices for a record with weights in lanes, from the cheapest to what needs least scratch.

    byte: cycles that a byte more of scratch saves at least. An empty list for other records, and
    where words of weights cost nothing.
    """
    if record.kernel == INDEXED and miss:
        return [_indexed(record, miss)]
    r = fields_of(record)
    if r is None or not miss:
        return []
    if "band_rows" in r:
        found = _depthwise(r, miss)
    else:
        is_flat = record.kernel.endswith("pixels_int8")
        found = _conv(r, is_flat, miss) if "block_pixels" in r else _fully_connected(r, miss)
        size = r["depth_lanes"]
        found = [each for each in found if group_bytes(each[0][0], size) <= MAX_GROUP_BYTES]
    choices = sorted((Choice(*each) for each in found), key=lambda c: (c.scratch, c.cycles))
    best = choices[:1]
    # Weights of FULLY_CONNECTED that become lanes can be streamed, those that are used as they are
    # cannot: these are for where there is no room for lanes.
    is_dense = best and best[0].stored[0] == DENSE and "batches" in r and "band_rows" not in r
    for choice in choices[1:]:
        if best[-1].cycles - choice.cycles > (
            0 if is_dense else byte * (choice.scratch - best[-1].scratch)
        ):
            best.append(choice)
    return best[::-1]


def blocks_of(record):
    """Choices for a CONV_2D whose words of weights cost nothing: pixels that are lanes at once.

    From the fastest to what needs least scratch; weights stay as they are stored.
    """
    r = fields_of(record)
    if r is None or "block_pixels" not in r:
        return []
    found = [Choice(*each) for each in _conv(r, record.kernel.endswith("pixels_int8"), 0)]
    way = r["weight_bytes"]
    found = [choice for choice in found if choice.stored[0] == way and choice.stored[1]]
    return sorted(found, key=lambda choice: choice.cycles)


def cost_of(record, stored, miss):
    """(bytes of scratch, cycles) of a record with choices, were its weights stored as in a Choice.

    The parts of an operator in bands store weights alike, and each has rows of its own.
    """
    if record.kernel == INDEXED:
        return _indexed(record, miss).scratch, _indexed(record, miss).cycles
    r, (way, lane_bytes) = fields_of(record), stored
    if "block_pixels" not in r:
        ways = _depthwise(r, miss) if "band_rows" in r else _fully_connected(r, miss)
        return next(each[1:] for each in ways if each[0] == stored)
    is_flat = record.kernel.endswith("pixels_int8")
    rows, pixels = (1 if is_flat else r["units"]), r["output_width"]
    column, depth = r["column_lanes"], r["depth_lanes"]
    step = 2 * column * r["pixel_columns"]
    block = block_pixels(rows, pixels, 2 * depth, step, lane_bytes)
    row = 2 * depth + (min(block, pixels) - 1) * step
    size = lane_scratch(max(1, block // pixels) * row, block, column) + group_bytes(way, depth)
    blocks = _blocks_of(rows, pixels, block)
    groups = -(-r["output_channels"] // GROUP)
    return size, _cycles(way, groups, depth, blocks, miss, _begin(r, is_flat))


# How many blocks of `block` pixels there are: of whole rows, or of parts of one.
def _blocks_of(rows, pixels, block):
    return -(-rows // (block // pixels)) if block >= pixels else rows * -(-pixels // block)


def words_of(record, stored=None):
    """Words of weights that a record goes over, as it is or were they stored as in a Choice."""
    if record.kernel.startswith("dense."):
        r = named_words(record, DENSE_LAYOUT)
        return _group_words(BYTES, r["units"], r["depth"])
    r = fields_of(record)
    if r is None:
        return 0
    way = stored[0] if stored else r.get("weight_bytes")
    if "band_rows" in r:
        each = {BYTES: PACKED_WORDS, LANES: _tap_words(r), None: r["channel_words"]}
        return each[way] * r["output_channels"]
    return _group_words(way, -(-r["output_channels"] // GROUP), r["depth_lanes"])


def part_cycles(record, count, rows, is_down, share, miss, room):
    """Cycles that the weights take at least for `count` of the `rows` that a record makes.

    is_down: these are rows of pictures, and not columns. share: of their words that are in the
    cache. room: bytes that scratch may have, where some way does with them. 0 where that is not
    known.
    """
    r = fields_of(record)
    if r is None or not miss:
        return 0
    if "block_pixels" not in r:
        fit = list(_depthwise(r | {"output_height": count}, miss) if "band_rows" in r else ())
    else:
        is_flat = record.kernel.endswith("pixels_int8")
        counted = "units" if is_down and not is_flat else "output_width"
        r[counted] = max(1, r[counted] * count // rows)
        ways = list(_conv(r, is_flat, miss))
        fit = [way for way in ways if way[1] <= room] or ways
    return min((c - share * miss * words_of(record, stored) for stored, _, c in fit), default=0)


def cycles_of(record, miss):
    """What fetching and unpacking the weights of a record takes, as it is."""
    if record.kernel.startswith("dense.") and miss:
        r = named_words(record, DENSE_LAYOUT)
        return _dense_cycles(r["units"], r["depth"], miss)
    if record.kernel == INDEXED and miss:
        return _indexed(record, miss).cycles
    r = fields_of(record)
    if r is None or not miss and "block_pixels" not in r:
        return 0
    if "band_rows" in r:
        return _channel_cycles(r, r["channel_words"], miss)
    blocks, begin = r.get("batches", 1), _BLOCK
    if "block_pixels" in r:
        is_flat = record.kernel.endswith("pixels_int8")
        rows, begin = (1 if is_flat else r["units"]), _begin(r, is_flat)
        blocks = _blocks_of(rows, r["output_width"], r["block_pixels"])
    groups = -(-r["output_channels"] // GROUP)
    return _cycles(r["weight_bytes"], groups, r["depth_lanes"], blocks, miss, begin)
