# Tests of Tensor in MicroPython: typed views, quantize() and dequantize()
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from unit.on_device import device

_PRELUDE = """
from tflm import dtypes
from tflm.tensor import Tensor
import gc, struct

def bits(scale):
    return struct.unpack("<I", struct.pack("<f", scale))[0]

def tensor(code, count, scale=0.0, zero_point=0, name="t"):
    raw = memoryview(bytearray(dtypes.nbytes(code, count)))
    return Tensor(name, code, (count,), bits(scale), zero_point, raw)
"""


def run(code, **names):
    from textwrap import dedent

    return device(_PRELUDE + dedent(code), **names)


# The typed memoryview of each type; writing to it changes the bytes, also after a collection.
def test_typed_views():
    run("""
        for code, typecode, low, high in (
            (dtypes.INT8, "b", -128, 127), (dtypes.UINT8, "B", 0, 255),
            (dtypes.INT16, "h", -32768, 32767), (dtypes.UINT16, "H", 0, 65535),
            (dtypes.INT32, "i", -(1 << 31), (1 << 31) - 1), (dtypes.UINT32, "I", 0, (1 << 32) - 1),
            (dtypes.INT64, "q", -(1 << 63), (1 << 63) - 1),
            (dtypes.UINT64, "Q", 0, (1 << 64) - 1), (dtypes.BOOL, "B", 0, 1),
        ):
            t = tensor(code, 5)
            data = t.data
            assert data is t.data
            assert len(data) == 5
            for i, value in enumerate((low, high, 0, 1, 2)):
                data[i] = value
            gc.collect()
            junk = [bytearray(64) for _ in range(200)]
            del junk
            gc.collect()
            wanted = struct.pack("<5" + typecode, low, high, 0, 1, 2)
            assert bytes(t.raw) == wanted, (code, bytes(t.raw), wanted)
            assert list(data) == [low, high, 0, 1, 2]
            t.raw[:] = bytes(len(t.raw))
            assert list(data) == [0] * 5
        t = tensor(dtypes.FLOAT32, 3)
        t.data[1] = -1.5
        assert bytes(t.raw) == struct.pack("<3f", 0, -1.5, 0)
    """)


# Views inside a buffer, as in an arena.
def test_typed_views_inside_a_buffer():
    run("""
        memory = bytearray(256)
        for start in range(0, 64, 4):
            raw = memoryview(memory)[start : start + 12]
            t = Tensor("t", dtypes.INT32, (3,), 0, 0, raw)
            t.data[2] = 0x01020304
            assert memory[start + 8 : start + 12] == b"\\x04\\x03\\x02\\x01", start
            t.data[2] = 0
        text = raises(InputError, lambda: Tensor(
            "t", dtypes.INT32, (1,), 0, 0, memoryview(memory)[2:6]).data)
        assert "not aligned" in text
        assert list(Tensor("t", dtypes.INT16, (0,), 0, 0, memoryview(memory)[4:4]).data) == []
        assert list(memory) == [0] * 256
    """)


def test_types_without_numbers():
    run("""
        for code in (dtypes.STRING, dtypes.INT4):
            t = tensor(code, 4, name="x")
            text = raises(UnsupportedError, lambda: t.data)
            assert text == "tensor 'x' is %s; use raw" % dtypes.name(code), text
        for code in (dtypes.FLOAT16, dtypes.FLOAT64, dtypes.RESOURCE, dtypes.INT4):
            t = tensor(code, 4, name="x")
            for call in (lambda: t.quantize([0] * 4), t.dequantize):
                assert "tensor 'x' is %s" % t.dtype in raises(UnsupportedError, call)
    """)


