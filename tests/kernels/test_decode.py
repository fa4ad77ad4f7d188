# Tests of TFLM_DECODE against TFLM: tables of values, pruning masks, Huffman codes
# MIT license; Copyright (c) 2026 the tflm authors

import heapq
import struct

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator

cases = Cases()
LUT, HUFFMAN, PRUNE = 0, 1, 2


# Return bits as bytes, the first bit in the highest place.
def packed(bits):
    return np.packbits(np.array(bits, np.uint8))


# Return the ancillary tensor: header, then values.
def ancillary(kind, values, *parameters, version=1):
    header = bytes([kind, 1, 0, 0, version, *parameters])
    return np.frombuffer(header.ljust(16, b"\0") + values, np.uint8)


# A model of one TFLM_DECODE; `tensors` are (compressed bytes, ancillary, type, shape,
# quantization) of the outputs. The model's input goes through a RELU.
def decode(*tensors):
    model = ModelBuilder("TFLM_DECODE")
    x = model.tensor((1,), "float32")
    y = model.tensor((1,), "float32")
    model.operator("RELU", [x], [y])
    inputs, outputs = [], []
    for data, extra, dtype, shape, quantization in tensors:
        inputs.append(model.tensor((len(data),), "uint8", data))
        inputs.append(model.tensor((len(extra),), "uint8", extra))
        outputs.append(model.tensor(shape, dtype, **quantization))
    model.custom("TFLM_DECODE", inputs, outputs)
    model.io([x], [*outputs, y])
    return model.build()


def add(name, *tensors, **keywords):
    keywords = {"inputs": [[[1.0]]], "slices": (1, 3, 257), **keywords}
    cases.add(name, decode(*tensors), **keywords)


def channels(count, axis, zero_points=0):
    scales = np.linspace(0.1, 1, count)
    return {"scale": scales, "zero_point": zero_points, "quantized_dimension": axis}


# Random indices, and a table with `entries` values for each channel; floats are small integers.
def lut(name, dtype, shape, bits, entries, quantization=None, count=1, used=None):
    random = generator(name)
    indices = random.integers(0, used or entries, shape)
    spread = [index >> bit & 1 for index in indices.reshape(-1) for bit in range(bits - 1, -1, -1)]
    low, high = (0, 2) if dtype == "bool" else (-100, 100)
    values = random.integers(low, high, entries * count).astype(dtype)
    extra = ancillary(LUT, values.tobytes(), bits, entries)
    return packed(spread), extra, dtype, shape, quantization or {}


for dtype in ("bool", "float32", "int8", "int16", "int32", "int64"):
    for bits in range(1, 8):
        name = f"lut {dtype} {bits}"
        add(name, lut(name, dtype, (7, 43), bits, 1 << bits))
    for bits in (2, 4, 7):
        name = f"lut {dtype} {bits} channels"
        table = {"entries": 1 << bits, "count": 5}
        first = lut(name, dtype, (5, 3, 9), bits, quantization=channels(5, 0), **table)
        last = lut(name, dtype, (3, 9, 5), bits, quantization=channels(5, 2), **table)
        add(name, first, last)
        name = f"lut {dtype} {bits} short table"
        add(name, lut(name, dtype, (4, 17), bits, (1 << bits) - 1, channels(4, 0), 4))
add("lut 1 channel", lut("one", "int8", (3, 4), 3, 8, {"scale": 0.5, "zero_point": 3}))
add("lut rank 1", lut("rank 1", "int8", (5,), 2, 4, channels(5, 0), 5))
middle = lut("middle", "int8", (2, 5, 3), 2, 4, channels(5, 1), 5)
add("lut middle axis", middle, error="channel axis")
data, extra, *rest = lut("error", "int8", (64,), 3, 8)
add("lut short", (data[:-1], extra, *rest), error="too short")
# TFLM reads beyond the table.
few = lut("few", "int8", (5, 9), 3, 8, channels(5, 0), 4)
add("lut table for fewer channels", few, error="too short for its channels")
add("lut 0 bits", (data, ancillary(LUT, b"", 0, 8), *rest), error="0 bits")
add("lut version", (data, ancillary(LUT, b"", 3, 8, version=2), *rest), error="version")
add("header", (data, extra[:15], *rest), error="no header")
add("custom", (data, ancillary(127, b""), *rest), error="type 127")


# A random mask and values for its bits.
def prune(name, dtype, shape, density, quantization=None):
    random = generator(name)
    mask = random.uniform(0, 1, int(np.prod(shape))) < density
    low, high = (0, 2) if dtype == "bool" else (-100, 100)
    values = random.integers(low, high, mask.sum()).astype(dtype)
    return packed(mask), ancillary(PRUNE, values.tobytes()), dtype, shape, quantization or {}


for dtype in ("bool", "float32", "int8", "int16", "int32", "int64"):
    for density in (0.0, 0.4, 1.0):
        name = f"prune {dtype} {density}"
        add(name, prune(name, dtype, (13, 47), density))
    name = f"prune {dtype} channels"
    add(name, prune(name, dtype, (5, 3, 9), 0.4, channels(5, 0)))
for shape, axis in [((5, 3, 9), 0), ((3, 9, 5), 2)]:
    name = f"prune zero points {axis}"
    points = [-128, 127, 0, 5, -3]
    add(name, prune(name, "int8", shape, 0.4, channels(5, axis, points)))
