# Parts of the int16 kernels for Xtensa with MAC16: sums of a window, outputs of all its channels
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.record import word_of
from .channels_float import operand

ARGUMENTS = "op", "arena", "rom", "start", "stop"
# Slots of the frame that begin(), set_channels() and the kernels write.
FRAME = (
    "record",
    "input",
    "weights",
    "bias",
    "output",
    "start",
    "stop",
    "source",  # address of the window's first input
    "window",  # address of the channel's first weight in the window
    "rows",  # of the window
    "taps",  # of a row
    "source_gap",  # bytes of the input from the end of a row to the next row
    "weight_gap",  # bytes of the weights from the end of a row to the next row
    "is_short",  # 1 if the accumulator holds the sum of the whole window
    "channels_left",
    "channel_bias",  # address, or 0
    "pair",  # address of the channel's multiplier and shift
    "pair_step",  # bytes from one pair to the next, or 0
    "to",  # address of the next output
)
# A product is 256 times TFLM's product: a weight is the upper byte of a halfword. The accumulator
# has 40 bits, so that this number of products of -128 * 256 and -32768 never overflows it.
_MOST = 504
X, W = "a2", "a3"  # addresses
_COUNT, _LEFT, _ROWS = "a4", "a6", "a5"
PAIR, EVEN, ODD = "a7", "a8", "a9"
_LOW, _HIGH = "a10", "a11"  # the sum
_SPARE, _MORE = "a12", "a13"
_TOP, MASK = "a14", "a15"  # 1 << 31, and the upper byte of both halfwords


def begin(t, layout):
    """Store the arguments and the operands; set the registers with constants."""
    record = "a2"
    t.store(record, "record")
    t.store("a5", "start")
    t.store("a6", "stop")
    for name in ("input", "weights", "bias", "output"):
        operand(t, layout, name, (record, "a3", "a4", "a7", "a8"))
    t.movi(_TOP, 1)
    t.slli(_TOP, _TOP, 31)
    t.lanes(MASK, 0xFF, "a7")
    t.slli(MASK, MASK, 8)
    t.l32i("a7", record, word_of(layout, "per_channel"))
    t.slli("a7", "a7", 3)
    t.store("a7", "pair_step")


def set_channels(t, layout, channels, first=None):
    """Begin with the channel in `first`, or with channel 0. a2 is the record.

    channels: register with the number of channels. Uses a7 and a8.
    """
    t.store(channels, "channels_left")
    t.addi("a7", "a2", 4 + 4 * len(layout))
    t.load("a8", "bias")
    if first:
        unbiased = t.new_label("unbiased")
        t.beqz("a8", unbiased)
        t.addx8("a8", first, "a8")
        t.label(unbiased)
        t.store("a8", "channel_bias")
        t.load("a8", "pair_step")
        t.mull("a8", "a8", first)
        t.add("a7", "a7", "a8")
    else:
        t.store("a8", "channel_bias")
    t.store("a7", "pair")


def set_rows(t, rows, taps):
    """Store the rows of the window and the taps of a row, which are registers.

    Overwrites rows. Uses a8 and a9.
    """
    t.moveqz(rows, taps, taps)
    t.store(rows, "rows")
    t.store(taps, "taps")
    t.mull("a8", rows, taps)
    t.movi("a9", _MOST + 1)
    t.quou("a8", "a8", "a9")
    t.movi("a9", 1)
    t.movi(rows, 0)
    t.movnez("a9", rows, "a8")
    t.store("a9", "is_short")


def outputs(t, layout, products, next_channel):
    """Compute the outputs of all channels of a window; the window has one channel at least.

    products(t, count): adds products of `count` taps (a register, overwritten) and moves X and W
    on. It may use PAIR, EVEN and ODD. next_channel(t): moves `window` and `source` on; may use
    a2 to a9.
    """
    channel = t.new_label("channel")
    t.label(channel)
    _sum(t, products)
    _requantize(t, layout)
    next_channel(t)
    t.load("a2", "channels_left")
    t.addi("a2", "a2", -1)
    t.store("a2", "channels_left")
    t.far_zero("bnez", "a2", channel)