# round(value / scale) with halves away from zero, then the zero point, then the type's limits.
@pytest.mark.parametrize(
    ("code", "low", "high", "scale", "zero_point"),
    [
        ("INT8", -128, 127, 0.5, 3),
        ("UINT8", 0, 255, 0.25, 128),
        ("INT16", -32768, 32767, 0.125, 0),
        ("INT32", -(1 << 31), (1 << 31) - 1, 0.5, -7),
        ("INT64", -(1 << 63), (1 << 63) - 1, 2.0, 0),
    ],
)
def test_quantize(code, low, high, scale, zero_point):
    halves = [i * 0.5 * scale for i in range(-40, 41)]
    huge = [1e30, -1e30, float("inf"), float("-inf"), 2.0**31, -(2.0**31)]
    rounded = [0.49999997 * scale, -0.49999997 * scale, 8388609.0 * scale]
    values = halves + huge + rounded
    wanted = []
    for value in values:
        scaled = np.clip(value / scale, -(2.0**70), 2.0**70)
        whole = int(abs(scaled) + 0.5) if abs(scaled) != 0.49999997 else 0
        wanted.append(min(max((whole if scaled > 0 else -whole) + zero_point, low), high))
    text = ", ".join(f"float('{v!r}')" if v in (np.inf, -np.inf) else repr(v) for v in values)
    lines = run(
        f"""
        values = [{text}]
        t = tensor(dtypes.{code}, len(values), SCALE, ZERO)
        t.quantize(values)
        print(list(t.data))
        got = t.dequantize()
        for a, q in zip(got, t.data):
            assert abs(a - SCALE * (q - ZERO)) < 1e-6 * abs(a) + 1e-9
        """,
        SCALE=scale,
        ZERO=zero_point,
    )
    assert lines == [str(wanted)]


# Without a scale integers stay exact; floats are rounded.
def test_quantize_without_scale():
    run("""
        t = tensor(dtypes.INT64, 4)
        t.quantize([(1 << 62) + 1, -(1 << 62) - 1, 1 << 80, 2.5])
        assert list(t.data) == [(1 << 62) + 1, -(1 << 62) - 1, (1 << 63) - 1, 3]
        t = tensor(dtypes.INT32, 3)
        t.quantize([123456789, -123456789, -2.5])
        assert list(t.data) == [123456789, -123456789, -3]
        assert t.dequantize() == [123456789.0, -123456789.0, -3.0]
        t = tensor(dtypes.BOOL, 3)
        t.quantize([True, False, 7])
        assert list(t.data) == [1, 0, 1]
        assert t.dequantize() == [1.0, 0.0, 1.0]
    """)


def test_float32():
    run("""
        t = tensor(dtypes.FLOAT32, 5)
        t.quantize([1, -2.5, 1e30, True, float("inf")])
        assert bytes(t.raw) == struct.pack("<5f", 1, -2.5, 1e30, 1, float("inf"))
        assert t.dequantize()[1] == -2.5
        t.quantize([float("nan")] * 5)
        assert t.data[0] != t.data[0]
    """)


def test_nested_values():
    run("""
        from array import array

        def zip_of(start, stop):
            return map(float, range(start, stop))

        t = Tensor("t", dtypes.INT8, (2, 3), bits(1.0), 0, memoryview(bytearray(6)))
        for values in (
            [[1, 2, 3], [4, 5, 6]], [1, 2, 3, 4, 5, 6], ((1, 2, 3), (4, 5, 6)), range(1, 7),
            [array("b", [1, 2, 3]), bytes([4, 5, 6])], (float(i) for i in range(1, 7)),
            [[[1, 2, 3]], [[4, 5, 6]]], zip_of(1, 7), [[[1], [2], [3]], [[4], [5], [6]]],
        ):
            t.raw[:] = bytes(6)
            t.quantize(values)
            assert list(t.data) == [1, 2, 3, 4, 5, 6], values
        one = Tensor("t", dtypes.INT8, (), bits(1.0), 0, memoryview(bytearray(1)))
        one.quantize(9)
        assert list(one.data) == [9]
    """)


