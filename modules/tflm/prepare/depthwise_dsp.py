# tflm: DEPTHWISE_CONV_2D for the DSP extension of ARMv7E-M: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from . import dsp
from .common import REQUANTIZE

# Each word of a channel's plane has two rows of a column of the image, as lanes have: one SMLAD
# multiplies the taps of two rows. Two rows of outputs, or one row with a stride of 2, read two
# rows of the plane. The planes of four channels alternate.
DEPTHWISE = (
    "input",
    "stream",
    "output",
    "scratch",
    "batches",
    "input_height",
    "input_width",
    "input_channels",
    "output_height",
    "output_width",
    "output_channels",
    "multiplier",
    "stride_height",
    "stride_width",
    "padding_height",
    "padding_width",
    "band_rows",  # rows of the output that are computed from one plane
    "plane_columns",
    "input_zero_point",
) + REQUANTIZE
# Layout of filters that are not 3x3.
WINDOW = DEPTHWISE[: -len(REQUANTIZE)] + ("filter_height", "filter_width") + REQUANTIZE

_SCRATCH_BYTES = 128  # at the start of the scratch buffer, for parameters or sums
_COLUMN = 16  # bytes of a column of four planes
_BEYOND = 32  # bytes that are read after the plane, for outputs that do not exist
_PLANE_BYTES = 2048  # at a time
_MAX_PLANE_BYTES = 8192  # if _PLANE_BYTES does not hold a single row
_SIDE = 3  # of a filter that has its own kernels
_MAX_WIDTH = 7  # of other filters
_MAX_ZEROS = 6  # cells of a dilated filter, which are computed, for a cell of the filter
_SPEED = 4  # a multiply-accumulate of this kernel is that much faster
_COPIED = DEPTHWISE[5:11] + DEPTHWISE[12:16] + REQUANTIZE


# Emit a DEPTHWISE_CONV_2D with the `fields` and `table` of depthwise_conv.py. Return False if it
# is not supported.
def emit_depthwise_conv(context, node, fields, table):
    source, target, count = node.input(0), node.output(0), fields["output_channels"]
    height, width = _dilated(fields, "height"), _dilated(fields, "width")
    stride, step = fields["stride_height"], fields["stride_width"]
    if not has_kernel(fields) or not dsp.packable(context, node) or not target.elements():
        return False
    columns = (fields["output_width"] - 1) * step + width
    band = band_rows(fields["output_height"], stride, height, columns)
    if band is None:
        return False
    sets = 0 if height == width == _SIDE else 3 - stride
    packed = context.packed(_packed, node, fields, table, sets)
    if packed is None:
        return False
    table, stream = packed
    kernel, own = "int8", {"filter_height": height, "filter_width": width}
    if not sets:
        kernel, own = "3x3_int8" if stride == 1 else "3x3_stride_2_int8", {}
    context.emit(
        "depthwise_conv_dsp.eval_planes_" + kernel,
        WINDOW if sets else DEPTHWISE,
        count,
        target.elements() * height * width // _SPEED,
        table=table,
        input=source,
        stream=context.constant(stream),
        output=target,
        scratch=context.request_scratch_buffer(
            scratch_bytes(band, stride, height, columns, fields["padding_width"])
        ),
        batches=target.shape[0],
        multiplier=count // fields["input_channels"],
        band_rows=band,
        plane_columns=columns,
        input_zero_point=source.zero_point(),
        **own,
        **{name: fields[name] for name in _COPIED},
    )
    return True


# Whether a kernel has these filters and strides.
def has_kernel(fields):
    width, cells = _dilated(fields, "width"), fields["filter_height"] * fields["filter_width"]
    if width > _MAX_WIDTH or width * _dilated(fields, "height") > _MAX_ZEROS * cells:
        return False
    return 0 < fields["stride_width"] <= fields["stride_height"] <= 2


# Return a side of the filter whose dilation is 1: zeros between the cells stand for its dilation.
def _dilated(fields, side):
    return (fields["filter_" + side] - 1) * fields["dilation_" + side] + 1


# Return the weights of a channel with these zeros.
def _with_zeros(row, fields):
    width, cells = _dilated(fields, "width"), fields["filter_width"]
    values = [0] * (width * _dilated(fields, "height"))
    for i, value in enumerate(row):
        y, x = i // cells * fields["dilation_height"], i % cells * fields["dilation_width"]
        values[y * width + x] = value
    return values


# Return (table, stream) of the weights, or None if a channel does not fit. `sets`: see
# _window_stream(); 0 for 3x3 filters.
def _packed(context, node, fields, table, sets):
    values, count = dsp.int8_values(node.input(1)), fields["output_channels"]
    rows = [_with_zeros(values[channel::count], fields) for channel in range(count)]
    table = bytearray(table)
    zero_point = node.input(0).zero_point()
    found = dsp.channels(rows, node.optional_input(2), zero_point, fields, table)
    if found is None:
        return None
    if not sets:
        return table, b"".join([_stream(channel) for channel in found])
    width = _dilated(fields, "width")
    return table, b"".join([_window_stream(channel, width, sets) for channel in found])


# Return the bytes of scratch for the plane of a band.
def scratch_bytes(band, stride, height, columns, padding_width):
    plane = _COLUMN * (columns * _pair_rows(band, stride, height) + padding_width)
    return _SCRATCH_BYTES + plane + _BEYOND


# Return the rows of the plane under `rows` rows of windows.
def _pair_rows(rows, stride, height):
    return ((rows - 1) * stride + height + 1) // 2


# Return the number of rows of the output to compute from one plane, in bands of about equal size,
# an even number, or None if not even two rows fit.
def band_rows(rows, stride, height, columns):
    plane_row = _COLUMN * columns
    most = 2
    if plane_row * _pair_rows(most, stride, height) > _MAX_PLANE_BYTES:
        return None
    while most < rows and plane_row * _pair_rows(most + 2, stride, height) <= _PLANE_BYTES:
        most += 2
    bands = (rows + most - 1) // most
    return dsp.padded((rows + bands - 1) // bands, 2)


# Return the stream of one channel of a 3x3 filter: how its sums become outputs; bias; for each
# column of the filter its rows (0, 1) and (1, 2); (multiplier, right shift | power of 2 of the
# factor << 8) or (p, d << 8 | q), see dsp.stream().
def _stream(channel):
    kind = dsp.FOLDED if channel.folded else dsp.TWICE
    bias, row = channel.scaled(kind)
    values = [kind, bias]
    for x in range(_SIDE):
        top, middle, bottom = row[x::_SIDE]
        values += [dsp.halves(top, middle), dsp.halves(middle, bottom)]
    return dsp.words(values + channel.tail(kind))


# Return the stream of one channel of a filter of another size; the two words for the outputs
# precede the weights. For each row of the plane under the windows of two rows of outputs, and for
# each column of the filter, there is a word for the first of these rows of outputs and one for the
# second, whose windows begin one row of the image later. With a stride of 2 (`sets` is 1) there is
# only the word for one row.
def _window_stream(channel, width, sets):
    kind = dsp.FOLDED if channel.folded else dsp.TWICE
    bias, row = channel.scaled(kind)
    pairs = (len(row) // width + sets) // 2
    row = [0] * width + list(row) + [0] * (2 * width)
    values = [kind, bias] + channel.tail(kind)
    for top in range(width, (2 * pairs + 1) * width, 2 * width):
        for x in range(top, top + width):
            values.append(dsp.halves(row[x], row[x + width]))
            if sets == 2:
                values.append(dsp.halves(row[x - width], row[x]))
    return dsp.words(values)
