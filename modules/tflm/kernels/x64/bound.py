# tflm: x86-64: helpers of the kernels whose records are rewritten when a model is prepared
# MIT license; Copyright (c) 2026 the tflm authors

CONSTANTS = 24  # bytes of fill_constants() for each channel
REACH = 1 << 16  # outputs before the clamp are within -REACH..REACH-1

# Words of a REQUANTIZE block.
_OUTPUT_ZERO_POINT = const(0)
_PER_CHANNEL = const(3)
_CHANNELS = const(4)
_TABLE = const(5)


# Replace steps by those that functions bind_NAME give. `binders` has them by the names of kernels:
# bind_NAME(function, record, rom, room) returns (function, record) for a step of eval_NAME, or a
# whole step with other units, or None. It may use `room` bytes of heap. A step whose units are
# below 0 stays, as its record changes between runs.
def replace_steps(program, binders, room):
    ops = iter(program.ops)
    for steps in program.graphs:
        for i, op in zip(range(len(steps)), ops):
            function, record, units, slice_units = steps[i]
            if units < 0 or op.kernel not in binders:
                continue
            try:
                step = binders[op.kernel](function, record, program.rom, room)
            except MemoryError:
                step = None
            if step:
                steps[i] = (step + (units, slice_units))[:4]
                room -= len(step[1])


_tables = {}  # (lowest, highest value): table of clamp_table(), for all records


# The words of a record.
def words_of(record):
    return [int.from_bytes(record[i : i + 4], "little") for i in range(0, len(record) - 3, 4)]


# Write words at the beginning of a record.
def put_words(record, words):
    for i, word in enumerate(words):
        record[4 * i : 4 * i + 4] = word.to_bytes(4, "little")


# The address of a buffer.
@micropython.viper
def address_of(buffer) -> int:
    return int(ptr8(buffer))


# A word as a signed number.
def signed(word):
    return word - (1 << 32) if word >> 31 else word


# The address of an operand that is a constant of the model, or None.
def constant_address(operand, rom):
    if operand == 1 or not operand & 1:
        return None
    return address_of(rom) + (operand >> 2)


# Return (record, offsets): a record of `words`, the offsets of blocks of `sizes` bytes, and these
# blocks. (None, offsets) if it takes more than `max_bytes`.
def new_record(words, sizes, max_bytes):
    at = 4 * (len(words) + len(sizes))
    offsets = []
    for size in sizes:
        at = at + 7 & (0 - 8)
        offsets.append(at)
        at += size
    if at > max_bytes:
        return None, offsets
    record = bytearray(at)
    put_words(record, words + offsets)
    return record, offsets


# The address of byte 0 of a table that clamps, in two words: byte v, from -REACH on, is the number
# of lowest..highest that is closest to v. None if all of these tables take more than `max_bytes`.
def clamp_table(lowest, highest, max_bytes):
    if (lowest, highest) not in _tables:
        if max_bytes < 2 * REACH * (len(_tables) + 1):
            return None
        table = bytearray(2 * REACH)
        _fill(table, REACH, signed(lowest), signed(highest))
        _tables[lowest, highest] = table
    address = address_of(_tables[lowest, highest]) + REACH
    return [address & 0xFFFFFFFF, address >> 32]


@micropython.viper
def _fill(table, reach: int, lowest: int, highest: int):
    p = ptr8(table)
    v = 0 - reach
    while v < reach:
        y = v
        if y < lowest:
            y = lowest
        if y > highest:
            y = highest
        p[0] = y
        p = ptr8(int(p) + 1)
        v += 1


# The largest sum of absolute weights of any channel. Channels are `pitch` bytes apart, the `count`
# weights of a channel `step` bytes.
@micropython.viper
def max_weight(weights: int, channels: int, pitch: int, count: int, step: int) -> int:
    most = 0
    while channels:
        w = ptr8(weights)
        total = 0
        k = count
        while k > 0:
            v = (w[0] ^ 0x80) - 0x80
            if v < 0:
                v = 0 - v
            total += v
            w = ptr8(int(w) + step)
            k -= 1
        if total > most:
            most = total
        weights += pitch
        channels -= 1
    return most


