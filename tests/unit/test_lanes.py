# Tests of int8 as lanes in the kernel language, by the interpreter
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from types import SimpleNamespace

import pytest
from support.inputs import generator
from tflm.prepare import lanes

from tools.asm.kernels import lanes_gather, lanes_multiply, pie_gather, pie_plane
from tools.asm.kernels.parameters import GATHER, MULTIPLY, PIE_DEPTHWISE
from tools.asm.language.interpreter import InterpretedMachine, Memory, run
from tools.asm.language.machines import MACHINES

_MACHINES = "armv6m", "rv32imc", "xtensawin"
_RUNS = 40
_ARENA, _MEMORY = 0x10000, 0x80000
_BLOCK, _LANES, _SPARE, _OUTPUT, _GROUP = (0x2000 * i for i in range(1, 6))
_SOURCE = 0  # an offset that is not a mark


# Run a function with parameters; addresses among them are offsets in the arena or in the memory.
def _run(kernel, layout, parameters, operands):
    words = dict.fromkeys(layout, 0) | parameters
    block = bytearray(struct.pack(f"<{len(layout)}I", *[w & 0xFFFFFFFF for w in words.values()]))
    memory = Memory({"parameters": (_ARENA + _BLOCK, block, True)} | operands)
    run(kernel, memory, _ARENA, _BLOCK, _MEMORY)


# The words of int8: pairs of elements 0 and 2, then 1 and 3, of each word of bytes.
def _quads(values, added=0):
    words = []
    for i in range(0, len(values), 4):
        a, b, c, d = (value + added for value in values[i : i + 4])
        words += [a + (c << 16), b + (d << 16)]
    return struct.pack(f"<{len(words)}I", *[word & 0xFFFFFFFF for word in words])


def _int8(random, count):
    return random.integers(-127, 128, count).tolist()


def _int8_bytes(random, count):
    return struct.pack(f"{count}b", *_int8(random, count))


# Columns of an image. Runs of words are inside the image or outside of it.
def _columns(random, is_bytes):
    height, rows, columns = (int(random.integers(1, 5)) for _ in range(3))
    run_bytes = int(random.integers(1, 12)) if is_bytes else 4 * int(random.integers(1, 6))
    row_bytes = run_bytes * int(random.integers(1, 4))
    step, first = run_bytes, run_bytes * int(random.integers(-2, 3))
    if is_bytes:
        row_bytes, step = int(random.integers(1, 30)), int(random.integers(1, 8))
        first = int(random.integers(-12, 20))
    inside = min(int(random.integers(0, 4)), height)
    y = int(random.integers(0, height - inside + 1))
    above, below = (int(random.integers(0, 3)) for _ in range(2))
    total = (above + inside + below) * run_bytes
    if not total:
        above, total = 1, run_bytes
    zero_point = int(random.integers(-128, 128))
    return SimpleNamespace(
        image=_int8(random, height * row_bytes),
        zero_point=zero_point,
        words={
            "source": y * row_bytes + first, "lanes": _LANES, "columns": columns,
            "column_step": step, "run": run_bytes, "row_step": row_bytes, "rows_above": above,
            "rows": inside, "rows_below": below, "at": first, "last": row_bytes - run_bytes,
            "fill": zero_point + (zero_point << 16), "row_bytes": row_bytes,
            "column_bytes": total + 3 & -4, "spare": _SPARE,
        },
    )  # fmt: skip


# Yield the bytes of each column.
def _expected(case):
    w = SimpleNamespace(**case.words)
    for column in range(w.columns):
        values = [case.zero_point] * (w.rows_above * w.run)
        for row in range(w.rows):
            for i in range(w.run):
                x = w.at + column * w.column_step + i
                byte = w.source + row * w.row_step + column * w.column_step + i
                values.append(case.image[byte] if 0 <= x < w.row_bytes else case.zero_point)
        yield values + [case.zero_point] * (w.rows_below * w.run)


