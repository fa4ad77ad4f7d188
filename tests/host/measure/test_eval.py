# Tests of `tflm eval`: accuracy, confusion matrix and errors over a data set
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.builder import ModelBuilder
from tflm_tools.measure import dataset
from tflm_tools.measure.evaluation import evaluate
from tflm_tools.model.model_file import open_model


@pytest.fixture
def digits(repository):
    return repository / "models" / "digits"


def test_printed_evaluation(tflm, digits):
    found = tflm("eval", digits / "digits_int8.tflite", "--data", digits / "digits_test.npz",
                 "--compare")  # fmt: skip
    assert (found.code, found.err) == (0, "")
    for word in ("98.61 %", "355 of 360", "equal", "label \\ found", "arena"):
        assert word in found.out, word
    assert max(map(len, found.out.splitlines())) <= 80


# The scores do not depend on the number of processes, and the matrix counts every example.
def test_scores_of_several_processes(digits):
    scores = []
    for jobs in (1, 3):
        steps = []
        result = evaluate(
            digits / "digits_int8.tflite", digits / "digits_test.npz", limit=130, jobs=jobs,
            progress=lambda done, total, steps=steps: steps.append((done, total)),
        )  # fmt: skip
        assert steps[-1] == (130, 130) and steps == sorted(steps) and len(steps) >= jobs
        assert sum(map(sum, result.score.confusion)) == result.count == 130
        labels = np.load(digits / "digits_test.npz")["y"][:130]
        assert [sum(row) for row in result.score.confusion] == np.bincount(labels).tolist()
        scores.append(result.score)
    assert scores[0] == scores[1]


def test_score_with_wrong_labels(digits, tmp_path):
    with np.load(digits / "digits_test.npz") as file:
        x, y = file["x"][:20], file["y"][:20].copy()
    np.savez(tmp_path / "right.npz", x=x, y=y)
    y[:5] = (y[:5] + 1) % 10
    np.savez(tmp_path / "wrong.npz", x=x, y=y)
    right, wrong = (
        evaluate(digits / "digits_int8.tflite", tmp_path / name, jobs=1).score.right
        for name in ("right.npz", "wrong.npz")
    )
    assert right == 20 and wrong == 15


def test_mean_error_of_values(tflm, repository, tmp_path):
    x = np.linspace(0, 6.28, 40, dtype=np.float32)[:, None]
    np.savez(tmp_path / "sine.npz", x=x, y=np.sin(x))
    path = repository / "models" / "hello_world" / "hello_world_int8.tflite"
    found = tflm("eval", path, "--data", tmp_path / "sine.npz", "--compare", "--json").json()
    score = found["score"]
    assert 0 < score["mean_error"] < 0.02 and score["accuracy"] is None
    assert found["comparison"]["differing"] == 0 and found["comparison"]["score"] == score
    np.savez(tmp_path / "high.npz", x=x, y=np.sin(x) + 1)
    high = tflm("eval", path, "--data", tmp_path / "high.npz", "--json").json()["score"]
    assert high["mean_error"] == pytest.approx(1, abs=0.03)


# Values of the input's type are not quantized again, and give the same scores as real values.
def test_quantized_values(digits, tmp_path):
    with np.load(digits / "digits_test.npz") as file:
        x, y = file["x"][:30], file["y"][:30]
    raw = np.clip(np.trunc(x / 0.062745101749897 + 0.5) - 128, -128, 127).astype(np.int8)
    np.savez(tmp_path / "raw.npz", x=raw, y=y)
    np.savez(tmp_path / "flat.npz", x=x.reshape(30, 8, 8).astype(float), y=y[:, None])
    a, b = (
        evaluate(digits / "digits_int8.tflite", tmp_path / name, jobs=1)
        for name in ("raw.npz", "flat.npz")
    )
    assert a.score == b.score and not a.notes


def test_note_on_scaling(digits, tmp_path):
    with np.load(digits / "digits_test.npz") as file:
        x, y = file["x"][:10], file["y"][:10]
    np.savez(tmp_path / "large.npz", x=x * 16.0, y=y)
    result = evaluate(digits / "digits_int8.tflite", tmp_path / "large.npz", jobs=1)
    assert "outside of 0 to 16" in result.notes[0]


# Two inputs, batches of 3 of which the last is not full, and one output that is a probability.
def test_incomplete_batch(tmp_path):
    model = ModelBuilder("sum")
    a, b, c = (model.tensor((3, 1), "float32", name=n) for n in "abc")
    model.operator("ADD", [a, b], [c])
    model.io([a, b], [c])
    (tmp_path / "sum.tflite").write_bytes(model.build())
    x0 = np.array([[0.0], [0.2], [0.4], [0.6], [1.0]], np.float32)
    x1 = np.array([[0.2], [0.2], [0.3], [0.3], [0.0]], np.float32)
    np.savez(tmp_path / "data.npz", x0=x0, x1=x1, y=np.array([0, 1, 1, 1, 0]))
    result = evaluate(tmp_path / "sum.tflite", tmp_path / "data.npz", compare=True)
    assert result.batch == 3 and result.count == 5
    assert result.score.confusion == [[1, 1], [1, 2]]
    assert result.comparison.differing == 0


# The state is reset before each example, in every process.
def test_state_is_reset(tmp_path, repository):
    path = repository.parent / "shared" / "models" / "mnist_lstm_int8.tflite"
    if not path.exists():
        pytest.skip("there is no mnist_lstm_int8.tflite")
    from tflm_tools.model.model_file import open_model

    model = open_model(path)
    x = np.random.default_rng(3).integers(-128, 128, (4, *model.inputs[0].shape[1:]), np.int8)
    x[1:] = x[0]
    np.savez(tmp_path / "data.npz", x=x, y=np.arange(4))
    result = evaluate(path, tmp_path / "data.npz", compare=True, jobs=2)
    assert result.comparison.differing == 0
    assert len([1 for k in range(10) if any(row[k] for row in result.score.confusion)]) == 1


