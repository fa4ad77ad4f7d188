# tflm_tools: scratch that parts of an operator need at least, before it is known how they run
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare import conv_dsp, depthwise_dsp
from tflm.prepare.depthwise_lanes import band_rows, scratch_bytes
from tflm.prepare.lanes import BYTES, LANES, group_bytes, lane_scratch

from .weights import DENSE_BYTES, fields_of, named_words

_SUM_BYTES = 4  # of the portable CONV_2D
# Kernels whose scratch does not depend on rows.
_SAME = ("add_table.eval_int8", "transpose_conv.eval_int8", "transpose_conv.eval_int16")


def least_scratch(record, scratch, rows, pixels, is_down):
    """Bytes of scratch that a part of a record needs, in bands of any height, stored in any way.

    record, scratch: of the whole operator, bytes of each buffer. rows, pixels: of the output that
    the part makes; is_down: these are rows of pictures, and not columns.
    """
    if record.kernel in _SAME:
        return sum(scratch)
    if "_dsp." in record.kernel:
        return _least_of_halfwords(record, rows, pixels, is_down)
    if record.kernel == "conv.eval_int8":  # two sums an output: at least one channel has them
        taps, sums = scratch
        return taps + min(sums, 2 * _SUM_BYTES * pixels)
    r = fields_of(record)
    if r is None:
        return 0
    if "band_rows" in r:
        size = 3, r["stride_height"], r["plane_columns"]
        planes = [band_rows(each, *size) or each for each in _from(rows, r)]
        return scratch_bytes(min(planes), *size, r["padding_width"], False) if is_down else 0
    if "block_pixels" not in r:
        return 0
    depth = r["depth_lanes"]
    group = min(group_bytes(way, depth) for way in (LANES, BYTES))
    least = lane_scratch(2 * depth, 1, r["column_lanes"]) + group
    return least if pixels > 1 else min(DENSE_BYTES, least)


# So many rows, and each number of more that a part may make: planes of more rows may be lower.
def _from(rows, fields):
    return range(rows, max(rows, fields["output_height"]) + 1)


# The same of a record for the DSP extension, which has but one way.
def _least_of_halfwords(record, rows, pixels, is_down):
    name, _, kernel = record.kernel.partition(".")
    if name == "conv_dsp":
        r = named_words(record, conv_dsp.CONV)
        across = r["output_width"] if is_down else rows
        return conv_dsp.blocks(r["window"], pixels if kernel == "eval_pixels_int8" else across)[1]
    if name != "depthwise_conv_dsp" or not is_down:
        return 0
    r = named_words(record, depthwise_dsp.WINDOW)
    height = r["filter_height"] if kernel == "eval_int8" else 3
    size = r["stride"], height, r["plane_columns"]
    planes = [depthwise_dsp.band_rows(each, *size) for each in _from(rows, r)]
    return depthwise_dsp.scratch_bytes(min(planes), *size, r["padding_width"])
