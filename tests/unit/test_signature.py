# Tests of signatures, metadata and labels on the device, from a .tflite and a .tflm
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import random
import struct
from pathlib import Path

import pytest
from support.builder import ModelBuilder
from tflm import format as layout
from tflm.errors import ModelError, UnsupportedError
from tflm.introspection import labels, signature
from tflm.model import FlatModel
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import flatten
from unit.on_device import device, model_files


# sum = a + b in int8 (inputs in the order b, a), and a count; one signature for a sub-graph that
# an Interpreter cannot start with.
def build(metadata=True):
    builder = ModelBuilder()
    a = builder.tensor((2, 2), "int8", scale=0.5, zero_point=1, name="tensor_a")
    b = builder.tensor((2, 2), "int8", scale=0.5, zero_point=-3, name="tensor_b")
    total = builder.tensor((2, 2), "int8", scale=1.0, zero_point=0, name="tensor_sum")
    whole = builder.tensor((3,), "int32", name="tensor_n")
    column = builder.tensor((3, 1), "int32", name="tensor_m")
    builder.operator("ADD", [a, b], [total])
    builder.operator("RESHAPE", [whole], [column])
    builder.io([b, whole, a], [column, total])
    other = builder.subgraph("other")
    x, y = other.tensor((1,), "int8"), other.tensor((1, 1), "int8")
    other.operator("RESHAPE", [x], [y])
    other.io([x], [y])
    names = {"x:0": a, "y": b, "n": whole}
    builder.signature("serving_default", names, {"sum": total, "column": column})
    builder.signature("a_part", {"y": b}, {"sum": total})
    builder.signature("other", {"x": x}, {"y": y}, subgraph=1)
    if metadata:
        builder.metadata("notes", b"\x00\x01")
        builder.metadata("my_labels", "cat\r\nd\u00f6g\n\nbird\n\n".encode())
    return builder.build()


@pytest.fixture(params=["TFLITE", "FLAT"])
def path(tmp_path, request):
    return model_files(tmp_path, build())[request.param]


def test_call(path):
    device(
        """
        interp = tflm.Interpreter(PATH)
        assert interp.signatures() == ["a_part", "other", "serving_default"]
        run = interp.signature("serving_default")
        assert (run.key, run.inputs, run.outputs) == (
            "serving_default", ["y", "n", "x:0"], ["column", "sum"])
        assert "serving_default(y, n, x:0) gives column, sum" in repr(run)
        for _ in range(2):
            got = run(**{"x:0": [[1, 2], [3, 4]], "y": [10, 20, 30, -40.5], "n": [7, -8, 1 << 30]})
            assert sorted(got) == ["column", "sum"]
            assert got["sum"] == [11.0, 22.0, 33.0, -37.0], got["sum"]
            assert got["column"] == [7, -8, 1 << 30]
            assert type(got["column"][0]) is int
        # A tensor's own bytes: a is 0.5 * (q - 1).
        got = run(**{"x:0": b"\\x01\\x03\\x05\\x07", "y": bytearray(b"\\xfd" * 4), "n": [0] * 3})
        assert got["sum"] == [0.0, 1.0, 2.0, 3.0], got["sum"]
        """,
        PATH=path,
    )


def test_errors(path):
    device(
        """
        interp = tflm.Interpreter(PATH)
        text = raises(InputError, interp.signature, "serving")
        assert text == ("the model has no signature 'serving'; pass one of: "
                        "a_part, other, serving_default"), text
        text = raises(InputError, interp.signature)
        assert "the model has no signature None; pass one of: a_part" in text
        text = raises(UnsupportedError, interp.signature, "other")
        assert "'other' runs sub-graph 1" in text and ";" in text
        run = interp.signature("serving_default")
        text = raises(InputError, run, x=[1] * 4)
        assert text == ("the signature 'serving_default' has no input 'x'; its inputs: "
                        "y, n, x:0"), text
        text = raises(InputError, run, y=[1] * 4)
        assert "needs 'n', too" in text
        good = {"x:0": [1] * 4, "y": [1] * 4, "n": [1] * 3}
        for name, bad, part in (("y", [1] * 5, "got more"), ("y", b"123", "got 3; pass"),
                                ("n", "12", "is no number"), ("n", None, "is no number")):
            values = dict(good)
            values[name] = bad
            assert part in raises(InputError, run, **values)
        assert run(**good)["sum"] == [2.0] * 4
        """,
        PATH=path,
    )


