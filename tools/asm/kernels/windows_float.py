# Kernel of CONV_2D and FULLY_CONNECTED, float32 without an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import CONV
from tflm.prepare.convolution import WINDOWS
from tflm.prepare.fully_connected_float import LAYOUT

from ..language.float_lists import ENTRY, ListSum, end_list, find_infinite
from ..language.floats import Limits
from ..language.kernel import Kernel
from ..language.macros import ABSENT, Record
from ..language.windows import each_window

_ABOUT = """
Outputs of CONV_2D or FULLY_CONNECTED: products of a window and a filter, in order. op: CONV of
prepare/conv_float.py. outputs: first output << 10 | number of outputs; its complement if the
record is LAYOUT of prepare/fully_connected_float.py. Returns the number of outputs that are done;
the next one has numbers that this function does not multiply, such as infinite ones.
"""

_ENTRIES = 64  # of a list, besides the last entry
_SUMS = 16  # that are kept for the next list of a window


class _List:
    """Unpacks a window to lists.

    has_more: 1 if the list is full, and the window may have more inputs; otherwise the bias is the
    weight of its last input, which is 1.0. bias: address of the offset of the bias, or 0.
    has_zeros: not 0 if an input is not in the list. first_weight, weight: offsets of the first
    weight of the list and of the one after the last.
    """

    def __init__(self, k, sum_, window, has_bias):
        self.k, self._sum, self._window, self._has_bias = k, sum_, window, has_bias
        self.address = k.reserve(ENTRY * (_ENTRIES + 2))
        self.bias = k.reg("offset_of_bias")
        self._cursor, self._run_end, self._rows_left = k.vars("cursor run_end rows_left")
        self.weight, self.first_weight = k.vars("weight first_weight")
        self.has_more, self.has_zeros = k.vars("has_more has_zeros")

    def begin(self, rows):
        """Begin the window, which has `rows` rows."""
        self._cursor.set(self._window.input)
        self._run_end.set(self._cursor + self._window.span)
        self._rows_left.set(rows)
        self.weight.set(0)

    def build(self, bad):
        """Unpack inputs until the list is full; go to `bad` for an input beyond the bounds."""
        k, window = self.k, self._window
        cursor, run_end = k.var("input", self._cursor), k.var("end_of_run", self._run_end)
        offset = k.var("offset", self.weight)
        names = ("value", "zero", "run_end", "full", "bias", "built", "next_value")
        value, zero, end_of_run, full, bias, built, next_value = map(k.new_label, names)
        for flag in (self.has_more, self.has_zeros, self.bias):
            flag.set(0)
        self.first_weight.set(offset)
        to = k.var("entry", self.address())
        last = k.var("last_entry", to + ENTRY * _ENTRIES)
        k.branch(cursor == run_end, end_of_run)
        with k.weighted(32):
            k.label(value)
            self._sum.add_entry(to, cursor, offset, zero, bad)
            k.branch(to == last, full)
            k.label(next_value)
            k.branch(cursor != run_end, value)
        k.label(end_of_run)
        self._rows_left -= 1
        k.branch(self._rows_left == 0, bias)
        offset += window.weight_gap
        cursor += window.gap
        run_end.set(cursor + window.span)
        k.goto(value)
        with k.weighted(8):
            k.label(zero)
            self.has_zeros.set(cursor)
            offset += 4
            k.goto(next_value)
        k.label(full)
        self.has_more.set(1)
        k.goto(built)
        k.label(bias)
        k.branch(self._has_bias == 0, built)
        self.bias.set(self._sum.add_one(to))
        k.label(built)
        end_list(k, to)
        for state, value in (
            (self._cursor, cursor),
            (self._run_end, run_end),
            (self.weight, offset),
        ):
            state.set(value)


