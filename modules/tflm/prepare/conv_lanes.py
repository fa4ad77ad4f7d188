# tflm: CONV_2D and FULLY_CONNECTED with weights in lanes: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from . import lanes
from .common import LIMITS

# Inputs are unpacked by columns, runs of bytes in filter_height rows of the image. A column is as
# wide as the image's own columns (C channels), and windows share columns. If C is not a multiple
# of 4, or the window is one pixel wide, a column is as wide as the window.
CONV = (
    "input",
    "stream",
    "output",
    "scratch",
    "input_height",
    "row_bytes",  # of the image
    "output_height",
    "output_width",
    "output_channels",
    "filter_height",
    "stride_height",
    "dilation_height",
    "padding_height",
    "padding_bytes",  # at the left
    "column_step",  # bytes of the image from one column to the next
    "run",  # bytes of a column in one row
    "column_lanes",  # elements of a column in all rows, rounded up to whole words
    "is_whole",  # 1: runs are whole words, either inside the image or outside of it
    "window_columns",
    "pixel_columns",  # from one window to the next
    "block_pixels",  # that fit the scratch buffer
    "input_zero_point",
    "weight_bytes",
    "output_step",  # bytes from one pixel to the next: a core may compute a part of the channels
) + LIMITS

_SPEED = 3  # a multiply-accumulate of this kernel is that much faster

FULLY_CONNECTED = (
    "input",
    "stream",
    "output",
    "scratch",
    "depth",
    "depth_lanes",  # rounded up to whole words
    "batches",
    "output_channels",
    "weight_bytes",
) + LIMITS


