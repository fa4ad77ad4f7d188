# Tests of classes with names: folders, words of a .csv, labels, and orders that are wrong
# MIT license; Copyright (c) 2026 the tflm authors

from types import SimpleNamespace

import numpy as np
import pytest
from support.builder import ModelBuilder
from tflm_tools.errors import ToolError
from tflm_tools.measure import dataset
from tflm_tools.measure.class_order import order_of, permutation
from tflm_tools.measure.examples import ReadOptions

_NAMES = ["idle", "wave", "circle", "punch"]


def _info(shape):
    return SimpleNamespace(
        name="x", shape=shape, dtype="float32", scale=0.0, zero_point=0, block=None,
        bytes=4 * int(np.prod(shape)), numpy_dtype=lambda: np.dtype("float32"),
    )  # fmt: skip


# A model that returns its four inputs, so the class of an example is its largest number.
@pytest.fixture
def model(tmp_path):
    builder = ModelBuilder()
    x, y = (builder.tensor((1, 4), "float32", name=name) for name in "xy")
    builder.operator("RELU", [x], [y])
    builder.io([x], [y])
    path = tmp_path / "gesture.tflite"
    path.write_bytes(builder.build())
    return path


# Folders of tables, three for each of the classes; `names` are the folders in the model's order.
def _folders(path, names):
    for number, name in enumerate(names):
        (path / name).mkdir(parents=True)
        for i in range(3):
            row = np.eye(4)[number] * (i + 1)
            (path / name / f"{i}.csv").write_text(",".join(map(str, row)))
    return path


def test_folders_in_another_order_are_reported(tflm, model, tmp_path):
    data = _folders(tmp_path / "rec", _NAMES)
    found = tflm("eval", model, "--data", data)
    assert found.code == 1 and "0.00 %" in found.out
    text = " ".join(found.out.split())
    assert "0 circle, 1 idle, 2 punch, 3 wave (alphabetical order; --labels sets" in text
    assert "circle is output 2, not 0" in found.err and "(100% of the examples" in found.err
    assert found.err.rstrip().endswith("give --labels idle,wave,circle,punch")
    found = tflm("eval", model, "--data", data, "--labels", "idle,wave,circle,punch")
    assert (found.code, found.err) == (0, "") and "100.00 %" in found.out
    assert "0 idle, 1 wave, 2 circle, 3 punch (--labels)" in " ".join(found.out.split())
    # Classes of arrays have no names.
    np.savez(tmp_path / "x.npz", x=np.eye(4)[[0, 0, 1, 1, 2, 2]], y=[1, 1, 0, 0, 2, 2])
    found = tflm("eval", model, "--data", tmp_path / "x.npz", "--json")
    assert found.code == 1 and "0 is output 1, not 0" in found.err and "renumber y" in found.err
    assert found.json()["score"]["right"] == 2


def test_some_of_the_classes(tflm, model, tmp_path):
    data = _folders(tmp_path / "rec", _NAMES[:3])
    found = tflm("eval", model, "--data", data)
    assert found.code == 1 and "3 classes (circle, idle, wave), the model has 4" in found.err
    found = tflm("eval", model, "--data", data, "--labels", "Idle, Wave,CIRCLE,punch")
    assert found.code == 0 and "100.00 %" in found.out, found.err
    found = tflm("eval", model, "--data", data, "--labels", "idle,wave,round,punch")
    assert found.code == 1 and "circle: not among the --labels" in found.err


# A file has a name in each line; a missing label or a missing file is not one label.
def test_labels_of_a_file(tflm, model, tmp_path):
    data = _folders(tmp_path / "rec", _NAMES)
    path = tmp_path / "labels.txt"
    path.write_text("\n".join(_NAMES) + "\n")
    found = tflm("eval", model, "--data", data, "--labels", path)
    assert found.code == 0 and "100.00 %" in found.out, found.err
    path.write_text("\n".join(_NAMES[1:]))
    for labels, count in ((path, "3 names"), (tmp_path / "none.txt", "1 name")):
        found = tflm("eval", model, "--data", data, "--labels", labels)
        assert found.code == 1 and f"--labels has {count} (" in found.err, found.err
        assert "the model has 4 classes; give the names" in found.err