# 1. For each pixel: find the cells of the filter in the image. FULLY_CONNECTED is a convolution of
#    an image of one pixel.
# 2. For some channels of the pixel: unpack the window to a list of at most _ENTRIES inputs.
# 3. For each channel: sum up the products of the list and the filter.
# 4. If the window has more inputs, keep the sums of up to _SUMS channels, and go on with step 2.
# 5. Clamp and store the outputs. The bias is the weight of the last input of a list, which is 1.0.
class _Windows:
    def __init__(self, machine):
        self.k = k = Kernel("windows", _ABOUT, ("op", "arena", "rom", "outputs"), machine)
        op, arena, rom, outputs = k.arguments
        is_connected = k.var("is_connected", outputs >> 31)
        outputs ^= is_connected
        first, self.count = k.var("first", outputs.lsr(10)), k.var("count", outputs.field(0, 10))
        self.left, self.bail = k.var("left", self.count), k.new_label("bail")
        operands = Record(k, op, CONV)  # the operands of both layouts
        self.operands = (
            operands.operand("input", arena, rom),
            operands.operand("weights", arena, rom),
        )
        self.bias = operands.operand("bias", arena, rom)
        with k.If(operands.bias == ABSENT):
            self.bias.set(0)
        self.to = k.var("to", operands.operand("output", arena, rom) + (first << 2))
        self.kept = k.reserve(8 * _SUMS)
        self.r = r = Record(k, self._record(op, is_connected), CONV)
        self.channels = r.output_channels
        self.pixel = k.reg("pixel")
        k.emit("divu", [self.pixel], [first, self.channels])
        self.channel = k.var("channel", first - self.pixel * self.channels)
        self.limits = Limits(k, r)
        self.cell_bytes = k.var("cell_bytes", r.input_channels << 2)
        area = r.filter_height * r.filter_width
        self.filter_bytes = k.var("filter_bytes", area * self.cell_bytes)
        k.branch(self.filter_bytes == 0, self.bail)
        self.is_finite = k.var("is_finite", 0)  # 1: the weights of all outputs are finite
        self.sum = ListSum(k, self.bail)

    # Return the address of the record of a convolution, for both operators.
    def _record(self, op, is_connected):
        k, dense = self.k, Record(self.k, op, LAYOUT)
        record, words = k.var("record", op), k.reserve(4 * (1 + len(CONV)))
        with k.If(is_connected != 0):
            record.set(words())
            one, zero = k.const(1), k.const(0)
            values = {
                "input_channels": dense.depth,
                "output_channels": dense.channels,
                "padding_height": zero,
                "padding_width": zero,
                "activation_min": dense.activation_min,
                "activation_max": dense.activation_max,
            }
            for name in (*WINDOWS, "activation_min", "activation_max"):
                record[4 * (1 + CONV.index(name))] = values.get(name, one)
        return record

    def kernel(self):
        k = self.k
        each_window(k, self.r, self.pixel, self.operands, 2, self.cell_bytes, self._pixel)
        k.label(self.bail)
        return k.finish(self.count - self.left)

    def _pixel(self, window, _batch):
        k = self.k
        left = k.var("channels_left", self.channels - self.channel)
        filter_ = k.var("filter", window.filter + self.channel * self.filter_bytes)
        self.next_bias = k.var("next_bias", self.bias)
        with k.If(self.bias != 0):
            self.next_bias += self.channel << 2
        self.channel.set(0)
        rows = k.var("rows", window.rows)
        with k.If(window.area == 0):
            rows.set(1)
            window.span.set(0)
        self.list = _List(k, self.sum, window, self.bias)
        with k.loop("block", 1) as loop:
            block = k.var("block", left.min(self.left))
            self.list.begin(rows)
            self._block(block, filter_)
            k.branch(self.left == 0, self.bail)
            left -= block
            loop.repeat_if(left != 0)

    # The channels of a block, whose number becomes less if the window does not fit a list.
    def _block(self, block, filter_):
        k, inputs = self.k, self.list
        is_later = k.var("is_later", 0)  # 1: sums have begun
        with k.loop("inputs", 1) as loop:
            inputs.build(self.bail)
            checks_row = self._check_weights()
            with k.If(inputs.has_more != 0):
                block.set(block.min(_SUMS))
            is_special = k.var("is_special", is_later | checks_row)
            row, kept = k.var("row", filter_), k.var("kept", self.kept())
            left = k.var("block_left", block)
            with k.loop("channel", 8) as channel:
                with k.If(inputs.bias != 0):
                    inputs.bias[0] = self.next_bias - row
                    self.next_bias += 4
                with k.If(is_special != 0, rare=True):
                    self._begin_special(row, kept, is_later, checks_row)
                self._channel(row, kept)
                row += self.filter_bytes
                kept += 8
                left -= 1
                channel.repeat_if(left != 0)
            is_later.set(1)
            loop.repeat_if(inputs.has_more != 0)
        filter_.set(row)

    # End the function at `bail` if the window has inputs that are 0, and a weight of an output
    # that is left is not finite: their product is NaN. If few outputs share a weight, each output
    # checks its weights just before their use, so that they are fetched only once from flash.
    # Return a register that is not 0 then.
    def _check_weights(self):
        k, checked = self.k, self.k.new_label("checked")
        checks_row = k.var("checks_row", 0)
        k.branch(self.list.has_zeros == 0, checked)
        k.branch(self.is_finite != 0, checked)
        checks_row.set(1)
        k.branch(self.left.below(self.channels << 1), checked)
        checks_row.set(0)
        first = k.var("first_weight", self.operands[1])
        end = k.var("end_of_weights", first + self.channels * self.filter_bytes)
        find_infinite(k, first, end, self.bail)
        self.is_finite.set(1)
        k.label(checked)
        return checks_row

    # Begin a sum whose weights of the list are checked, or that continues the sum that was kept.
    def _begin_special(self, row, kept, is_later, checks_row):
        k, s, inputs = self.k, self.sum, self.list
        with k.If(checks_row != 0):
            first = k.var("first_weight", row + inputs.first_weight)
            find_infinite(k, first, row + inputs.weight, self.bail)
        self._begin(row)
        s.clear()
        with k.If(is_later != 0):
            kept.get("w", 0, s.total)
            s.field.set(kept[4])
        k.goto(s.next)

    def _begin(self, row):
        self.sum.weights.set(row)
        self.sum.list.set(self.list.address())

    # The sum of a channel: store the output, or keep the sum for the next list.
    def _channel(self, row, kept):
        k, s = self.k, self.sum
        finish, next_channel = map(k.new_label, ("finish", "next_channel"))
        self._begin(row)
        k.goto(s.first)
        s.loop()
        k.label(s.end)
        k.branch(self.list.has_more == 0, finish)
        kept[0] = s.total
        kept[4] = s.field
        k.goto(next_channel)
        k.label(finish)
        bits = s.result()
        self.limits.apply(bits)
        self.to.put_next(bits)
        self.left -= 1
        k.label(next_channel)


def windows_kernel(machine):
    """Return the Kernel of windows() for a Machine."""
    return _Windows(machine).kernel()
