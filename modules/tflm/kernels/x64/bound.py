# tflm: x86-64: replaces steps of a model when it is prepared, and helpers for that
# MIT license; Copyright (c) 2026 the tflm authors

# Replace steps by those that functions bind_NAME return. `binders` has these by names of kernels:
# bind_NAME(function, record, rom, max_bytes) returns (function, record) for a step of eval_NAME,
# or a step with other units, or None. It may use `max_bytes` of heap. A step whose units are below
# 0 stays, because its record changes between runs.
def replace_steps(program, binders, max_bytes):
    ops = iter(program.ops)
    for steps in program.graphs:
        for i, op in zip(range(len(steps)), ops):
            function, record, units, slice_units = steps[i]
            if units < 0 or op.kernel not in binders:
                continue
            try:
                step = binders[op.kernel](function, record, program.rom, max_bytes)
            except MemoryError:
                step = None
            if step:
                steps[i] = (step + (units, slice_units))[:4]
                max_bytes -= 0 if step[1] is record else len(step[1])


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