# ABS of three values and NEG of two in separate sub-graphs, with a signature for each.
@pytest.fixture
def two_subgraphs(tmp_path):
    builder = ModelBuilder()
    x, y = builder.tensor((3,), "float32"), builder.tensor((3,), "float32")
    builder.operator("ABS", [x], [y])
    builder.io([x], [y])
    other = builder.subgraph("other")
    a, b = (other.tensor((2,), "float32", shape_signature=(-1,)) for _ in range(2))
    other.operator("NEG", [a], [b])
    other.io([a], [b])
    builder.signature("absolute", {"x": x}, {"y": y})
    builder.signature("negative", {"a": a}, {"b": b}, subgraph=1)
    builder.signature("damaged", {"a": a}, {"b": b}, subgraph=7)
    path = tmp_path / "model.tflite"
    path.write_bytes(builder.build())
    return str(path)


def test_signature_of_load(two_subgraphs):
    device(
        """
        for name, values, wanted in (("absolute", [-1, 2, -3], [1, 2, 3]),
                                     ("negative", [4, -5], [-4, 5])):
            for source in (PATH, open(PATH, "rb").read()):
                interp = tflm.Interpreter(tflm.load(source, signature=name))
                assert interp.signatures() == [name], interp.signatures()
                run = interp.signature()
                assert run(**{run.inputs[0]: values}) == {run.outputs[0]: wanted}
        interp = tflm.Interpreter(tflm.load(PATH, signature="negative"))
        interp.resize_input(0, (4,))
        assert interp.signature("negative")(a=[1, 2, 3, -4]) == {"b": [-1, -2, -3, 4]}
        text = raises(UnsupportedError, tflm.Interpreter(PATH_OF_THREE).signature, "other")
        assert text.endswith("; pass it to load() or flatten"), text
        text = raises(InputError, tflm.load, PATH, signature="nothing")
        assert text == ("the model has no signature 'nothing'; pass one of: "
                        "absolute, damaged, negative"), text
        text = raises(ModelError, tflm.load, PATH, signature="damaged")
        assert text == "the signature 'damaged' is damaged; convert the model again", text
        """,
        PATH=two_subgraphs,
        PATH_OF_THREE=model_files(Path(two_subgraphs).parent, build(), "three")["TFLITE"],
    )


def test_signature_of_load_of_a_flat_model(tmp_path):
    device(
        """
        interp = tflm.Interpreter(tflm.load(PATH, signature="a_part"))
        assert interp.signatures() == ["a_part", "other", "serving_default"]
        text = raises(UnsupportedError, tflm.load, PATH, signature="other")
        assert text == ("the signature 'other' runs sub-graph 1, not the first; "
                        "pass it to load() or flatten"), text
        text = raises(InputError, tflm.load, PATH, signature="absent")
        assert text.endswith("pass one of: a_part, other, serving_default"), text
        """,
        PATH=model_files(tmp_path, build())["FLAT"],
    )