# Emit a CONV_2D with the `fields` and `table` of conv.py. Return False if it is not supported.
def emit_conv(context, node, fields, table):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    _, height, width, depth = weights.shape
    if not lanes.packable(context, node) or not target.elements() or not weights.elements():
        return False
    if depth != fields["input_channels"] or fields["dilation_width"] > 1:
        return False
    if context.packing.get(node.index) == lanes.DENSE and covers_input(fields):
        from .dense import emit_dense

        if emit_dense(context, node, fields, table, height * width * depth):
            return True
    geometry = _geometry(fields, height, width, depth)
    column = 2 * geometry["column_lanes"]
    flat = is_flat(fields, height, width)
    rows = target.shape[0] * target.shape[1]
    pixels = target.shape[2]
    if flat:
        geometry["row_bytes"] = source.elements()
        rows, pixels = 1, rows * pixels
    first, step = column * geometry["window_columns"], column * geometry["pixel_columns"]
    most = context.lane_bytes.get(node.index)
    block = lanes.block_pixels(rows, pixels, first, step, most)
    stored = lanes.weight_bytes(
        context, node, geometry["column_lanes"] * geometry["window_columns"]
    )
    if block is None or stored is None:
        return False
    window = _window(geometry)
    packed = context.packed(_packed, node, fields, table, weights.shape, window, stored[0])
    if packed is None:
        return False
    file, stream = packed
    block_rows = max(1, block // pixels)
    row = first + (min(block, pixels) - 1) * step
    size = lanes.lane_scratch(block_rows * row, block, geometry["column_lanes"]) + stored[1]
    for name in ("input_height", "output_height", "output_width", "output_channels"):
        geometry[name] = fields[name]
    for name in ("stride_height", "dilation_height", "padding_height"):
        geometry[name] = fields[name]
    if flat:
        geometry.update({"input_height": 1, "output_height": 1, "output_width": pixels})
    context.emit(
        "conv_%s.eval%s_int8" % (file, "_pixels" if flat else ""),
        CONV,
        pixels if flat else rows,
        target.elements() * height * width * depth // _SPEED,
        at_once=block if flat else block_rows,
        input=source,
        stream=context.constant(stream),
        output=target,
        scratch=context.request_scratch_buffer(size),
        filter_height=height,
        block_pixels=block,
        input_zero_point=source.zero_point(),
        weight_bytes=stored[0],
        output_step=fields["output_channels"],
        **geometry,
        **_limits(fields),
    )
    return True


# Emit a FULLY_CONNECTED with the `fields` and `table` of fully_connected.py. Return False if it is
# not supported.
def emit_fully_connected(context, node, fields, table):
    source, target = node.input(0), node.output(0)
    depth, count = fields["depth"], fields["output_channels"]
    if not lanes.packable(context, node) or not target.elements() or not depth:
        return False
    size = lanes.padded(depth)
    stored = lanes.weight_bytes(context, node, size)
    wanted = context.packing.get(node.index) == lanes.DENSE
    if wanted or lanes.block_pixels(1, 1, 2 * size, 2 * size) is None or stored is None:
        from .dense import emit_dense

        return emit_dense(context, node, fields, table, depth)
    geometry = {"run": depth, "window_columns": 1, "column_lanes": size}
    shape, window = (count, 1, 1, depth), _window(geometry)
    packed = context.packed(_packed, node, fields, table, shape, window, stored[0])
    if packed is None:
        return False
    file, stream = packed
    context.emit(
        "fully_connected_%s.eval_int8" % file,
        FULLY_CONNECTED,
        (count + lanes.GROUP - 1) // lanes.GROUP,
        target.elements() * depth // _SPEED,
        input=source,
        stream=context.constant(stream),
        output=target,
        scratch=context.request_scratch_buffer(lanes.lane_scratch(2 * size, 1, size) + stored[1]),
        depth=depth,
        depth_lanes=size,
        batches=fields["batches"],
        output_channels=count,
        weight_bytes=stored[0],
        **_limits(fields),
    )
    return True


# Whether the only window of a convolution is its whole input.
def covers_input(fields):
    return all(
        [
            fields["filter_" + side] == fields["input_" + side]
            and not fields["padding_" + side]
            and fields["output_" + side] == fields["dilation_" + side] == 1
            for side in ("height", "width")
        ]
    )


# Whether the output's pixels are the input's pixels, which then form one long row.
def is_flat(fields, height, width):
    return (
        height == width == 1
        and fields["stride_height"] == fields["stride_width"] == 1
        and fields["padding_height"] == fields["padding_width"] == 0
        and fields["input_height"] == fields["output_height"]
        and fields["input_width"] == fields["output_width"]
    )


# How the input is cut into columns.
def _geometry(fields, height, width, depth):
    stride = fields["stride_width"]
    is_whole = depth % lanes.QUAD == 0
    run, columns, step = depth * width, 1, 1
    column_step = stride * depth
    if is_whole and width > 1:
        run, columns, step = depth, width, stride
        column_step = depth
    return {
        "row_bytes": fields["input_width"] * depth,
        "padding_bytes": fields["padding_width"] * depth,
        "column_step": column_step,
        "run": run,
        "column_lanes": lanes.padded(height * run),
        "is_whole": 1 if is_whole else 0,
        "window_columns": columns,
        "pixel_columns": step,
    }


# Return what the packing of weights depends on: (lanes of a run, columns, lanes of a column).
def _window(geometry):
    return geometry["run"], geometry["window_columns"], geometry["column_lanes"]


# The weights of each channel in the order of the lanes: by column, row, element.
def rows_of(values, shape, run, columns, lanes_of_column):
    channels, height, width, depth = shape
    line = width * depth
    filler = (0,) * (lanes_of_column - height * run)
    rows = []
    for channel in range(channels):
        row = ()
        for column in range(columns):
            for y in range(height):
                at = (channel * height + y) * line + column * run
                row += values[at : at + run]
            row += filler
        rows.append(row)
    return rows


# Return (prefix of the kernels' files, stream) of weights in a packing, or None if they do not
# fit.
def _packed(context, node, fields, table, shape, window, packing):
    rows = rows_of(lanes.int8_values(node.input(1)), shape, *window)
    if context.target_packing == "mac16" or context.target_packing == "pie":
        from . import mac16

        found = mac16.fitting(rows, node, fields, table, packing)
        return ("mac16", mac16.stream(found, packing)) if found else None
    zero_point = node.input(0).zero_point()
    channels = lanes.Channels(rows, node.optional_input(2), zero_point, fields, table)
    if not channels.fits:
        return None
    return "lanes", lanes.stream(rows, channels, packing)


# Select the fields of common.LIMITS; multipliers are in the stream.
def _limits(fields):
    return {name: fields[name] for name in LIMITS}