@pytest.mark.parametrize("is_flipped", [False, True])
@pytest.mark.parametrize("is_bytes", [False, True])
@pytest.mark.parametrize("name", _MACHINES)
def test_columns_become_lanes(name, is_bytes, is_flipped):
    write = lanes_gather.gather_bytes_kernel if is_bytes else lanes_gather.gather_kernel
    kernel = write(InterpretedMachine(MACHINES[name]), is_flipped)
    random = generator(f"gather {name} {is_bytes}")
    for _ in range(_RUNS):
        case = _columns(random, is_bytes)
        size, columns = case.words["column_bytes"], case.words["columns"]
        found, spare = bytearray(2 * size * columns), bytearray(size)
        image = struct.pack(f"{len(case.image)}b", *case.image)
        operands = {
            "image": (_MEMORY, image, False),
            "lanes": (_ARENA + _LANES, found, True),
            "spare": (_ARENA + _SPARE, spare, True),
        }
        _run(kernel, GATHER, case.words, operands)
        added = 128 if is_flipped else 0
        for i, values in enumerate(_expected(case)):
            whole = len(values) & -4
            wanted = _quads(values[:whole], added)
            assert found[2 * size * i : 2 * size * i + 2 * whole] == wanted
        if is_bytes:  # the bytes of the last column
            assert list(memoryview(spare).cast("b")[: len(values)]) == values


@pytest.mark.parametrize("is_bytes", [False, True])
def test_columns_become_vectors(is_bytes):
    write = pie_gather.gather_bytes_kernel if is_bytes else pie_gather.gather_kernel
    kernel = write(InterpretedMachine(MACHINES["xtensawin"]))
    random = generator(f"vectors {is_bytes}")
    for _ in range(_RUNS):
        case = _columns(random, is_bytes)
        size, columns = case.words["column_bytes"], case.words["columns"]
        found, image = bytearray(size * columns), struct.pack(f"{len(case.image)}b", *case.image)
        case.words["fill"] = (case.zero_point & 255) * 0x1010101
        operands = {"image": (_MEMORY, image, False), "lanes": (_ARENA + _LANES, found, True)}
        _run(kernel, GATHER, case.words, operands)
        for i, values in enumerate(_expected(case)):
            assert list(memoryview(found).cast("b")[size * i :][: len(values)]) == values


# A row of the plane: for each 16 channels zero points, a vector of each column, zero points.
def test_rows_become_vectors():
    kernel = pie_plane.load_row_kernel(InterpretedMachine(MACHINES["xtensawin"]))
    random = generator("rows of vectors")
    for _ in range(_RUNS):
        left, columns, right, moved, source = (int(x) for x in random.integers(0, [3, 5, 3, 4, 9]))
        channels = int(random.integers(1, 10)) << int(random.integers(0, 5))
        source <<= int(random.integers(0, 5))
        zero_point, step = int(random.integers(-128, 128)), 16 * (left + columns + right)
        image, row = _int8(random, columns * channels), 16 * moved + 32
        plane = bytearray(_int8_bytes(random, row + step * (channels + 15 >> 4)))
        wanted = plane[:]
        wanted[: 16 * moved] = plane[32 : 32 + 16 * moved]
        vector = struct.pack("b", zero_point) * 16
        for first in range(0, channels, 16):
            at = row + step * (first >> 4)
            wanted[at : at + 16 * left] = vector * left
            for column in range(columns):
                begin = at + 16 * (left + column)
                values = image[column * channels :][first : min(first + 16, channels)]
                wanted[begin : begin + len(values)] = struct.pack(f"{len(values)}b", *values)
            if columns:
                wanted[at + step - 16 * right : at + step] = vector * right
        words = {
            "row": _LANES + row, "source": source, "left": left, "columns": columns,
            "right": right, "channels": channels, "block_step": step,
            "fill": (zero_point & 255) * 0x1010101, "plane": _LANES, "moved_from": _LANES + 32,
            "moved_bytes": 16 * moved,
        }  # fmt: skip
        operands = {
            "image": (_MEMORY + source, struct.pack(f"{len(image)}b", *image), False),
            "plane": (_ARENA + _LANES, plane, True),
            "zero points": (_ARENA + _BLOCK + pie_plane.FILL, bytearray(16), True),
        }
        _run(kernel, PIE_DEPTHWISE, words, operands)
        assert plane == wanted