# _HIGH:_LOW = the bias + the sum of products of the window.
def _sum(t, products):
    row, biased, long, done = map(t.new_label, ("row", "biased", "long", "rows_end"))
    t.load(_SPARE, "channel_bias")
    t.movi(_LOW, 0)
    t.movi(_HIGH, 0)
    t.clear_acc(_LOW)
    t.beqz(_SPARE, biased)
    t.l32i(_LOW, _SPARE)
    t.l32i(_HIGH, _SPARE, 4)
    t.addi(_SPARE, _SPARE, 8)
    t.store(_SPARE, "channel_bias")
    t.label(biased)
    t.load(_ROWS, "rows")
    t.load(_LEFT, "taps")
    t.load(X, "source")
    t.load(W, "window")
    t.far_zero("beqz", _ROWS, done)
    t.load(_COUNT, "is_short")
    t.far_zero("beqz", _COUNT, long)
    t.load(_SPARE, "source_gap")
    t.load(_MORE, "weight_gap")
    t.label(row)
    t.mov(_COUNT, _LEFT)
    products(t, _COUNT)
    t.addi(_ROWS, _ROWS, -1)
    t.add(X, X, _SPARE)
    t.add(W, W, _MORE)
    t.bnez(_ROWS, row)
    t.j(done)
    t.label(long)
    _long_rows(t, products)
    t.label(done)
    _flush(t)


# Sums of a window that the accumulator cannot hold: at most _MOST taps of a row at a time.
def _long_rows(t, products):
    row, piece = t.new_label("long_row"), t.new_label("piece")
    t.label(row)
    t.load(_LEFT, "taps")
    t.label(piece)
    t.movi(_COUNT, _MOST)
    t.min(_COUNT, _COUNT, _LEFT)
    t.sub(_LEFT, _LEFT, _COUNT)
    products(t, _COUNT)
    _flush(t)
    t.far_zero("bnez", _LEFT, piece)
    t.load(_SPARE, "source_gap")
    t.load(_MORE, "weight_gap")
    t.add(X, X, _SPARE)
    t.add(W, W, _MORE)
    t.addi(_ROWS, _ROWS, -1)
    t.far_zero("bnez", _ROWS, row)


# Add the accumulator to the sum, and clear it.
def _flush(t):
    added = t.new_label("added")
    t.rsr_acclo(_SPARE)
    t.rsr_acchi(_MORE)
    t.srli(_SPARE, _SPARE, 8)
    t.slli(_MORE, _MORE, 24)
    t.or_(_SPARE, _SPARE, _MORE)
    t.srai(_MORE, _SPARE, 31)
    t.add(_LOW, _LOW, _SPARE)
    t.add(_HIGH, _HIGH, _MORE)
    t.bgeu(_LOW, _SPARE, added)
    t.addi(_HIGH, _HIGH, 1)
    t.label(added)
    t.movi(_SPARE, 0)
    t.clear_acc(_SPARE)


# Multiply the sum, of which 48 bits count, by a factor of 15 bits, add a half and shift right, as
# kernels/rescale_wide.py does. Then add the zero point, limit and store. Uses a2 to a9.
def _requantize(t, layout):
    factor, shift, low, middle, high, half = "a2", "a3", "a4", "a5", "a6", "a7"
    small, shifted, carried = map(t.new_label, ("small", "shifted", "carried"))
    t.load("a8", "pair")
    t.load("a9", "pair_step")
    t.l32i(factor, "a8")
    t.l32i(shift, "a8", 4)
    t.add("a8", "a8", "a9")
    t.store("a8", "pair")
    t.slli(_HIGH, _HIGH, 16)
    t.srai(_HIGH, _HIGH, 16)
    t.extui(low, _LOW, 0, 16)
    t.extui(middle, _LOW, 16, 16)
    t.mull(low, low, factor)
    t.mull(middle, middle, factor)
    t.mull(high, _HIGH, factor)
    t.extui("a8", low, 16, 16)
    t.add(middle, middle, "a8")
    t.extui("a8", middle, 16, 16)
    t.add(high, high, "a8")
    # high:low = the product, without its lower 16 bits if they cannot change the result.
    t.movi("a8", 17)
    t.blt(shift, "a8", small)
    t.extui(low, middle, 0, 16)
    t.slli("a8", high, 16)
    t.srai(high, high, 16)
    t.addi(shift, shift, -16)
    t.j(shifted)
    t.label(small)
    t.extui(low, low, 0, 16)
    t.slli("a8", middle, 16)
    t.label(shifted)
    t.or_(low, low, "a8")
    t.movi("a8", 32)
    t.sub("a8", "a8", shift)
    t.ssr("a8")
    t.srl(half, _TOP)
    t.add(low, low, half)
    t.bgeu(low, half, carried)
    t.addi(high, high, 1)
    t.label(carried)
    t.load("a8", "record")
    t.ssr(shift)
    t.src(low, high, low)
    for register, name in ((middle, "output_zero_point"), (high, "activation_min"),
                           (half, "activation_max")):  # fmt: skip
        t.l32i(register, "a8", word_of(layout, name))
    t.add(low, low, middle)
    t.load("a8", "to")
    t.max(low, low, high)
    t.min(low, low, half)
    t.s16i(low, "a8", 0)
    t.addi("a8", "a8", 2)
    t.store("a8", "to")
