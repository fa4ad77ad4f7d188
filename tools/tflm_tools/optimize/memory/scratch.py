# tflm_tools: scratch that parts of an operator need at least, before it is known how they run
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.depthwise_lanes import band_rows, scratch_bytes
from tflm.prepare.lanes import BYTES, LANES, group_bytes, lane_scratch

from .weights import DENSE_BYTES, fields_of

_SAME = ("add_table.eval_int8",)  # kernels whose scratch does not depend on rows


def least_scratch(record, scratch, rows, pixels, is_down):
    """Bytes of scratch that a part of a record needs, in bands of any height, stored in any way.

    record, scratch: of the whole operator, bytes of each buffer. rows, pixels: of the output that
    the part makes; is_down: these are rows of pictures, and not columns.
    """
    if record.kernel in _SAME:
        return sum(scratch)
    r = fields_of(record)
    if r is None:
        return 0
    if "band_rows" in r:
        size = 3, r["stride_height"], r["plane_columns"]
        highest = max(rows, r["output_height"])
        planes = [band_rows(each, *size) or each for each in range(rows, highest + 1)]
        return scratch_bytes(min(planes), *size, r["padding_width"], False) if is_down else 0
    if "block_pixels" not in r:
        return 0
    depth = r["depth_lanes"]
    group = min(group_bytes(way, depth) for way in (LANES, BYTES))
    least = lane_scratch(2 * depth, 1, r["column_lanes"]) + group
    return least if pixels > 1 else min(DENSE_BYTES, least)
