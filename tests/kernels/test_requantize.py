# Test of store_int8, which turns accumulators into int8, against exact arithmetic
# MIT license; Copyright (c) 2026 the tflm authors

import json
import random
import struct

from support.script import run_script

LOWEST, HIGHEST = -(1 << 31), (1 << 31) - 1

# Calls store_int8 for each line of a file, prints the outputs.
DEVICE = """
import binascii, json, sys
from tflm.kernels.requantize import store_int8
with open(sys.argv[1]) as file:
    for line in file:
        record, arena, channel, count = json.loads(line)
        arena = bytearray(bytes.fromhex(arena))
        store_int8(bytearray(bytes.fromhex(record)), arena, 1, 0, 4 * count, channel, count)
        print(binascii.hexlify(arena[4 * count :]).decode())
"""


# MultiplyByQuantizedMultiplier with its two roundings, in integers without limits; the left
# shift saturates.
def multiply(x, multiplier, shift):
    x = max(LOWEST, min(x << max(shift, 0), HIGHEST))
    high = (x * multiplier + (1 << 30)) >> 31
    if shift >= 0:
        return high
    half = 1 << (-shift - 1)
    return (high + half) >> -shift if high >= 0 else -((half - high) >> -shift)


# An accumulator: extreme, random, or with an output near the limits or on a tie.
def accumulator(source, multiplier, shift):
    kind = source.randrange(4)
    if kind == 0:
        return source.choice([LOWEST, LOWEST + 1, HIGHEST, HIGHEST - 1, 0, 1, -1])
    if kind == 1:
        return source.randint(LOWEST, HIGHEST)
    output = source.randint(-300, 300) + source.choice([0, 0.5])
    x = int(output * 2.0 ** (31 - shift) / multiplier) + source.randint(-1, 1)
    return max(LOWEST, min(x, HIGHEST))


# One call: (line for the device, expected outputs).
def make_call(source):
    channels = source.randint(1, 20)
    per_channel = source.randint(0, 1)
    table = [
        (
            source.choice([HIGHEST, 1 << 30, source.randint(1 << 30, HIGHEST)]),
            source.choice([source.randint(-31, 30), source.randint(-10, 2)]),
        )
        for _ in range(channels if per_channel else 1)
    ]
    table[0] = source.choice([table[0], (0, 0)])
    zero_point = source.randint(-128, 127)
    low = source.choice([-128, source.randint(-128, 127)])
    high = source.randint(low, 127)
    first, count = source.randrange(channels), source.randint(0, 60)
    values, wanted = [], []
    for i in range(count):
        multiplier, shift = table[(first + i) % channels * per_channel]
        values.append(accumulator(source, max(multiplier, 1), shift))
        output = multiply(values[-1], multiplier, shift) + zero_point
        wanted.append(max(low, min(output, high)))
    record = struct.pack("<I5i", 0, zero_point, low, high, per_channel, len(table))
    record += b"".join(struct.pack("<I", multiplier) for multiplier, _ in table)
    record += bytes(shift + 32 for _, shift in table)
    arena = struct.pack(f"<{count}i", *values) + bytes(count)
    return [record.hex(), arena.hex(), first, count], struct.pack(f"{count}b", *wanted).hex()


def test_store_int8(tmp_path):
    source = random.Random(1)
    calls = [make_call(source) for _ in range(800)]
    path = tmp_path / "calls"
    path.write_text("\n".join(json.dumps(line) for line, _ in calls))
    outputs = run_script(DEVICE, str(path)).split("\n")[:-1]
    assert len(outputs) == len(calls)
    for (line, wanted), output in zip(calls, outputs, strict=True):
        assert output == wanted, line
