# Tests of labels on the host: from metadata and from an archive appended to a .tflite
# MIT license; Copyright (c) 2026 the tflm authors

import io
import zipfile

import pytest
from support.builder import ModelBuilder
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.labels import labels_of


# A model with one operator, and the zip archive of `files` that TFLite Metadata appends.
def build(files=None, compression=zipfile.ZIP_STORED, metadata=None):
    builder = ModelBuilder()
    x, y = builder.tensor((3,), "float32", name="x"), builder.tensor((3, 1), "float32", name="y")
    builder.operator("RESHAPE", [x], [y])
    builder.io([x], [y])
    builder.signature("serving_default", {"x": x}, {"y": y})
    for name, data in (metadata or {}).items():
        builder.metadata(name, data)
    model = builder.build()
    if files is None:
        return model
    stream = io.BytesIO(model)
    with zipfile.ZipFile(stream, "a", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_labels_in_an_archive(tflm, tmp_path, compression):
    files = {"vocabulary.txt": b"no\n", "labels_en.txt": b"cat\ndog\nbird\n"}
    path = tmp_path / "model.tflite"
    path.write_bytes(build(files, compression))
    contents = tflm("inspect", path, "--json").json()["contents"]
    assert contents["labels"] == ["cat", "dog", "bird"]
    assert contents["metadata"] == {}
    assert contents["signatures"] == [
        {"key": "serving_default", "subgraph": 0, "inputs": ["x"], "outputs": ["y"]}
    ]
    flat = tmp_path / "model.tflm"
    assert tflm("flatten", path, "-o", flat).code == 0
    model = FlatModel(flat.read_bytes())
    assert bytes(model.metadata()["labels.txt"]) == files["labels_en.txt"]
    assert model.labels() == ["cat", "dog", "bird"]
    contents = tflm("inspect", flat, "--json").json()["contents"]
    assert contents["labels"] == ["cat", "dog", "bird"]
    assert contents["metadata"] == {"labels.txt": 13}
    assert contents["signatures"][0]["inputs"] == ["x"]
    text = tflm("inspect", path).out
    assert "serving_default(x) gives y" in text and "cat, dog, bird" in text


def test_long_lists_are_shortened(tflm, tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(build({"labels.txt": "\n".join(f"w{i}" for i in range(40)).encode()}))
    text = " ".join(tflm("inspect", path).out.split())
    assert "w0, w1, " in text and "w11 and 28 more" in text and "w12" not in text


# Labels in the metadata take precedence, and are not stored twice.
def test_labels_in_the_metadata_take_precedence():
    model = build({"labels.txt": b"archive"}, metadata={"my_labels": b"one\ntwo"})
    flat = FlatModel(flatten(model))
    assert sorted(flat.metadata()) == ["my_labels"]
    assert flat.labels() == ["one", "two"]


# The only text file holds the labels. Files that are not text, too large, or compressed by an
# unknown method are ignored.
def test_files_that_hold_labels():
    assert labels_of(build({"map.txt": b"a\nb"}), {}) == ["a", "b"]
    assert labels_of(build({"labels.bin": b"a\nb"}), {}) == []
    assert labels_of(build({"labels.txt": b"\xff\xff"}), {}) == []
    bomb = build({"labels.txt": b"a\n" * (1 << 20)}, zipfile.ZIP_DEFLATED)
    assert labels_of(bomb, {}) == []
    assert labels_of(build({"labels.txt": b"a\nb" * 90}, zipfile.ZIP_LZMA), {}) == []


def test_damaged_archives_have_no_labels():
    whole = build({"labels.txt": b"cat\ndog\n" * 20}, zipfile.ZIP_DEFLATED)
    start = len(build())
    found = []
    for at in range(start, len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        found.append(labels_of(bytes(damaged), {}))
    for end in range(start, len(whole)):
        assert labels_of(whole[:end], {}) == []
    assert [] in found and len(flatten(bytes(damaged))) > 0
