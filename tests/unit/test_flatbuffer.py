# Tests of the FlatBuffer reader on small buffers: it never reads outside the buffer
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import flatbuffers
import pytest
from tflm.errors import ModelError
from tflm.tflite.flatbuffer import Table, Vector, scalar


# A table with an int8, a float32, a vector of int32, a string, a table and a vector of tables.
def sample():
    builder = flatbuffers.Builder(64)
    text = builder.CreateString("näme")
    builder.StartVector(4, 3, 4)
    for value in (7, -8, 9):
        builder.PrependInt32(value)
    numbers = builder.EndVector()
    builder.StartObject(1)
    builder.PrependInt32Slot(0, 42, 0)
    inner = builder.EndObject()
    builder.StartVector(4, 1, 4)
    builder.PrependUOffsetTRelative(inner)
    tables = builder.EndVector()
    builder.StartObject(8)
    builder.PrependInt8Slot(0, -3, 0)
    builder.PrependFloat32Slot(1, 1.5, 0.0)
    builder.PrependUOffsetTRelativeSlot(2, numbers, 0)
    builder.PrependUOffsetTRelativeSlot(3, text, 0)
    builder.PrependUOffsetTRelativeSlot(4, inner, 0)
    builder.PrependUOffsetTRelativeSlot(5, tables, 0)
    builder.Finish(builder.EndObject())
    return bytearray(builder.Output())


def root(buffer):
    return Table(buffer, scalar(buffer, 0, "I"))


# Read everything of a table, for tests of damaged buffers.
def read_all(buffer):
    table = root(buffer)
    table.get(0, "b")
    table.get(1, "f")
    table.numbers(2, "i")
    table.string(3)
    inner = table.table(4)
    if inner:
        inner.get(0, "i")
    tables = table.vector(5)
    for i in range(len(tables) if tables else 0):
        tables.table(i).get(0, "i")
    table.get(6, "q", 5)
    table.length(7)


def test_values():
    table = root(sample())
    assert table.get(0, "b") == -3
    assert table.get(1, "f") == 1.5
    assert table.numbers(2, "i") == (9, -8, 7)
    assert table.vector(2).number(1, "i") == -8
    assert table.string(3) == "näme"
    assert table.table(4).get(0, "i") == 42
    assert table.vector(5).table(0).get(0, "i") == 42
    assert table.length(2) == 3
    assert table.bytes_at(3)[1] == 5


def test_absent_fields():
    table = root(sample())
    for number in (6, 7, 100):
        assert table.get(number, "q", 5) == 5
        assert table.numbers(number, "i") == ()
        assert table.vector(number) is None
        assert table.table(number) is None
        assert table.string(number) == ""
        assert table.length(number) == 0
        assert table.bytes_at(number) == (0, 0)


def test_missing_item_of_a_vector():
    vector = root(sample()).vector(2)
    for i in (-1, 3, 1 << 40):
        with pytest.raises(ModelError, match="of a vector of 3"):
            vector.number(i, "i")


@pytest.mark.parametrize("kind", ["b", "H", "i", "q"])
def test_scalar_at_the_end(kind):
    size = struct.calcsize("<" + kind)
    assert scalar(bytes(8), 8 - size, kind) == 0
    for position in (8 - size + 1, 8, 1 << 60, -1):
        with pytest.raises(ModelError, match=f"a value at byte {position} is outside the file"):
            scalar(bytes(8), position, kind)


@pytest.mark.parametrize("length", [2, 0x7FFFFFFF, 0xFFFFFFFF])
@pytest.mark.parametrize("size", [4, 8])
def test_vector_that_is_too_long(length, size):
    buffer = struct.pack("<I", length) + bytes(2 * size - 1)
    with pytest.raises(ModelError, match=f"a vector of {length} items at byte 0 is outside"):
        Vector(buffer, 0, size)


# A vtable may be anywhere in the file: before the table, after it, or overlapping it.
def test_vtable_outside():
    for distance in (9, -5, -200, 0x7FFFFFFF, -0x80000000):
        buffer = bytearray(struct.pack("<Ii", 4, distance) + bytes(2))
        with pytest.raises(ModelError, match="is outside the file"):
            root(buffer).get(0, "b")


def test_vtable_that_is_the_table_itself():
    buffer = bytearray(struct.pack("<IiHH", 4, 0, 8, 8))
    with pytest.raises(ModelError, match="a vtable at byte 4"):
        root(buffer)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 0xFFFF])
def test_vtable_of_a_wrong_size(size):
    buffer = bytearray(struct.pack("<IiHHHH", 4, -4, size, 8, 4, 4))
    with pytest.raises(ModelError, match="a vtable at byte 8"):
        root(buffer)


# A table that is its own child can be followed, but does not loop by itself.
def test_table_within_itself():
    table = root(bytearray(struct.pack("<IiiHHH", 4, -8, -4 & 0x7FFFFFFF, 6, 8, 4)))
    with pytest.raises(ModelError):
        table.table(0)  # offsets are unsigned, so they cannot point back


def test_strings_are_cut_at_a_character():
    builder = flatbuffers.Builder(64)
    text = builder.CreateString("x" + "é" * 200)
    builder.StartObject(1)
    builder.PrependUOffsetTRelativeSlot(0, text, 0)
    builder.Finish(builder.EndObject())
    assert root(bytes(builder.Output())).string(0) == "x" + "é" * 127


def test_string_that_is_not_utf8():
    buffer = sample()
    at = buffer.index("näme".encode())
    buffer[at : at + 3] = b"n\xff\xfe"
    assert root(buffer).string(3) == "n??me"


def test_every_truncation():
    whole = sample()
    for size in range(len(whole)):
        try:
            read_all(whole[:size])
        except ModelError as error:
            assert "is outside the file; get an intact copy" in str(error)


# Each 16-bit and 32-bit word in turn gets a value that breaks offsets, sizes and counts.
def test_every_word_overwritten():
    whole = sample()
    refused = 0
    for kind, size, values in (
        ("<H", 2, (0, 1, 3, 4, 0x7FFF, 0xFFFF)),
        ("<I", 4, (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF)),
    ):
        for at in range(0, len(whole) - size + 1, 2):
            for value in values:
                buffer = bytearray(whole)
                struct.pack_into(kind, buffer, at, value)
                try:
                    read_all(buffer)
                except ModelError:
                    refused += 1
    assert refused > 100
