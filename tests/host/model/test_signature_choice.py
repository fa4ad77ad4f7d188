# Tests of --signature: the sub-graph of a signature becomes the one that runs
# MIT license; Copyright (c) 2026 the tflm authors

import contextlib
import random
import struct

import numpy as np
import pytest
import tflm_tools as tt
from support.builder import ModelBuilder
from tflm.errors import ModelError, TflmError
from tflm.tflite.reader import TfliteModel
from tflm_tools.model.model_file import open_model
from tflm_tools.model.signature_choice import choose_signature

SUBGRAPHS = {"absolute": 0, "negative": 1}


def with_signatures(subgraphs):
    builder = ModelBuilder()
    x, y = builder.tensor((3,), "float32"), builder.tensor((3,), "float32")
    builder.operator("ABS", [x], [y])
    builder.io([x], [y])
    other = builder.subgraph("other")
    a, b = other.tensor((2,), "float32"), other.tensor((2,), "float32")
    other.operator("NEG", [a], [b])
    other.io([a], [b])
    for key, subgraph in subgraphs.items():
        builder.signature(key, {"in": subgraph and a or x}, {"out": subgraph and b or y}, subgraph)
    return builder.build()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(with_signatures(SUBGRAPHS))
    return path


@pytest.mark.parametrize("name, values, wanted", [
    ("absolute", [-1, 2, -3], [1, 2, 3]), ("negative", [4, -5], [-4, 5]),
])  # fmt: skip
def test_chosen_signature_runs(path, name, values, wanted):
    chosen = f"{path}#{name}"
    result = tt.run(chosen, np.array(values, np.float32))
    assert result.arrays[0].tolist() == wanted
    assert tt.verify(chosen).is_equal
    model = TfliteModel(open_model(chosen).data)
    assert list(model.signatures()) == [name] and model.signatures()[name][0] == 0


@pytest.mark.parametrize("suffix", ["--signature", "#"])
def test_flatten(tflm, path, tmp_path, suffix):
    model = [f"{path}#negative"] if suffix == "#" else [str(path), "--signature", "negative"]
    tflm("flatten", *model, "-o", tmp_path / "out.tflm")
    out = open_model(tmp_path / "out.tflm")
    assert [info.shape for info in out.inputs] == [(2,)]


@pytest.mark.parametrize("model, message", [
    (with_signatures(SUBGRAPHS), "no signature missing; its signatures are: absolute, negative"),
    (with_signatures({}), "no signature missing; it has no signatures"),
])  # fmt: skip
def test_unknown_signature(model, message):
    with pytest.raises(ModelError, match=message):
        choose_signature("m", model, "missing")


def test_signature_of_a_missing_sub_graph():
    with pytest.raises(ModelError, match="the signature negative of m is damaged"):
        choose_signature("m", with_signatures({"absolute": 0, "negative": 7}), "negative")


# Any changed word gives a model or a TflmError.
def test_damaged_files():
    rng, data = random.Random(12), with_signatures(SUBGRAPHS)
    for _ in range(400):
        changed = bytearray(data)
        struct.pack_into("<I", changed, 4 * rng.randrange(len(data) // 4), rng.getrandbits(32))
        for name in ("absolute", "negative"):
            with contextlib.suppress(TflmError):
                TfliteModel(choose_signature("m", bytes(changed), name))