add("prune zero point", prune("one", "int8", (9, 9), 0.4, {"scale": 0.5, "zero_point": -7}))
data, extra, *rest = prune("error", "int16", (64,), 0.5, {"scale": 0.5, "zero_point": 1})
add("prune int16 zero point", (data, extra, *rest), error="zero point")
data, extra, *rest = prune("error", "int16", (64,), 0.5)
add("prune short", (data, extra[:-1], *rest), error="too short")
add("prune short mask", (data[:-1], extra, *rest), error="too short")


# Return a Huffman code for values: {value: bits as text}.
def huffman_code(values):
    symbols, counts = np.unique(values, return_counts=True)
    heap = [
        (int(n), i, {int(s): ""}) for i, (s, n) in enumerate(zip(symbols, counts, strict=True))
    ]
    heapq.heapify(heap)
    serial = len(heap)
    while len(heap) > 1:
        n, _, zero = heapq.heappop(heap)
        m, _, one = heapq.heappop(heap)
        joined = {s: "0" + c for s, c in zero.items()} | {s: "1" + c for s, c in one.items()}
        serial += 1
        heapq.heappush(heap, (n + m, serial, joined))
    return heap[0][2]


# Return the tables for a code, of `first` bits and then of up to `more` bits, as a list of
# entries.
def huffman_tables(code, first, more, value_bits):
    table = [0] * (1 << first)
    waiting = [(0, first, code)]
    while waiting:
        start, bits, codes = waiting.pop()
        longer = {}
        for symbol, text in codes.items():
            if len(text) > bits:
                longer.setdefault(text[:bits], {})[symbol] = text[bits:]
                continue
            for rest in range(1 << (bits - len(text))):
                index = int(text.ljust(bits, "0") or "0", 2) + rest
                value = symbol & ((1 << value_bits) - 1)
                table[start + index] = 1 << (value_bits + 4) | len(text) << value_bits | value
        for text, codes in longer.items():
            width = min(more, max(len(rest) for rest in codes.values()))
            entry = start + int(text, 2)
            table[entry] = (width - 1) << value_bits | (len(table) - entry)
            waiting.append((len(table), width, codes))
            table += [0] * (1 << width)
    return table


# Huffman-coded values; `wide` tables have entries of 32 bits.
def huffman(name, dtype, shape, wide, first, more, spread):
    random = generator(name)
    values = np.round(random.laplace(0, spread, int(np.prod(shape)))).astype(int)
    values = np.clip(values, -120, 120) if dtype == "int8" else values
    code = huffman_code(values)
    tables = huffman_tables(code, first, more, 27 if wide else 11)
    text = "".join(code[int(value)] for value in values)
    data = np.append(packed([int(bit) for bit in text]), np.zeros(8, np.uint8))
    raw = struct.pack(f"<{len(tables)}{'I' if wide else 'H'}", *tables)
    extra = ancillary(HUFFMAN, raw, (first - 1) << 4 | (1 if wide else 0))
    return data, extra, dtype, shape, {}


for dtype, wide in [("int8", False), ("int8", True), ("int16", True)]:
    for first, more, spread in [(1, 1, 3), (3, 2, 5), (5, 4, 20), (8, 8, 30), (4, 15, 9)]:
        name = f"huffman {dtype} {wide} {first} {more}"
        if dtype == "int16":
            spread *= 3
        add(name, huffman(name, dtype, (9, 61), wide, first, more, spread))
data, extra, *rest = huffman("error", "int16", (64,), True, 3, 3, 5)
narrow = ancillary(HUFFMAN, bytes(64), 2 << 4)
add("huffman int16 narrow", (data, narrow, *rest), error="tables of 16 bits")
add("huffman short table", (data, extra[:40], *rest), error="too short")
loop = ancillary(HUFFMAN, struct.pack("<2H", 0, 0x7800), 0)
nothing = [[[0] * 40, [1.0]]]
bad = (packed([1, 0] * 20), loop, "int8", (40,), {})
add("huffman without values", bad, expected=nothing)
bad = (packed([1, 1] * 20), ancillary(HUFFMAN, b"\xff\x07\xff\x07", 0), "int8", (40,), {})
add("huffman that leads outside", bad, expected=nothing)

two = [lut("two", "int8", (3, 5), 3, 8), prune("two", "int16", (70,), 0.3)]
add("two outputs", *two, huffman("two", "int8", (33,), False, 4, 4, 5))


# A FULLY_CONNECTED or CONV_2D with decoded weights.
def consumer(name, shape, count):
    model = ModelBuilder(name)
    data, extra, dtype, *_ = lut(name, "int8", shape, 4, 16, count=count)
    inputs = [model.tensor((len(values),), "uint8", values) for values in (data, extra)]
    quantization = channels(count, 0) if count > 1 else {"scale": 0.1, "zero_point": 0}
    weights = model.tensor(shape, dtype, **quantization)
    bias = model.tensor((6,), "int32", range(6), scale=0.01, zero_point=0)
    model.custom("TFLM_DECODE", inputs, [weights])
    image = len(shape) == 4
    x = model.tensor((1, 3, 3, 16) if image else (2, 16), "int8", scale=0.1, zero_point=3)
    y = model.tensor((1, 3, 3, 6) if image else (2, 6), "int8", scale=2.0, zero_point=-1)
    options = {"padding": "SAME", "stride_h": 1, "stride_w": 1} if image else {}
    model.operator(name, [x, weights, bias], [y], **options)
    model.io([x], [y])
    return model.build()


cases.add("FULLY_CONNECTED", consumer("FULLY_CONNECTED", (6, 16), 1))
cases.add("CONV_2D", consumer("CONV_2D", (6, 1, 1, 16), 6))


@cases.parametrize
def test_decode(case):
    case.check()