@pytest.mark.parametrize(
    "names, labels, numbers, source",
    [
        (["idle", "wave"], ["Wave", "Idle", "Punch"], [1, 0], "labels of the model"),
        (["front_door"], ["Bell", "Front Door"], [1], "labels of the model"),
        (["a", "A"], ["A", "a"], [1, 0], "labels of the model"),
        (["7", "10"], [], [7, 10], "numbers of the outputs"),
        (["7", "1"], [str(i) for i in range(10)], [7, 1], "labels of the model"),
        (["wave", "idle"], ["Welle", "Ruhe"], [1, 0], "alphabetical"),
    ],
)
def test_order_of_names(names, labels, numbers, source):
    found, order = order_of(names, labels)
    assert [found[name] for name in names] == numbers and order.source == source
    assert sorted(order.names) == sorted(numbers)


def test_unknown_names():
    with pytest.raises(ToolError, match="jump: not among the labels of the model, Idle, Wave"):
        order_of(["idle", "jump"], ["Idle", "Wave"])


def test_permutations():
    matrix = np.diag([9, 9, 9, 9])
    assert permutation(matrix) is None and permutation([]) is None
    assert permutation(matrix[[1, 0, 2, 3]]) == [1, 0, 2, 3]
    assert permutation(matrix[[1, 0, 2, 3]] + 1) == [1, 0, 2, 3]
    assert permutation(matrix[[1, 0, 2, 3]] + 3) is None  # too many of other classes
    assert permutation([[0, 1], [1, 0]]) is None  # too few examples
    assert permutation([[4, 5], [5, 4]]) is None  # a poor model
    assert permutation([[0, 9, 0], [0, 9, 0], [0, 0, 9]]) is None  # two classes in one
    assert permutation([[0, 9, 0], [9, 0, 0], [0, 0, 0]]) == [1, 0, 2]


def _load(path, shape=(1, 2), outputs=(1, 3), **options):
    wanted = None if outputs is None else [_info(outputs)]
    return dataset.load(path, [_info(shape)], wanted, ReadOptions(**options))


# Rows as spreadsheets and loggers write them: (text, inputs, classes).
_TABLES = {
    "words": ("a,b,gesture\n1,2,wave\n3,4,idle\n5,6,punch\n", [2, 0, 1]),
    "words first": ("what,a,b\nwave,1,2\nidle,3,4\npunch,5,6\n", [2, 0, 1]),
    "numbers": ("1,2,2\n3,4,0\n5,6,1\n", [2, 0, 1]),
    "semicolons": ("a;b;y\n1,0;2,0;2\n3,0;4;0\n5;6,0;1\n", [2, 0, 1]),
    "tabs": ("1\t2\twave\n3\t4\tidle\n5\t6\tpunch\n", [2, 0, 1]),
    "separators at ends": ("1;2;2;\n3;4;0;\n5;6;1;\n", [2, 0, 1]),
    "BOM and empty lines": ("\ufeff1,2,2\n\n3,4,0\n ,,\n5,6,1\n", [2, 0, 1]),
    "times": ("time,a,b,y\n7,1,2,2\n8,3,4,0\n9,5,6,1\n", [2, 0, 1]),
    "dates": ("2026-11-28 10:00,1,2,2\n2026-11-28 10:01,3,4,0\n2026-11-29,5,6,1\n", [2, 0, 1]),
    "pandas": (",0,1,y\n0,1,2,wave\n1,3,4,idle\n2,5,6,punch\n", [2, 0, 1]),
    "numbered columns": ("0,1,y\n1,2,wave\n3,4,idle\n5,6,punch\n", [2, 0, 1]),
    "one-hot": ("1,2,0,0,1\n3,4,1,0,0\n5,6,0,1,0\n", [2, 0, 1]),
}