# A clamped output is one product, one sum, one shift and one look-up:
#   y = table[s * m + d >> shift]
# TFLM rounds twice, v = floor((acc * m + 2**30) / 2**31) and then v / 2**e with halves away from
# zero. For v >= 0 both are one floor, because the halves of floors add up. For v < 0 the second
# one rounds up a little less: 2**31 is subtracted if s * m + d is below `h`. That is not necessary
# if the clamp maps all negative outputs to the output's zero point.
#
# Writes the words (m, shift, d low, d high, h low, h high) of each channel. The accumulator is
#   acc = s - added - zero_point * (sum of the weights) + bias
# `block` is the address of the REQUANTIZE block, `bias` the address of the biases or 0. Returns 0
# if the numbers are too large: outputs before the clamp must be within -reach..reach. If an output
# is the same for all inputs, m becomes 0.
@micropython.viper
def fill_constants(
    out: int,
    weights: int,
    channels: int,
    pitch: int,
    count: int,
    step: int,
    bias: int,
    block: int,
    zero_point: int,
    added: int,
    reach: int,
) -> int:
    q = ptr32(block)
    multipliers = block + 4 * _TABLE
    shifts = multipliers + 4 * q[_CHANNELS]
    output_zero_point = q[_OUTPUT_ZERO_POINT] << 32 >> 32
    one = 1
    channel = 0
    while channel < channels:
        total = 0
        absolute = 0
        w = ptr8(weights)
        k = count
        while k:
            v = (w[0] ^ 0x80) - 0x80
            total += v
            if v < 0:
                v = 0 - v
            absolute += v
            w = ptr8(int(w) + step)
            k -= 1
        k = channel * q[_PER_CHANNEL]
        m = ptr32(multipliers)[k]
        e = 32 - ptr8(shifts)[k]
        start = 0
        if bias:
            start = ptr32(bias)[channel] << 32 >> 32
        bound = start
        if bound < 0:
            bound = 0 - bound
        bound += 255 * absolute
        if e < 0 or bound >> 31:
            return 0
        shift = 31 + e
        zero = output_zero_point
        d = 0 - (one << 62)
        h = d
        if not absolute or (e and (bound * m >> 31) + 2 < one << e - 1):
            # All inputs give the same output; the clamp ignores how far it exceeds the limits.
            v = 0
            if not absolute:
                v = start * m + (one << 30) >> 31
                if e:
                    v = v + (v >> 63) + (one << e - 1) >> e
                if v > 512:
                    v = 512
                if v < 0 - 512:
                    v = 0 - 512
            m = 0
            shift = 31
            d = zero + v << 31
        else:
            if shift > 54 or bound * m >> shift > reach - 300:
                return 0
            d = (start - added - zero_point * total) * m + (one << 30) + (zero << shift)
            if e:
                d += one << shift - 1
                h = (one << shift - 1) + (zero << shift)
        p = ptr32(out)
        p[0] = m
        p[1] = shift
        p[2] = d
        p[3] = d >> 32
        p[4] = h
        p[5] = h >> 32
        out += 24
        weights += pitch
        channel += 1
    return 1


# The initial values of the sums of multiply_pairs(), a word for each of `rows` rows of `depth`
# weights: bias (`bias` is the address of the biases or 0) - zero_point * (sum of the weights) -
# added.
@micropython.viper
def fill_starts(
    out: int, weights: int, rows: int, depth: int, bias: int, zero_point: int, added: int
):
    p = ptr32(out)
    w = ptr8(weights)
    while rows:
        total = 0
        n = depth
        while n:
            total += (w[0] ^ 0x80) - 0x80
            w = ptr8(int(w) + 1)
            n -= 1
        v = 0 - zero_point * total - added
        if bias:
            v += ptr32(bias)[0]
            bias += 4
        p[0] = v
        p = ptr32(int(p) + 4)
        rows -= 1