_X = np.zeros((5, 8, 8, 1))
_Y = np.zeros(5, int)


@pytest.mark.parametrize(
    "arrays, words",
    [
        ({"x": _X}, "has no array y"),
        ({"y": _Y}, "has no array x, only y"),
        ({"x": np.zeros((5, 3)), "y": _Y}, "x has the shape 5x3"),
        ({"x": np.float64(1), "y": _Y}, "give N examples"),
        ({"x": np.zeros((0, 8, 8)), "y": np.zeros(0, int)}, "at least one"),
        ({"x": _X, "y": _Y[:4]}, "y has the shape 4"),
        ({"x": _X, "y": _Y + 10}, "classes 10 to 10"),
        ({"x": _X, "y": _Y - 1}, "classes -1 to -1"),
        ({"x": _X, "y": np.zeros((5, 3))}, "y is float64"),
        ({"x": _X, "y": np.full((5, 10), np.nan)}, "y holds a NaN"),
        ({"x": _X * np.nan, "y": _Y}, "x holds a NaN"),
        ({"x": np.array(["a"] * 5), "y": _Y}, "not numbers"),
        ({"x": np.array([{}]), "y": _Y}, "is not a .npz of numbers"),
    ],
)
def test_errors_of_data(tflm, digits, tmp_path, arrays, words):
    np.savez(tmp_path / "bad.npz", **arrays)
    found = tflm("eval", digits / "digits_int8.tflite", "--data", tmp_path / "bad.npz")
    assert found.code == 1 and words in found.err, found.err
    assert found.err.count("\n") == 1 and found.out == ""


def test_damaged_files(tflm, digits, tmp_path):
    whole = (digits / "digits_test.npz").read_bytes()
    bad = tmp_path / "bad.npz"
    random = np.random.default_rng(5)
    for i in range(40):
        data = bytearray(whole[: random.integers(len(whole))] if i % 2 else whole)
        for at in random.integers(0, max(len(data), 1), 20):
            if at < len(data):
                data[at] ^= 1 << random.integers(8)
        bad.write_bytes(data)
        found = tflm("eval", digits / "digits_int8.tflite", "--data", bad, "--limit", 1)
        assert found.code in (0, 1) and (found.code == 0 or found.err.count("\n") == 1)
    np.save(tmp_path / "bad.npy", np.zeros(3))
    found = tflm("eval", digits / "digits_int8.tflite", "--data", tmp_path / "bad.npy")
    assert found.code == 1 and "is not a .npz" in found.err


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_one_hot_rows_are_classes(digits, tmp_path, dtype):
    with np.load(digits / "digits_test.npz") as file:
        x, y = file["x"][:30], file["y"][:30]
    np.savez(tmp_path / "hot.npz", x=x, y=np.eye(10, dtype=dtype)[y])
    score = evaluate(digits / "digits_int8.tflite", tmp_path / "hot.npz", jobs=1).score
    assert score.right == 30 and [sum(row) for row in score.confusion] == np.bincount(y).tolist()


# A model that TFLM refuses is evaluated, with a note that says why it is not compared.
def test_model_that_tflm_refuses(tflm, repository, tmp_path):
    model = repository / "tests" / "beyond" / "models" / "hybrid_dynamic.tflite"
    info = open_model(model).inputs[0]
    x = np.random.default_rng(2).normal(size=(4, *info.shape[1:])).astype(np.float32)
    np.savez(tmp_path / "x.npz", x=x, y=np.zeros(4, np.int64))
    found = tflm("eval", model, "--data", tmp_path / "x.npz", "--compare")
    assert (found.code, found.err) == (0, "")
    assert "of 4" in found.out and "nothing to compare with: TFLM itself" in found.out


# A small file that unpacks to a large size is refused before it is unpacked.
def test_zip_bomb_is_refused(tflm, digits, tmp_path, monkeypatch):
    monkeypatch.setattr(dataset, "_MAX_BYTES", 1 << 20)
    bad = tmp_path / "bomb.npz"
    x = np.zeros((3 << 15, 8, 8, 1), np.uint8)
    np.savez_compressed(bad, x=x, y=np.zeros(len(x), np.int64))
    assert bad.stat().st_size < 1 << 19
    monkeypatch.setattr(np, "load", None)  # any attempt to unpack would fail
    found = tflm("eval", digits / "digits_int8.tflite", "--data", bad)
    assert found.code == 1 and "bomb.npz unpacks to 0.0 GB" in found.err, found.err


def test_note_on_bytes_for_a_float_input(tmp_path):
    builder = ModelBuilder()
    x = builder.tensor((1, 4), "float32", name="x")
    y = builder.tensor((1, 4), "float32", name="y")
    builder.operator("RELU", [x], [y])
    builder.io([x], [y])
    path = tmp_path / "relu.tflite"
    path.write_bytes(builder.build())
    rng = np.random.default_rng(1)
    bytes_ = rng.integers(0, 256, (6, 4))
    for values, noted in (
        (bytes_.astype(np.uint8), True), (bytes_.astype(np.float64), True),
        (bytes_ / 255, False), (bytes_ + 300.0, False), (bytes_ - 128.0, False),
        (bytes_ % 16, False),
    ):  # fmt: skip
        np.savez(tmp_path / "x.npz", x=values, y=np.zeros(6, np.int64))
        notes = evaluate(path, tmp_path / "x.npz", jobs=1).notes
        assert any("divided by 255" in note for note in notes) == noted, (values, notes)
