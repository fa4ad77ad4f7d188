# Tests of the quantization of hybrid inputs in the kernel language, by the interpreter
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import numpy as np
import pytest
from support.inputs import generator

from tools.asm.kernels import hybrid_quantize
from tools.asm.language.interpreter import InterpretedMachine, Memory, run
from tools.asm.language.machines import MACHINES

_DEPTH = 8
_RUNS = 120  # of each machine
_RECORD, _ARENA = 0x1000, 0x10000
_INPUT, _QUANTIZED, _SCALES, _OFFSETS, _EXTREMES = (0x100 * i for i in range(5))


# Inputs of a batch: normal, positive, negative and tiny numbers, all bits, halves of steps, and
# ranges whose zero point is halfway between two integers.
def _inputs(random, kind):
    normal = random.normal(size=_DEPTH).astype("f")
    halves = (random.integers(-255, 256, _DEPTH) / 2).astype("f")
    halves[0] = 127
    bits = random.integers(0, 1 << 32, _DEPTH, dtype=np.uint64).astype(np.uint32).view("f")
    tiny = normal * np.array([1, 1e-5, 1e-8, 1e-12, 1e-40, 1e-44, 0, 1], "f")
    beside = np.nextafter(halves, np.float32(400))
    far = normal * np.float32(10.0 ** random.integers(-30, 30))
    symmetric = np.clip(normal, -abs(normal[0]), abs(normal[0]))
    symmetric[:2] = normal[0], -normal[0]
    ends = random.integers(0, 255) + np.array([0.5, -254.5])
    ties = np.clip(100 * normal, ends[1], ends[0]).astype("f")
    ties[:2] = ends
    ties *= np.float32(random.integers(1, 1 << 8) * 2.0**-9)
    kinds = normal, np.abs(normal), -np.abs(normal), far, halves, beside, bits, tiny
    return (*kinds, symmetric, ties)[kind % 10]


# Round halves away from zero.
def _rounded(numbers):
    return np.sign(numbers) * np.floor(np.abs(numbers.astype(float)) + 0.5)


# Return the scale, the zero point and the factor of the inputs, as LiteRT computes them.
def _expected(values, asymmetric):
    numbers = values[~np.isnan(values)]
    high, low = max(np.float32(0), numbers.max()), min(np.float32(0), numbers.min())
    if not asymmetric:
        size = max(high, -low)
        return size / np.float32(127), 0, np.float32(127) / size
    double = float(high - low) / 255
    from_low, from_high = -128 - float(low) / double, 127 - float(high) / double
    is_low = 128 - float(low) / double < 127 + float(high) / double
    zero_point = _rounded(np.float64(from_low if is_low else from_high))
    return np.float32(double), int(zero_point), np.float32(1) / np.float32(double)


def _run(kernel, record, arena):
    sizes = {_INPUT: 4 * _DEPTH, _QUANTIZED: _DEPTH, _SCALES: 4, _OFFSETS: 4, _EXTREMES: 8}
    operands = {"record": (_RECORD, record, False)}
    for at, size in sizes.items():
        operands[hex(at)] = _ARENA + at, memoryview(arena)[at : at + size], at != _INPUT
    return run(kernel, Memory(operands), _RECORD, _ARENA, 0x80000, 0)


def _arena_and_record(values, asymmetric):
    arena = bytearray(0x500)
    arena[: values.nbytes] = values.tobytes()
    operands = [at << 2 for at in (_INPUT, _QUANTIZED, _SCALES, _OFFSETS, _EXTREMES)]
    return arena, struct.pack("<9I", 1, *operands, 1, _DEPTH, asymmetric)


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_scale_and_zero_point(name):
    random, found = generator(f"scales {name}"), 0
    kernel = hybrid_quantize.find_scale_kernel(InterpretedMachine(MACHINES[name]))
    for i in range(_RUNS):
        values, asymmetric = _inputs(random, i), i // 10 % 2
        arena, record = _arena_and_record(values, asymmetric)
        if _run(kernel, record, arena):
            found += 1
            scale, zero_point, factor = _expected(values, asymmetric)
            assert np.frombuffer(arena, "f", 1, _SCALES)[0] == scale
            assert np.frombuffer(arena, "<i4", 1, _OFFSETS)[0] == zero_point
            assert np.frombuffer(arena, "f", 1, _EXTREMES)[0] == factor
    assert found > _RUNS * 3 // 4


# Products of any number that find_scale() accepts.
@pytest.mark.parametrize("name", ["armv6m", "armv7emsp", "rv32imc", "xtensawin"])
def test_quantized_numbers(name):
    random = generator(f"products {name}")
    kernel = hybrid_quantize.quantize_kernel(InterpretedMachine(MACHINES[name]))
    for i in range(_RUNS):
        values = _inputs(random, i)
        if not 1e-30 < abs(np.nan_to_num(values)).max() < 1e38:
            continue
        arena, record = _arena_and_record(values, 1)
        _, zero_point, factor = _expected(values, i & 1)
        struct.pack_into("<f", arena, _EXTREMES, factor)
        struct.pack_into("<i", arena, _OFFSETS, zero_point)
        _run(kernel, record, arena)
        wanted = np.clip(_rounded(np.nan_to_num(values * factor)) + zero_point, -128, 127)
        assert (np.frombuffer(arena, np.int8, _DEPTH, _QUANTIZED) == wanted).all(), (values, i)