def test_invalid_values():
    run("""
        t = Tensor("x", dtypes.INT8, (2, 3), bits(0.5), 0, memoryview(bytearray(6)))
        for count in (0, 1, 5):
            text = raises(InputError, t.quantize, [1.0] * count)
            assert text == (
                "tensor 'x' has 6 elements (2, 3), got %d; pass a number for each" % count
            )
        for count in (7, 1000):
            text = raises(InputError, t.quantize, [1.0] * count)
            assert text == (
                "tensor 'x' has 6 elements (2, 3), got more; pass a number for each"
            )
        text = raises(InputError, t.quantize, [1, 2, float("nan"), 4, 5, 6])
        assert text == "tensor 'x' got a NaN at element 2; replace it", text
        for wrong in ("text", None, ["a"], [1, None], [[1, 2], [{}]], {1: 2}, object()):
            text = raises(InputError, t.quantize, wrong)
            assert "is no number; pass numbers or nested lists" in text, text
        deep = []
        for _ in range(50):
            deep = [deep]
        raises(InputError, t.quantize, deep)
    """)


# Lists nested in another shape are refused; a tensor does not change if values are refused.
def test_refused_values_change_nothing():
    run("""
        for code in (dtypes.INT8, dtypes.FLOAT32):
            t = Tensor("x", code, (1, 2, 3), bits(0.5 if code else 0), 0,
                       memoryview(bytearray(dtypes.nbytes(code, 6))))
            t.quantize([1, 2, 3, -4, 5, 6])
            kept = bytes(t.raw)
            for values in (
                [9] * 5, [9] * 7, [9, 9, 9, 9, 9, "9"], [9, 9, 9, 9, 9, None],
                (9 for _ in range(7)), (9 for _ in range(5)), [[9, 9], [9, 9], [9, 9]],
                [[9] * 3, [9] * 2, [9]],
                [[[9] * 6] * 2], [[9, 9, 9], 9, 9, 9], iter([9, 9, 9, 9, 9, [9]]), [], 9,
            ):
                raises(InputError, t.quantize, values)
                assert bytes(t.raw) == kept, values
            text = raises(InputError, t.quantize, [[9, 9], [9, 9], [9, 9]])
            assert text == (
                "tensor 'x' has the shape (1, 2, 3), got (3, 2); pass this shape, or a flat list"
            )
            if code:
                raises(InputError, t.quantize, [9, 9, 9, 9, 9, float("nan")])
                assert bytes(t.raw) == kept
            for values in ([[9] * 3] * 2, [[[9] * 3] * 2], [[9, 9, 9, 9, 9, 9]]):
                t.quantize(values)
                assert set(t.dequantize()) == {9.0}
        assert "got more" in raises(InputError, t.quantize, (1 for _ in range(1 << 29)))
    """)


# Tensor.shape is read-only.
def test_shape_is_read_only():
    run("""
        t = tensor(dtypes.INT8, 4)
        try:
            t.shape = (2, 2)
        except InputError as error:
            assert "resize_input" in str(error)
        else:
            assert False
        assert t.shape == (4,)
    """)


# A damaged model may have any scale.
def test_odd_scales():
    run("""
        for scale in (float("nan"), float("inf"), 1e-45, -1.0):
            t = tensor(dtypes.INT8, 3, scale)
            for values in ([1.0, -1.0, 0.0], [1e38, -1e38, float("inf")]):
                try:
                    t.quantize(values)
                except InputError as error:
                    assert "NaN" in str(error)
            t.dequantize()
            repr(t)
    """)


def test_repr():
    lines = run("""
        print(tensor(dtypes.INT8, 4, 0.25, -3, "x"))
        print(tensor(dtypes.FLOAT32, 4, name="x"))
        print(Tensor("s", dtypes.INT16, (), 0, 0, memoryview(bytearray(2))))
    """)
    assert lines == [
        "<Tensor x int8 [4] scale 0.25 zero_point -3>",
        "<Tensor x float32 [4]>",
        "<Tensor s int16 []>",
    ]
