# tflm_tools: weight layouts: how packed weights of a layer can be stored, with scratch and cycles
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from functools import cache

from tflm.prepare.conv_lanes import CONV, FULLY_CONNECTED
from tflm.prepare.dense import DENSE as DENSE_RECORD
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

from ....image.dense_lut import DENSE_LUT, INDEXED, SCRATCH
from .flash_cache import fetches

# A layout is a pair: a constant of prepare.lanes (LANES, BYTES, DENSE), and how many bytes of
# inputs a CONV_2D unpacks to lanes at a time, or None. In all functions, `miss` are the cycles to
# fetch a word of weights that is not in the cache (flash_cache.py).

# Cycles of kernels/armv6m.
WIDEN_CYCLES = 3.1  # to make lanes of a weight that is stored as a byte
_DENSE_CYCLES = 0.6  # to use a DENSE weight, which is multiplied without lanes
_FULLY_CONNECTED_CYCLES = 0.4  # to use a BYTES weight of FULLY_CONNECTED, besides widening it
_PAIR_TABLE_CYCLES = 1160  # to make a table of all pairs of 16 values
_BLOCK_CYCLES = 1200  # to begin a block of windows
_RUN_CYCLES = 150  # to begin a block whose pixels are one run of words
_GROUP_CYCLES = 60  # to begin a group of four channels in a block
_UNPACK_CYCLES = 80  # to make lanes of a channel of a depthwise 3x3 filter

_DENSE_SCRATCH = 64
_MAX_BLOCK_MACS = 1_500_000  # some 35 ms of a Pico: Ctrl-C waits for the end of a block
# That a byte of scratch must save. With 1, arenas grow by up to 58.5 %.
MIN_CYCLES_PER_BYTE = 16
MIN_CYCLES_PER_FREE_BYTE = 1  # the same in an arena whose size is already fixed


@dataclass(frozen=True)
class LayoutCost:
    """A layout of a layer's weights, the bytes of scratch that it needs, and its cycles.

    cycles: to fetch and unpack the weights.
    """

    layout: tuple
    scratch: int
    cycles: int