@pytest.mark.parametrize("name", _TABLES)
def test_tables_of_classes(tmp_path, name):
    text, classes = _TABLES[name]
    for i, data in enumerate((text.encode(), text.encode("utf-16"))):
        if i and "BOM" in name:
            continue
        path = tmp_path / f"{i}.csv"
        path.write_bytes(data)
        found = _load(path)
        assert [run[0].tolist() for run in found.runs] == [[[1, 2]], [[3, 4]], [[5, 6]]]
        assert found.labels.tolist() == classes


@pytest.mark.parametrize(
    "text, outputs, values",
    [
        ("t,rh,soil\n1,2,42.5\n3,4,7\n", (1, 1), [[42.5], [7]]),
        ("1;2;42,5\n3;4;7\n", (1, 1), [[42.5], [7]]),
        ("1,2,42\n3,4,7\n", (1, 1), [[42], [7]]),
        ("1,2,0.5,3\n3,4,1.5,2\n", (1, 2), [[0.5, 3], [1.5, 2]]),
    ],
)
def test_tables_of_values(tmp_path, text, outputs, values):
    (tmp_path / "x.csv").write_text(text)
    found = _load(tmp_path / "x.csv", outputs=outputs)
    assert found.labels is None and found.values.tolist() == values
    assert [run[0].tolist() for run in found.runs] == [[[1, 2]], [[3, 4]]]


# A row for each sample: rows of one class are cut into windows of the input's length.
def test_tables_of_samples(tmp_path):
    rows = np.arange(24).reshape(12, 2)
    words = ["idle"] * 5 + ["wave"] * 7
    lines = [f"{a},{b},{word}" for (a, b), word in zip(rows, words, strict=True)]
    (tmp_path / "x.csv").write_text("ax,ay,what\n" + "\n".join(lines))
    for shape in ((1, 2, 2), (1, 2, 2, 1), (1, 4)):
        found = _load(tmp_path / "x.csv", shape, (1, 2))
        assert found.labels.tolist() == [0, 0, 1, 1, 1]
        x = np.concatenate([run[0].reshape(1, 4) for run in found.runs])
        starts = [0, 4, 10, 14, 18]
        assert x.tolist() == [[*range(start, start + 4)] for start in starts]
        assert "5 windows of 2 rows; 2 rows at ends" in found.notes[0]
    # A time that goes back begins another recording.
    lines = [f"{i % 5},{line}" for i, line in enumerate(lines)]
    (tmp_path / "t.csv").write_text("time,ax,ay,what\n" + "\n".join(lines))
    assert _load(tmp_path / "t.csv", (1, 2, 2), (1, 2)).labels.tolist() == [0, 0, 1, 1, 1]
    assert _load(tmp_path / "t.csv", (1, 5, 2), (1, 2)).labels.tolist() == [0, 1]
    with pytest.raises(ToolError, match="windows of 6 rows need .* at most 5"):
        _load(tmp_path / "t.csv", (1, 6, 2), (1, 2))
    # Recordings in folders of their classes, with times.
    for name in ("idle", "wave"):
        (tmp_path / "rec" / name).mkdir(parents=True)
        (tmp_path / "rec" / name / "1.csv").write_text("time,ax,ay\n" + "0,1,2\n" * 7)
    assert _load(tmp_path / "rec", (1, 3, 2), (1, 2)).labels.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "no numbers"),
        ("a,b,c\n", "no numbers"),
        ("1,2\n", "1 row of 2 columns between commas; input 'x' has 2 numbers: write these a"),
        ("1,2,0\n1,2\n", "line 2 has 2 columns, line 1 has 3"),
        ("a,b,y\n1,2,0\n1,?,1\n1,2,1\n", r"line 3, column 2 \(b\) is '\?', not a number"),
        ("1,2,0.5\n", "line 1, column 3 is '0.5', which is not a class; write whole numbers or w"),
        ("1,2,x,y\n", "column 3 has words like 'x', column 4, too"),
        ("1;2;3;4;5;6\n", "6 columns between semicolons"),
    ],
)
def test_errors_of_tables(tmp_path, text, words):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(ToolError, match=words):
        _load(tmp_path / "x.csv")