# A single signature needs no name; without signatures there is none.
@pytest.mark.parametrize("file_format", ["TFLITE", "FLAT"])
@pytest.mark.parametrize("count", [0, 1])
def test_at_most_one_signature(tmp_path, file_format, count):
    builder = ModelBuilder()
    x, y = builder.tensor((2,), "float32"), builder.tensor((2, 1), "float32")
    builder.operator("RESHAPE", [x], [y])
    builder.io([x], [y])
    for _ in range(count):
        builder.signature("go", {"x": x}, {"y": y})
    device(
        """
        interp = tflm.Interpreter(PATH)
        if COUNT:
            assert interp.signature()(x=[1.5, 2]) == {"y": [1.5, 2.0]}
        else:
            assert interp.signatures() == []
            assert raises(InputError, interp.signature, "x").endswith("'x'; pass one of: none")
        assert interp.model.labels() == []
        """,
        PATH=model_files(tmp_path, builder.build())[file_format],
        COUNT=count,
    )


def test_metadata_and_labels(path):
    device(
        """
        model = tflm.load(PATH)
        metadata = {name: bytes(data) for name, data in model.metadata().items()}
        assert sorted(metadata) == ["my_labels", "notes"], metadata
        assert metadata["notes"] == b"\\0\\1"
        assert model.labels() == ["cat", "d\\u00f6g", "", "bird"], model.labels()
        """,
        PATH=path,
    )


def test_labels_are_found():
    assert labels.labels_of({"labels.txt": b"a\nb", "a_label": b"c"}) == ["a", "b"]
    assert labels.labels_of({"LABELMAP": b" a b \n c\n"}) == [" a b ", " c"]
    assert labels.labels_of({"labels": b"\xff\xfe\x00"}) == []
    assert labels.labels_of({"labels": b"\n \n"}) == []
    assert labels.labels_of({"other": b"a"}) == []


# Signatures of the .tflite and the .tflm are equal.
def test_table():
    table = signature.table_of(TfliteModel(build()))
    assert table == signature.table_of(FlatModel(flatten(build())))
    assert table["serving_default"] == (
        0,
        [(0, "y"), (1, "n"), (2, "x:0")],
        [(0, "column"), (1, "sum")],
    )


# A signature with tensors that are no inputs raises an error when it is used; the model runs.
def test_wrong_tensors():
    builder = ModelBuilder()
    x, y = builder.tensor((2,), "float32"), builder.tensor((2, 1), "float32")
    builder.operator("RESHAPE", [x], [y])
    builder.io([x], [y])
    builder.signature("go", {"x": 77}, {"y": y})
    with pytest.raises(ModelError, match="the signature 'go' is damaged; "):
        signature.table_of(TfliteModel(builder.build()))
    assert signature.table_of(FlatModel(flatten(builder.build()))) == {}


# Metadata with the reserved name are no signatures.
def test_reserved_name():
    builder = ModelBuilder()
    x, y = builder.tensor((2,), "float32"), builder.tensor((2, 1), "float32")
    builder.operator("RESHAPE", [x], [y])
    builder.io([x], [y])
    builder.metadata(layout.SIGNATURES, b"\xff\xff\xff")
    model = FlatModel(flatten(builder.build()))
    assert signature.table_of(model) == {} and model.metadata() == {}


# Damaged signatures of a .tflm with a matching CRC: a ModelError, or other names.
def test_damaged():
    image = flatten(build(metadata=False))
    at = bytes(image).index(b"serving_default") - 80
    size = 130
    chance = random.Random(3)
    refused = 0
    for _ in range(400):
        damaged = bytearray(image)
        for _ in range(chance.randint(1, 3)):
            damaged[at + chance.randrange(size)] = chance.choice([0, 1, 3, 200, 255])
        crc = binascii.crc32(memoryview(damaged)[layout.CRC_START :])
        struct.pack_into("<I", damaged, layout.CRC_OFFSET, crc)

        class Interpreter:
            model = FlatModel(damaged)

            def inputs_size(self):
                return 3

            def outputs_size(self):
                return 2

        try:
            for key in signature.table_of(Interpreter.model):
                found = signature.find(Interpreter(), key)
                assert all(position < 3 for position, _ in found._inputs)
        except UnsupportedError:
            continue
        except ModelError as error:
            assert "; " in str(error)
            refused += 1
    assert refused > 100