# Yields (pixels of a block, number of blocks): some whole rows, or a part of a row.
def _blocks(rows, pixels):
    for block_rows in _equal_parts(rows):
        yield block_rows * pixels, -(-rows // block_rows)
    for block in _equal_parts(pixels)[1:]:
        yield block, rows * -(-pixels // block)


# The sizes, rounded up, of `count` things in equal parts.
@cache
def _equal_parts(count):
    return list(dict.fromkeys(-(-count // blocks) for blocks in range(1, count + 1)))


# Cycles to begin a block of a CONV_2D with the fields r.
def _block_cycles(r, is_flat):
    is_run = is_flat and r["is_whole"] and r["output_channels"] % GROUP == 0
    return _RUN_CYCLES if is_run else _BLOCK_CYCLES


# Words of `groups` groups of four channels, with the bias, multiplier and shift of each channel.
def _group_words(packing, groups, depth):
    return groups * (16 + depth * (2 if packing == LANES else 1))


# Cycles for the weights of `groups` groups of channels with `depth` elements in `blocks` blocks.
def _matrix_cycles(packing, groups, depth, blocks, miss, block_cycles=_BLOCK_CYCLES):
    words = _group_words(packing, groups, depth)
    cycles = miss * words * fetches(words, blocks)
    cycles += blocks * (block_cycles + groups * _GROUP_CYCLES)
    weight_cycles = {BYTES: WIDEN_CYCLES, DENSE: _DENSE_CYCLES}.get(packing, 0)
    cycles += blocks * weight_cycles * groups * GROUP * depth
    return round(cycles)


# Yields (layout, scratch, cycles) of a CONV_2D with the fields r. is_flat: its pixels are one row.
def _conv_layouts(r, is_flat, miss):
    rows, pixels = (1 if is_flat else r["units"]), r["output_width"]
    column, depth = r["column_lanes"], r["depth_lanes"]
    step = 2 * column * r["pixel_columns"]
    groups = -(-r["output_channels"] // GROUP)
    covers_input = rows == pixels == 1 and r["row_bytes"] * r["input_height"] == depth
    if covers_input:
        yield (DENSE, None), _DENSE_SCRATCH, _matrix_cycles(DENSE, groups, depth, 1, miss)
    for block, blocks in _blocks(rows, pixels):
        if block * depth * GROUP * groups > _MAX_BLOCK_MACS and block > 1:
            continue
        row = 2 * depth + (min(block, pixels) - 1) * step
        lane_bytes = row * max(1, block // pixels)
        for packing in (LANES, BYTES):
            scratch = lane_scratch(lane_bytes, block, column) + group_bytes(packing, depth)
            block_cycles = _block_cycles(r, is_flat)
            cycles = _matrix_cycles(packing, groups, depth, blocks, miss, block_cycles)
            yield (packing, lane_bytes), scratch, cycles


# Yields (layout, scratch, cycles) of a FULLY_CONNECTED with the fields r.
def _fully_connected_layouts(r, miss):
    depth, batches = r["depth_lanes"], r["batches"]
    groups = -(-r["output_channels"] // GROUP)
    for packing in (LANES, BYTES):
        scratch = lane_scratch(2 * depth, 1, depth) + group_bytes(packing, depth)
        yield (packing, None), scratch, _matrix_cycles(packing, groups, depth, batches, miss)
    if batches == 1 and r["depth"] % QUAD == 0:
        yield (DENSE, None), _DENSE_SCRATCH, _matrix_cycles(DENSE, groups, depth, 1, miss)


# The only LayoutCost of a record whose weights are indices of values.
def _indexed_layout(record, miss):
    r = named_words(record, DENSE_LUT)
    has_tables, channels, index_words = r["own_values"], r["output_channels"], -(-r["depth"] // 8)
    words = channels * (4 + 4 * has_tables + index_words)
    tables = _PAIR_TABLE_CYCLES * (channels * r["batches"] if has_tables else 1)
    weights = round((WIDEN_CYCLES + _FULLY_CONNECTED_CYCLES) * channels * r["depth"])
    cycles = miss * words * fetches(words, r["batches"]) + r["batches"] * weights + tables
    return LayoutCost((BYTES, None), SCRATCH + 16 * index_words, round(cycles))


# Cycles for the channels of a depthwise convolution, which are read once for each band of rows.
def _channel_cycles(r, words, miss):
    channels, bands = r["output_channels"], r["batches"] * -(-r["output_height"] // r["band_rows"])
    cycles = round(miss * words * channels * fetches(words * channels, bands))
    return cycles + (_UNPACK_CYCLES * channels * bands if words == PACKED_WORDS else 0)


# Words of a channel of a depthwise 3x3 filter as lanes.
def _lane_words(r):
    return 4 + 6 * r["tap_words"]


# Yields (layout, scratch, cycles) of a depthwise 3x3 convolution with the fields r.
def _depthwise_layouts(r, miss):
    size = r["band_rows"], 3, r["stride_height"], r["plane_columns"], r["padding_width"]
    words = _lane_words(r)
    yield (LANES, None), scratch_bytes(*size, False), _channel_cycles(r, words, miss)
    yield (BYTES, None), scratch_bytes(*size, True), _channel_cycles(r, PACKED_WORDS, miss)


# The names of the words of records with weights in lanes, by the kernel's file.
_RECORD_LAYOUTS = {
    f"{name}_{suffix}": names
    for suffix in ("lanes", "mac16")
    for name, names in (("conv", CONV), ("fully_connected", FULLY_CONNECTED))
}
_RECORD_LAYOUTS["depthwise_conv_lanes"] = DEPTHWISE


def named_words(record, names):
    """Return {name: word} of a record: its units, then `names`, a record layout of Prepare."""
    return dict(zip(("units", *names), record.words, strict=False))


def lane_fields(record):
    """Return {name: word} of a record with weights in lanes; None for other records."""
    names = _RECORD_LAYOUTS.get(record.kernel.partition(".")[0])
    if names is None or names is DEPTHWISE and "3x3" not in record.kernel:
        return None
    r = named_words(record, names)
    if names is CONV:
        r["depth_lanes"] = r["column_lanes"] * r["window_columns"]
    return r


# The kind of a record by its fields r: a depthwise convolution, a CONV_2D, or a FULLY_CONNECTED.
def _is_depthwise(r):
    return "band_rows" in r


def _is_conv(r):
    return "block_pixels" in r


def _is_flat(record):
    return record.kernel.endswith("pixels_int8")


# All (layout, scratch, cycles) of a record with the fields r.
def _all_layouts(record, r, miss):
    if _is_depthwise(r):
        return list(_depthwise_layouts(r, miss))
    is_conv = _is_conv(r)
    layouts = (
        _conv_layouts(r, _is_flat(record), miss) if is_conv else _fully_connected_layouts(r, miss)
    )
    return list(layouts)


def layouts_of(record, miss, min_cycles_per_byte):
    """Return the LayoutCosts that are worth considering, from the fastest to the smallest scratch.

    min_cycles_per_byte: cycles that a faster layout must save for each byte of scratch.
    The list is empty for records without weights in lanes, and if fetching weights costs nothing.
    """
    if record.kernel == INDEXED and miss:
        return [_indexed_layout(record, miss)]
    r = lane_fields(record)
    if r is None or not miss:
        return []
    layouts = _all_layouts(record, r, miss)
    if not _is_depthwise(r):
        depth = r["depth_lanes"]
        layouts = [each for each in layouts if group_bytes(each[0][0], depth) <= MAX_GROUP_BYTES]
    costs = sorted((LayoutCost(*each) for each in layouts), key=lambda c: (c.scratch, c.cycles))
    kept = costs[:1]
    # DENSE weights of FULLY_CONNECTED cannot be streamed, weights as lanes can. So DENSE is only
    # for a lack of scratch: any faster layout is kept.
    is_dense = kept and kept[0].layout[0] == DENSE and "batches" in r and not _is_depthwise(r)
    for cost in costs[1:]:
        required = 0 if is_dense else min_cycles_per_byte * (cost.scratch - kept[-1].scratch)
        if kept[-1].cycles - cost.cycles > required:
            kept.append(cost)
    return kept[::-1]


def block_layouts_of(record):
    """Return LayoutCosts of a CONV_2D if fetching weights costs nothing, fastest first.

    They differ in how many pixels are lanes at a time; weights stay as Prepare stores them.
    Returns an empty list for other records.
    """
    r = lane_fields(record)
    if r is None or not _is_conv(r):
        return []
    costs = [LayoutCost(*each) for each in _conv_layouts(r, _is_flat(record), 0)]
    packing = r["weight_bytes"]
    costs = [cost for cost in costs if cost.layout[0] == packing and cost.layout[1]]
    return sorted(costs, key=lambda cost: cost.cycles)


def cost_of_layout(record, layout, miss):
    """Return (bytes of scratch, cycles) of a record if its weights had a layout.

    record: perhaps of some rows of the operator that the layout was found for; all nodes of an
    operator in bands store their weights alike.
    """
    if record.kernel == INDEXED:
        cost = _indexed_layout(record, miss)
        return cost.scratch, cost.cycles
    r, (packing, lane_bytes) = lane_fields(record), layout
    if not _is_conv(r):
        return next(each[1:] for each in _all_layouts(record, r, miss) if each[0] == layout)
    is_flat = _is_flat(record)
    rows, pixels = (1 if is_flat else r["units"]), r["output_width"]
    column, depth = r["column_lanes"], r["depth_lanes"]
    step = 2 * column * r["pixel_columns"]
    block = block_pixels(rows, pixels, 2 * depth, step, lane_bytes)
    row = 2 * depth + (min(block, pixels) - 1) * step
    scratch = lane_scratch(max(1, block // pixels) * row, block, column)
    scratch += group_bytes(packing, depth)
    blocks = _block_count(rows, pixels, block)
    groups = -(-r["output_channels"] // GROUP)
    return scratch, _matrix_cycles(packing, groups, depth, blocks, miss, _block_cycles(r, is_flat))


# How many blocks of `block` pixels there are: of whole rows, or of parts of a row.
def _block_count(rows, pixels, block):
    return -(-rows // (block // pixels)) if block >= pixels else rows * -(-pixels // block)


def weight_words(record, layout=None):
    """Return the words of weights that a record reads, as it is or with a layout."""
    if record.kernel.startswith("dense."):
        r = named_words(record, DENSE_RECORD)
        return _group_words(BYTES, r["units"], r["depth"])
    r = lane_fields(record)
    if r is None:
        return 0
    packing = layout[0] if layout else r.get("weight_bytes")
    if _is_depthwise(r):
        words = {BYTES: PACKED_WORDS, LANES: _lane_words(r), None: r["channel_words"]}
        return words[packing] * r["output_channels"]
    return _group_words(packing, -(-r["output_channels"] // GROUP), r["depth_lanes"])


def weight_cycles(record, miss):
    """Return the cycles to fetch and unpack the weights of a record, as it is."""
    if record.kernel.startswith("dense.") and miss:
        r = named_words(record, DENSE_RECORD)
        return _matrix_cycles(DENSE, r["units"], r["depth"], 1, miss)
    if record.kernel == INDEXED and miss:
        return _indexed_layout(record, miss).cycles
    r = lane_fields(record)
    if r is None or not miss and not _is_conv(r):
        return 0
    if _is_depthwise(r):
        return _channel_cycles(r, r["channel_words"], miss)
    blocks, block_cycles = r.get("batches", 1), _BLOCK_CYCLES
    if _is_conv(r):
        is_flat = _is_flat(record)
        rows, block_cycles = (1 if is_flat else r["units"]), _block_cycles(r, is_flat)
        blocks = _block_count(rows, r["output_width"], r["block_pixels"])
    groups = -(-r["output_channels"] // GROUP)
    packing, depth = r["weight_bytes"], r["depth_lanes"]
    return _matrix_cycles(packing, groups, depth, blocks, miss, block_cycles)
