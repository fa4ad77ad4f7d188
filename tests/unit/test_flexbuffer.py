# Tests of the FlexBuffers reader, against the writer of the flatbuffers package
# MIT license; Copyright (c) 2026 the tflm authors

import random
import struct

import pytest
from flatbuffers import flexbuffers
from support.encoding import flexbuffer
from tflm.errors import ModelError
from tflm.tflite.flexbuffer import parse


# Return the bytes that a function writes with a builder.
def written(write):
    builder = flexbuffers.Builder()
    write(builder)
    return bytes(builder.Finish())


_NESTED = {
    "a": 1,
    "beta": [1, 2.5, "three", None, True, [], {}],
    "c": {"d": {"e": [[-1], [300, -70000], [1 << 40]]}},
    "text": "näme",
    "blob": b"\x00\x01\xff",
    "no": False,
}


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -1,
        127,
        -128,
        128,
        -32769,
        1 << 20,
        -(1 << 40),
        (1 << 63) - 1,
        -(1 << 63),
        0.5,
        0.1,
        "",
        "text",
        "näme",
        b"",
        b"blob\0",
        [],
        [1, 2, 3],
        [1, "a", None],
        {},
        {"key": "value"},
        _NESTED,
        list(range(300)),
        {f"k{i}": [i, {"x": -i}] for i in range(100)},
    ],
)
def test_values(value):
    assert parse(flexbuffers.Dumps(value)) == value


def test_unsigned_and_indirect():
    assert parse(written(lambda b: b.UInt((1 << 64) - 1))) == (1 << 64) - 1

    def write(builder):
        with builder.Vector():
            builder.IndirectInt(-5)
            builder.IndirectUInt(200)
            builder.IndirectFloat(0.25)
            builder.IndirectFloat(0.1, 8)
            builder.Key("key")

    assert parse(written(write)) == [-5, 200, 0.25, 0.1, "key"]


def test_typed_vectors():
    def write(builder):
        with builder.Vector():
            builder.TypedVectorFromElements([1, -2, 3000])
            builder.TypedVectorFromElements([0.5, 1.5])
            builder.TypedVectorFromElements([True, False])
            builder.FixedTypedVectorFromElements([1, 2])
            builder.FixedTypedVectorFromElements([1.5, 2.5, 3.5])
            builder.FixedTypedVectorFromElements([1, 2, 3, -4])

    assert parse(written(write)) == [
        [1, -2, 3000],
        [0.5, 1.5],
        [True, False],
        [1, 2],
        [1.5, 2.5, 3.5],
        [1, 2, 3, -4],
    ]


def test_typed_vector_of_keys():
    def write(builder):
        with builder.TypedVector():
            builder.Key("one")
            builder.Key("two")

    assert parse(written(write)) == ["one", "two"]


# Options as TFLM's custom operators read them.
def test_options_of_an_operator():
    options = {"num_channels": 40, "scale": 0.25, "name": "x", "on": True, "list": [1, 2]}
    assert parse(flexbuffer(options)) == options


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "no root"),
        (b"\x01", "no root"),
        (b"\x01\x04\x03", "no root"),
        (b"\x01\x04\x00", "no root"),
        (b"\x04\x04\x04", "is outside"),
        (b"\x00\x01\xfc\x01", "unknown type 63"),
        (b"\x02\x14\x01", "points outside"),
        (b"\xffx\x01\x14\x01", "are outside"),
        (b"ab\x02\x10\x01", "a key has no end"),
        (b"\x01\xff\x01\x14\x01", "not UTF-8"),
        (b"\x01\x0c\x01", "a float of 1 bytes"),
    ],
)
def test_damaged(raw, message):
    with pytest.raises(ModelError, match=f"options are damaged: .*{message}") as caught:
        parse(raw)
    assert "they must be FlexBuffers" in str(caught.value)


def test_too_deeply_nested():
    value = []
    for _ in range(15):
        value = [value]
    assert parse(flexbuffers.Dumps(value)) == value
    with pytest.raises(ModelError, match="too deeply nested"):
        parse(flexbuffers.Dumps([[value]]))


# A vector whose items all are the vector itself: 3 items, 16 levels, 43 million values.
def test_vector_within_itself():
    items, types = bytes([0, 1, 2]), bytes([10 << 2] * 3)
    with pytest.raises(ModelError, match="overlap|deep"):
        parse(bytes([3]) + items + types + bytes([6, 10 << 2, 1]))


# Many items share one long text; it must not fill the memory of a board.
def test_shared_text():
    text = b"x" * 200
    count = 255
    raw = bytes([200]) + text + b"\0" + struct.pack("<H", count)
    at = len(raw)
    offsets = b"".join(struct.pack("<H", at + 2 * i - 1) for i in range(count))
    raw += offsets + bytes([5 << 2] * count)
    raw += struct.pack("<H", len(raw) - at) + bytes([10 << 2 | 1, 2])
    with pytest.raises(ModelError, match="its values overlap"):
        parse(raw)


# Damaged buffers give a value or one error, in little time.
def test_fuzzed():
    rng = random.Random(11)
    seeds = [flexbuffers.Dumps(_NESTED), flexbuffers.Dumps({"a": [1, 2, 3], "b": "c"})]
    results = {"value": 0, "error": 0}
    for n in range(4000):
        raw = bytearray(seeds[n % 2])
        for _ in range(rng.randrange(1, 6)):
            raw[rng.randrange(len(raw))] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        if n % 3 == 0:
            del raw[: rng.randrange(len(raw))]
        try:
            parse(raw)
            results["value"] += 1
        except ModelError:
            results["error"] += 1
    assert min(results.values()) > 200