# MultiplyByQuantizedMultiplier of TFLM for right shifts, with double rounding.
def _output(total, multiplier, words):
    low, high, shift = multiplier
    value = total * (low + (high << 16)) + (1 << 30) >> 31
    if shift:
        value = (value - (value < 0) >> shift - 1) + 1 >> 1
    value += words["output_zero_point"]
    return max(words["activation_min"], min(words["activation_max"], value))


def _multiplier(random):
    value = int(random.integers(1 << 30, 1 << 31))
    return value & 0xFFFF, value >> 16, int(random.integers(0, 3)) * int(random.integers(0, 10))


@pytest.mark.parametrize("packing", [lanes.LANES, lanes.BYTES])
@pytest.mark.parametrize("name", _MACHINES)
def test_groups_of_channels(name, packing):
    kernel = lanes_multiply.multiply_kernel(InterpretedMachine(MACHINES[name]))
    random = generator(f"multiply {name} {packing}")
    for i in range(_RUNS):
        groups, rows = (int(random.integers(1, 3)) for _ in range(2))
        pixels = int(random.integers(1, 5))
        depth = 4 * int(random.integers(1, 12) if i else 37)
        if packing == lanes.BYTES:
            depth = depth + 7 & -8
        weights = [_int8(random, depth) for _ in range(4 * groups)]
        channels = SimpleNamespace(
            biases=random.integers(-(1 << 20), 1 << 20, 4 * groups).tolist(),
            multipliers=[_multiplier(random) for _ in weights],
        )
        inputs = [[_int8(random, depth) for _ in range(pixels)] for _ in range(rows)]
        words = {
            "stream": 0, "lanes": _LANES, "output": _OUTPUT, "groups": groups,
            "lanes_end": _LANES + 2 * depth * pixels, "lanes_step": 2 * depth,
            "output_step": 4 * groups, "window": 2 * depth, "output_zero_point": 3,
            "activation_min": -100, "activation_max": 120,
            "group": _GROUP if packing == lanes.BYTES else 0, "rows": rows,
            "row_step": 2 * depth * pixels,
        }  # fmt: skip
        wanted = [
            _output(bias + sum(map(int.__mul__, x, w)), multiplier, words) & 0xFF
            for x in sum(inputs, [])
            for w, bias, multiplier in zip(
                weights, channels.biases, channels.multipliers, strict=True
            )
        ]
        data = b"".join(_quads(x) for x in sum(inputs, []))
        blocks = [(data, False)]
        if rows == 1 and i % 2:  # the kernel unpacks two pixels at a time
            blocks = [(b"".join(struct.pack(f"{depth}b", *x) for x in inputs[0]), True)]
        for source, is_source in blocks:
            memory = bytearray(data) if not is_source else bytearray(4 * depth)
            operands = {}
            if is_source:
                words |= {
                    "source": _SOURCE, "source_end": _SOURCE + len(source),
                    "lanes_end": _LANES + 4 * depth,
                }  # fmt: skip
                operands = {"source": (_ARENA + _SOURCE, source, False)}
            found = bytearray(len(wanted))
            operands |= {
                "stream": (_MEMORY, lanes.stream(weights, channels, packing), False),
                "lanes": (_ARENA + _LANES, memory, True),
                "output": (_ARENA + _OUTPUT, found, True),
                "group": (_ARENA + _GROUP, bytearray(64 + 8 * depth), True),
            }
            _run(kernel, MULTIPLY, words, operands)
            assert list(found) == wanted
