# Tests of `tflm learn`: accuracy is compared with scikit-learn
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import numpy as np
import pytest
import tflm_tools as tt
from support import learning_data
from support.single_op import Tensor, single_op
from tflm.errors import TflmError
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten
from tflm_tools.measure.evaluation import score_of_classes

TAUGHT = 5


@pytest.fixture(scope="module")
def data(repository):
    """{name: (model, x, y)}"""
    return {name: learning_data.load(repository, name) for name in learning_data.NAMES}


# (features, classes) of the examples in a file of Learner.save().
def _features(path, count):
    content = path.read_bytes()
    size, text = struct.unpack_from("<HI", content, 6)
    rows = np.frombuffer(content, np.int8, count * size, 16 + text + count)
    numbers = np.frombuffer(content, np.uint8, count, 16 + text)
    return rows.reshape(count, size).astype(float), numbers.astype(int)


# The classes that scikit-learn predicts for the features `asked`.
def _predicted(method, features, y, asked):
    from sklearn.linear_model import SGDClassifier
    from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

    classifier = {
        "prototypes": NearestCentroid(),
        "neighbours": KNeighborsClassifier(3),
        "sgd": SGDClassifier(random_state=0, max_iter=5000),
    }[method]
    return classifier.fit(features - features.mean(0), y).predict(asked - features.mean(0))


# Four classes are taught with five examples each, and tested with all others. `tflm eval` gets the
# same answers from the written .tflm, without a Learner.
@pytest.mark.sampled(2)
@pytest.mark.parametrize("method", ["prototypes", "neighbours", "sgd"])
@pytest.mark.parametrize("name", learning_data.NAMES)
def test_accuracy_equals_scikit_learn(data, tmp_path, name, method):
    model, x, y = data[name]
    x, y = x[y < 4], y[y < 4]
    output, file = tmp_path / "taught.tflm", tmp_path / "examples"
    result = tt.learn(model, {"x": x, "y": y}, output, method=method, examples=file)
    first, numbers = _features(file, 4 * TAUGHT)
    assert numbers.tolist() == list(range(4)) * TAUGHT
    learnt = np.concatenate([np.flatnonzero(y == c)[:TAUGHT] for c in range(4)])
    rest = np.setdiff1d(np.arange(len(y)), learnt)
    others = tmp_path / "others"
    tt.learn(model, {"x": x[rest], "y": y[rest]}, per_class=999, examples=others,
             test={"x": x[:1], "y": y[:1]})  # fmt: skip
    asked, wanted = _features(others, len(rest))
    theirs = score_of_classes(wanted, _predicted(method, first, numbers, asked), 4)
    assert result.count == len(rest) and result.features == first.shape[1]
    assert result.score.accuracy >= theirs.accuracy - 0.01
    if method == "prototypes":
        assert result.score == theirs
    again = tt.evaluate(output, {"x": x[rest], "y": y[rest]})
    assert again.score == result.score and again.labels == ["0", "1", "2", "3"]


def test_folders_and_one_class(tflm, data, tmp_path):
    from PIL import Image

    model, x, y = data["digits"]
    for name, number in (("zero", 0), ("one", 1), ("two", 2)):
        (tmp_path / "all" / name).mkdir(parents=True)
        for i, image in enumerate(x[y == number][:9]):
            path = tmp_path / "all" / name / f"{i}.png"
            Image.fromarray((image[..., 0] * 15).astype(np.uint8)).save(path)
    output = tmp_path / "taught.tflm"
    found = tflm("learn", model, "--data", tmp_path / "all", "-o", output, "--pixels", 0, 17)
    assert (found.code, found.err) == (0, "")
    assert "15 examples" in found.out and "of 12 others" in found.out and "zero" in found.out
    assert FlatModel(output.read_bytes()).labels() == ["one", "two", "zero"]
    # With one class, most examples of the class are usual, and all others are unusual.
    unusual = {}
    own = {"x": x[y == 0][:10], "y": np.zeros(10, int)}
    for name, asked in (("own", x[y == 0][10:]), ("others", x[y > 0][:50])):
        result = tt.learn(model, own, test={"x": asked, "y": np.zeros(len(asked), int)})
        assert result.threshold > 0 and result.count == len(asked)
        unusual[name] = result.unusual / len(asked)
    assert unusual["others"] > 0.8 and unusual["own"] < 0.2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"feature": "nothing"}, "--feature nothing names no tensor.*reshape_1"),
        ({"feature": "PartitionedCall:0"}, "is already an output"),
        ({"method": "trees"}, "no method 'trees'"),
        ({"per_class": 999}, "no example is left to test; teach fewer with --per-class"),
    ],
)
def test_errors_of_options(data, options, said):
    model, x, y = data["digits"]
    with pytest.raises(TflmError, match=said):
        tt.learn(model, {"x": x, "y": y}, **options)


def test_errors_of_data(data, repository, tmp_path):
    model, x, y = data["digits"]
    with pytest.raises(TflmError, match="y is float64, not one class for each example"):
        tt.learn(model, {"x": x, "y": y + 0.5})
    with pytest.raises(TflmError, match="it must be int8"):
        floats = tmp_path / "floats.tflite"
        floats.write_bytes(
            single_op("ABS", [Tensor((1, 4), "float32")], [Tensor((1, 4), "float32")])
        )
        tt.learn(flattened(floats, tmp_path), {"x": np.zeros((9, 4)), "y": np.zeros(9, int)})


def flattened(path, folder):
    """Write the .tflm of a .tflite, without optimization passes, and return its path."""
    flat = folder / "made.tflm"
    flat.write_bytes(flatten(path.read_bytes(), without=("all",)))
    return flat
