# tflm: DEPTHWISE_CONV_2D whose window is a line of pixels, with packed weights: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from . import lanes

# The taps of a window are `tap_step` bytes apart, the windows `pixel_step`. The stream has for
# each channel its bias, its multiplier, a byte for each weight in the order of the taps, and after
# these the right shift in one byte.
COLUMN = (
    "input",
    "stream",
    "output",
    "scratch",
    "output_channels",
    "taps",
    "tap_step",
    "pixels",
    "pixel_step",
    "channel_bytes",
    "output_zero_point",
    "activation_min",
    "activation_max",
)

_PARAMETER_BYTES = 64
_LIMITS = COLUMN[10:]


# Emit a DEPTHWISE_CONV_2D with the `fields` and `table` of depthwise_conv.py. Return False if it
# is not supported. `source.step`, on the host: bytes from one pixel of the input to the next.
def emit_depthwise_conv(context, node, fields, table):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    count = fields["output_channels"]
    line = _line(fields, source.step or count)
    if line is None or source.shape[0] != 1 or not target.elements():
        return False
    if not lanes.packable(context, node) or fields["input_channels"] != count:
        return False
    values = lanes.int8_values(weights)
    rows = [values[channel::count] for channel in range(count)]
    zero_point = source.zero_point()
    channels = lanes.Channels(rows, node.optional_input(2), zero_point, fields, table)
    if not channels.fits:
        return False
    stream = b"".join([_channel(channels, i, rows[i]) for i in range(count)])
    context.emit(
        "depthwise_column.eval_int8",
        COLUMN,
        count,
        target.elements() * line["taps"],
        input=source,
        stream=context.constant(stream),
        output=target,
        scratch=context.request_scratch_buffer(_PARAMETER_BYTES),
        output_channels=count,
        channel_bytes=len(stream) // count,
        **line,
        **{name: fields[name] for name in _LIMITS},
    )
    return True


# Return taps, tap_step, pixels and pixel_step if all windows are inside the image and along one
# line, else None. `step`: bytes from one pixel to the next.
def _line(fields, step):
    taps, sides, pixels = 1, [], 1
    row = step * fields["input_width"]
    for side, bytes_apart in (("height", row), ("width", step)):
        out, window = fields["output_" + side], fields["filter_" + side]
        stride, dilation = fields["stride_" + side], fields["dilation_" + side]
        last = (out - 1) * stride + (window - 1) * dilation
        if fields["padding_" + side] or last >= fields["input_" + side]:
            return None
        sides.append((out, stride * bytes_apart, window, dilation * bytes_apart))
        taps *= window
        pixels *= out
    (high, down, tall, tap_down), (wide, right, broad, tap_right) = sides
    if high > 1 and wide > 1 or taps == 9 and tall == 3:  # other kernels support these
        return None
    if tall > 1 and broad > 1 and tap_down != broad * tap_right:
        return None
    return {
        "taps": taps,
        "tap_step": tap_right if broad > 1 else tap_down,
        "pixels": pixels,
        "pixel_step": right if wide > 1 else down,
    }


# Return the stream of one channel as whole words.
def _channel(channels, index, row):
    low, high, shift = channels.multipliers[index]
    size = len(row)
    filler = (0 - size - 1) & 3
    return struct.pack(
        "<iI%dbB%dx" % (size, filler), channels.biases[index], low | high << 16, *row, shift
    )
