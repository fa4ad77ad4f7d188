# tflm: CONV_2D and FULLY_CONNECTED for the DSP extension of ARMv7E-M: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from . import dsp
from .common import REQUANTIZE

# The windows of two pixels at a time are unpacked to words of halfwords in the scratch buffer. The
# window of a pixel has a run of bytes in each of filter_height rows of the image.
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
    "pixel_step",  # bytes of the image from one window to the next
    "run",  # bytes of a window in one row
    "window",  # of a window, rounded up to whole words of the stream
    "block_pixels",  # that fit the scratch buffer: an even number
    "input_zero_point",
) + REQUANTIZE

FULLY_CONNECTED = (
    "input",
    "stream",
    "output",
    "scratch",
    "depth",
    "depth_words",  # words of halfwords, rounded up to whole passes of the kernel
    "batches",
    "output_channels",
) + REQUANTIZE

_SCRATCH_BYTES = 128  # at the start of the scratch buffer, for parameters or sums
_LANE_BYTES = 2048  # of inputs, unpacked at a time
_MAX_LANE_BYTES = 8192  # if _LANE_BYTES does not hold two pixels
_FEW_LANE_BYTES = 512  # for FULLY_CONNECTED
_MIN_PIXELS = 4  # batches of a FULLY_CONNECTED that is computed as pixels
_PASS = 8  # elements of inputs that FULLY_CONNECTED multiplies in one pass
_SPEED = 8  # a multiply-accumulate of this kernel is that much faster


# Emit a CONV_2D with the `fields` and `table` of conv.py. Return False if it is not supported.
def emit_conv(context, node, fields, table):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    _, height, width, depth = weights.shape
    if not dsp.packable(context, node) or not target.elements() or not weights.elements():
        return False
    if depth != fields["input_channels"] or (fields["dilation_width"] > 1 and width > 1):
        return False
    window = dsp.padded(height * width * depth)
    if 4 * window > _MAX_LANE_BYTES:
        return False
    packed = context.packed(_packed, node, fields, table, height * width * depth, window, True)
    if packed is None:
        return False
    table, stream = packed
    geometry = {
        "row_bytes": fields["input_width"] * depth,
        "padding_bytes": fields["padding_width"] * depth,
        "pixel_step": fields["stride_width"] * depth,
        "run": width * depth,
    }
    names = ("input_height", "output_height", "output_width", "output_channels")
    for name in names + ("stride_height", "dilation_height", "padding_height"):
        geometry[name] = fields[name]
    rows, pixels = target.shape[0] * target.shape[1], target.shape[2]
    flat = _is_flat(fields, height, width)
    if flat:
        rows, pixels = 1, rows * pixels
        geometry["row_bytes"] = source.elements()
        geometry.update({"input_height": 1, "output_height": 1, "output_width": pixels})
    block, size = blocks(window, pixels)
    context.emit(
        "conv_dsp.eval_pixels_int8" if flat else "conv_dsp.eval_int8",
        CONV,
        pixels if flat else rows,
        target.elements() * height * width * depth // _SPEED,
        table=table,
        input=source,
        stream=context.constant(stream),
        output=target,
        scratch=context.request_scratch_buffer(size),
        filter_height=height,
        window=window,
        block_pixels=block,
        input_zero_point=source.zero_point(),
        **geometry,
        **_requantize(fields),
    )
    return True


# Return (pixels that are unpacked at a time, bytes of scratch) for a row of `pixels` pixels.
def blocks(window, pixels, lane_bytes=_LANE_BYTES):
    block = 2 * max(1, min((pixels + 1) // 2, lane_bytes // (4 * window)))
    return block, _SCRATCH_BYTES + 2 * window * block + max(2 * window, dsp.GROUP * block)


# Emit a FULLY_CONNECTED with the `fields` and `table` of fully_connected.py. Return False if it is
# not supported.
def emit_fully_connected(context, node, fields, table):
    source, target = node.input(0), node.output(0)
    depth, batches = fields["depth"], fields["batches"]
    if not dsp.packable(context, node) or not target.elements() or not depth:
        return False
    if batches >= _MIN_PIXELS and 4 * dsp.padded(depth) <= _MAX_LANE_BYTES:
        if _emit_pixels(context, node, fields, table):
            return True
    size = dsp.padded(depth, _PASS)
    packed = context.packed(_packed, node, fields, table, depth, size, False)
    if packed is None:
        return False
    table, stream = packed
    context.emit(
        "fully_connected_dsp.eval_int8",
        FULLY_CONNECTED,
        (fields["output_channels"] + dsp.GROUP - 1) // dsp.GROUP,
        target.elements() * depth // _SPEED,
        table=table,
        input=source,
        stream=context.constant(stream),
        output=target,
        scratch=context.request_scratch_buffer(_SCRATCH_BYTES + size),
        depth=depth,
        depth_words=size // 2,
        batches=fields["batches"],
        output_channels=fields["output_channels"],
        **_requantize(fields),
    )
    return True


# Emit a FULLY_CONNECTED of many rows as a CONV_2D of pixels: it reads weights once for two rows.
def _emit_pixels(context, node, fields, table):
    source, target = node.input(0), node.output(0)
    depth, batches = fields["depth"], fields["batches"]
    window = dsp.padded(depth)
    packed = context.packed(_packed, node, fields, table, depth, window, True)
    if packed is None:
        return False
    table, stream = packed
    block, size = blocks(window, batches, _FEW_LANE_BYTES)
    context.emit(
        "conv_dsp.eval_pixels_int8",
        CONV,
        batches,
        target.elements() * depth // _SPEED,
        table=table,
        input=source,
        stream=context.constant(stream),
        output=target,
        scratch=context.request_scratch_buffer(size),
        input_height=1,
        row_bytes=source.elements(),
        output_height=1,
        output_width=batches,
        output_channels=fields["output_channels"],
        filter_height=1,
        stride_height=1,
        dilation_height=1,
        padding_height=0,
        padding_bytes=0,
        pixel_step=depth,
        run=depth,
        window=window,
        block_pixels=block,
        input_zero_point=source.zero_point(),
        **_requantize(fields),
    )
    return True


# Return (table, stream) of output channels whose `depth` weights are contiguous in the tensor and
# are padded to `size`, or None if one does not fit.
def _packed(context, node, fields, table, depth, size, folds):
    count = fields["output_channels"]
    table = bytearray(table)
    values = dsp.int8_values(node.input(1))
    filler = (0,) * (size - depth)
    rows = [values[depth * i : depth * i + depth] + filler for i in range(count)]
    zero_point = node.input(0).zero_point()
    found = dsp.channels(rows, node.optional_input(2), zero_point, fields, table, folds)
    return None if found is None else (table, dsp.stream(found))


# Whether the output's pixels are the input's pixels, which then form one long row.
def _is_flat(fields, height, width):
    return (
        height == width == 1
        and fields["stride_height"] == fields["stride_width"] == 1
        and fields["padding_height"] == fields["padding_width"] == 0
        and fields["input_height"] == fields["output_height"]
        and fields["input_width"] == fields["output_width"]
    )


# Select the fields of common.REQUANTIZE.
def _requantize(fields):
    return {name: fields[name] for name in REQUANTIZE}
