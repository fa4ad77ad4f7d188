# Tests of `tflm transform` and `tflm requantize`
# MIT license; Copyright (c) 2026 the tflm authors

import io
import zipfile

import numpy as np
import pytest
from support.builder import ModelBuilder
from tflm.errors import ModelError
from tflm.introspection.signature import table_of
from tflm.tflite.reader import TfliteModel
from tflm_tools.check import oracle
from tflm_tools.check.verify import verify
from tflm_tools.errors import ToolError
from tflm_tools.model.arrays import dequantize, quantize
from tflm_tools.model.labels import labels_of
from tflm_tools.model.model_file import open_model
from tflm_tools.render.common import console
from tflm_tools.render.transform import print_requantized
from tflm_tools.transform import requantize, schema, transform


# An int8 model: a per-channel convolution, ADD of a constant, FULLY_CONNECTED and SOFTMAX.
@pytest.fixture
def network(tmp_path):
    rng = np.random.default_rng(5)
    builder = ModelBuilder("a description")

    def weights(*shape, scale, dimension=0):
        return builder.tensor(
            shape, "int8", rng.integers(-127, 128, shape), scale=scale,
            zero_point=[0] * len(scale), quantized_dimension=dimension, name="weights",
        )  # fmt: skip

    def bias(count, scale):
        values = rng.integers(-900, 900, count)
        return builder.tensor(
            (count,), "int32", values, scale=scale, zero_point=[0] * len(scale), name="bias"
        )

    scales = [0.01, 0.02, 0.004]
    x = builder.tensor((1, 4, 4, 2), "int8", scale=0.05, zero_point=7, name="x")
    rows = builder.tensor((1, 2, 2, 3), "int8", scale=0.1, zero_point=-3, name="rows")
    added = builder.tensor((3,), "int8", [5, -90, 40], scale=0.03, zero_point=-20, name="more")
    total = builder.tensor((1, 2, 2, 3), "int8", scale=0.11, zero_point=4, name="total")
    flat = builder.tensor((1, 12), "int8", scale=0.11, zero_point=4, name="flat")
    logits = builder.tensor((1, 4), "int8", scale=0.2, zero_point=0, name="logits")
    y = builder.tensor((1, 4), "int8", scale=1 / 256, zero_point=-128, name="y")
    builder.operator(
        "CONV_2D",
        [x, weights(3, 2, 2, 2, scale=scales), bias(3, [0.05 * s for s in scales])],
        [rows],
        stride_h=2,
        stride_w=2,
        padding="VALID",
    )
    builder.operator("ADD", [rows, added], [total])
    builder.operator("RESHAPE", [total], [flat])
    builder.operator(
        "FULLY_CONNECTED", [flat, weights(4, 12, scale=[0.01]), bias(4, [0.0011])], [logits]
    )
    builder.operator("SOFTMAX", [logits], [y], beta=1.0)
    builder.io([x], [y])
    builder.signature("serving_default", {"x": x}, {"y": y})
    builder.metadata("labels.txt", b"a\nb\nc\nd\n")
    path = tmp_path / "network.tflite"
    path.write_bytes(builder.build())
    return path


# A counter in a resource variable with a long name.
@pytest.fixture
def variables(tmp_path):
    builder = ModelBuilder()
    x = builder.tensor((2,), "int32", name="x")
    handles = [builder.tensor((), "resource") for _ in range(2)]
    old = builder.tensor((2,), "int32")
    y = builder.tensor((2,), "int32", name="y")
    name = "a_very_long_name_of_a_variable_" * 4
    for handle in handles:
        builder.operator("VAR_HANDLE", [], [handle], container="box", shared_name=name)
    builder.operator("READ_VARIABLE", [handles[0]], [old])
    builder.operator("ADD", [x, old], [y])
    builder.operator("ASSIGN_VARIABLE", [handles[1], y], [])
    builder.io([x], [y])
    path = tmp_path / "variables.tflite"
    path.write_bytes(builder.build())
    return path


def test_strip_strings(tflm, network, tmp_path):
    output = tmp_path / "small.tflite"
    found = tflm("transform", network, "-o", output, "--strip-strings", "--json")
    assert (found.code, found.err) == (0, "")
    report = found.json()
    assert report["done"] == ["strip-strings"]
    assert report["after_bytes"] == output.stat().st_size < report["before_bytes"]
    model = TfliteModel(output.read_bytes())
    assert open_model(output).inputs[0].name == ""
    assert table_of(model) == {}
    assert labels_of(output.read_bytes(), model.metadata()) == ["a", "b", "c", "d"]
    assert verify(output, runs=1).mismatch is None


def test_all_transforms(tflm, network, tmp_path):
    output = tmp_path / "small.tflite"
    found = tflm("transform", network, "-o", output)
    assert found.code == 0 and "TFLM gives the same outputs" in " ".join(found.out.split())
    subgraph = TfliteModel(output.read_bytes()).subgraphs[0]
    filters = [t for t in map(subgraph.tensor, range(subgraph.tensors_length()))
               if t.scales_length() == 3]  # fmt: skip
    assert filters and all(len(t._zero_points) == 1 for t in filters)


def test_shorten_variables(tflm, variables, tmp_path):
    output = tmp_path / "small.tflite"
    assert tflm("transform", variables, "-o", output, "--shorten-variables").code == 0
    assert b"a_very_long_name" not in output.read_bytes()
    result = verify(output, runs=3)  # the state is kept between runs
    assert result.mismatch is None


def test_constants_are_aligned_to_16_bytes(network, tmp_path):
    output = tmp_path / "small.tflite"
    transform.transform(network, output)
    subgraph = TfliteModel(output.read_bytes()).subgraphs[0]
    offsets = [t.offset for t in map(subgraph.tensor, range(subgraph.tensors_length()))
               if t.is_constant()]  # fmt: skip
    assert len(offsets) == 5 and not any(offset % 16 for offset in offsets)


# Labels in an archive that is appended to the model become metadata.
def test_archived_labels_are_kept(variables, tmp_path):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("labels.txt", "one\ntwo\n")
    variables.write_bytes(variables.read_bytes() + archive.getvalue())
    output = tmp_path / "small.tflite"
    transform.transform(variables, output)
    data = output.read_bytes()
    assert labels_of(data, TfliteModel(data).metadata()) == ["one", "two"]


def test_transform_that_changes_results_is_refused(network, tmp_path, monkeypatch):
    def spoil(model):
        bias = next(t for t in model.subgraphs[0].tensors if t.name == b"bias")
        values = np.frombuffer(schema.constant(model, bias), "<i4") + 90
        bias.buffer = schema.add_buffer(model, values.astype("<i4").tobytes())

    monkeypatch.setitem(transform.TRANSFORMS, "strip-strings", spoil)
    with pytest.raises(ToolError, match="output 0 of .* would change in the case"):
        transform.transform(network, tmp_path / "spoilt.tflite")
    assert not (tmp_path / "spoilt.tflite").exists()


def test_printed_result_of_requantize(capsys):
    distances = [requantize.Distance("y", 1 / 256, 0.003)]
    result = requantize.Requantized("a", "b.tflite", 7, 2, 2048, 3072, distances)
    print_requantized(result, console())
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "b.tflite", "2.0 KB became 3.0 KB", "7 activations in int16, 2 biases in int64",
    ]  # fmt: skip
    assert ["y", "0.00390625", "0.003"] in [line.split() for line in lines]


# Activations become int16 and biases int64, and MicroPython computes what TFLM computes.
def test_requantize(tflm, network, tmp_path):
    output = tmp_path / "wide.tflite"
    found = tflm("requantize", network, "-o", output, "--json")
    assert (found.code, found.err) == (0, "")
    report = found.json()
    assert (report["activations"], report["biases"]) == (7, 2)
    model = open_model(output)
    assert [t.dtype for t in model.inputs + model.outputs] == ["int16", "int16"]
    assert (model.outputs[0].scale, model.outputs[0].zero_point) == (1 / 32768, 0)
    result = verify(output, runs=3)
    assert result.mismatch is None and len(result.paths) == 2
    # Each layer of the int8 model adds an error of up to half a step.
    assert 0 < report["distances"][0]["largest"] < 0.1


# The requantized model is closer to the float network than the int8 model is.
def test_requantized_model_is_more_exact(network, tmp_path):
    output = tmp_path / "wide.tflite"
    requantize.requantize(network, output)
    rng = np.random.default_rng(8)
    errors = {}
    real = [rng.integers(-40, 41, (1, 4, 4, 2)) * 0.05 for _ in range(8)]
    for path in (network, output):
        model = open_model(path)
        # The output of ADD is the last tensor whose exact value is easy to compute.
        runs = [[quantize(x, model.inputs[0])] for x in real]
        outputs = oracle.run(model.data, runs, tensors="outputs")
        tensors = outputs.tensors
        subgraph = TfliteModel(model.data).subgraphs[0]
        number = next(i for i in range(subgraph.tensors_length())
                      if subgraph.tensor(i).name == "total")  # fmt: skip
        errors[path] = tensors[number].astype(np.float64), _scale(subgraph.tensor(number))
    exact = _exact_total(network, real[-1])
    distance = {
        path: np.abs((values - zero_point) * scale - exact).max()
        for path, (values, (scale, zero_point)) in errors.items()
    }
    assert distance[output] < distance[network] / 20


def _scale(tensor):
    bits = np.uint32(tensor.scale_bits())
    return float(bits.view(np.float32)), tensor.zero_point()


# CONV_2D and ADD of the network in floats, clamped to the range of int8.
def _exact_total(path, x):
    subgraph = TfliteModel(path.read_bytes()).subgraphs[0]
    tensors = [subgraph.tensor(i) for i in range(subgraph.tensors_length())]
    weights = next(t for t in tensors if t.name == "weights" and len(t.shape) == 4)
    bias = next(t for t in tensors if t.name == "bias" and t.shape == (3,))
    scales = np.array([np.uint32(weights.scale_bits(i)).view(np.float32) for i in range(3)])
    filters = np.frombuffer(bytes(weights.data), np.int8).reshape(3, 8) * scales[:, None]
    offsets = np.frombuffer(bytes(bias.data), "<i4") * scales * 0.05
    rows = np.empty((1, 2, 2, 3))
    for i in range(2):
        for j in range(2):
            window = x[0, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2].reshape(-1)
            rows[0, i, j] = filters @ window + offsets
    rows = np.clip(rows, -12.5, 13.0)
    return np.clip(rows + (np.array([5, -90, 40]) + 20) * 0.03, -14.52, 13.53)


def test_errors_of_requantize(tflm, layers, variables, tmp_path):
    output = tmp_path / "wide.tflite"
    found = tflm("requantize", variables, "-o", output)
    assert found.code == 1 and "has no int8 activations" in found.err
    builder = ModelBuilder()
    x = builder.tensor((1, 4), "int8", scale=0.1, zero_point=0)
    y = builder.tensor((1, 4), "int8", scale=0.1, zero_point=0)
    builder.operator("HARD_SWISH", [x], [y])
    builder.io([x], [y])
    path = tmp_path / "swish.tflite"
    path.write_bytes(builder.build())
    found = tflm("requantize", path, "-o", output)
    assert found.code == 1 and "cannot have int16 activations: HARD_SWISH" in found.err
    assert len(found.err.splitlines()) == 1 and not output.exists()
    flat = tmp_path / "layers.tflm"
    tflm("flatten", layers, "-o", flat)
    assert "needs the .tflite it was made from" in tflm("transform", flat, "-o", output).err


def test_error_without_the_wheel(tflm, layers, tmp_path, monkeypatch):
    monkeypatch.setattr(schema.importlib.util, "find_spec", lambda name: None)
    for command in ("transform", "requantize"):
        found = tflm(command, layers, "-o", tmp_path / "out.tflite")
        assert found.code == 1 and "-m pip install tflite-micro==" in found.err


def test_quantize_inverts_dequantize(network):
    info = open_model(network).inputs[0]
    values = np.arange(-20, 20, dtype=np.int8)
    assert np.array_equal(quantize(dequantize(values, info), info), values)


# An LSTM, for which TFLM's own requantize tool is made.
def test_requantized_lstm(shared_models, tmp_path):
    output = tmp_path / "wide.tflite"
    found = requantize.requantize(shared_models / "mnist_lstm_int8.tflite", output)
    assert found.biases == 5 and found.distances[0].largest < 0.02
    assert verify(output, runs=1).mismatch is None


# The names of twelve resource variables become numbers.
def test_shared_model_with_variables(shared_models, tmp_path):
    output = tmp_path / "small.tflite"
    source = shared_models / "microwakeword_okay_nabu.tflite"
    found = transform.transform(source, output)
    assert found.after_bytes < 0.8 * found.before_bytes
    assert verify(output, runs=2, form="tflite").mismatch is None


# Prepare does not check sub-graphs that never run; damage in them is an error, too.
@pytest.mark.parametrize("change", [transform.transform, requantize.requantize])
def test_damage_in_a_sub_graph_that_never_runs(change, tmp_path):
    model = ModelBuilder()
    x = model.tensor((4,), "int8", scale=0.5, zero_point=0)
    model.operator("RELU", [x], [x])
    model.io([x], [x])
    other = model.subgraph("other")
    y = other.tensor((4,), "int8", scale=0.5, zero_point=0)
    other.operator("RELU", [y], [y])
    other.table.operators[0].opcodeIndex = 77
    path = tmp_path / "model.tflite"
    path.write_bytes(model.build())
    with pytest.raises(ModelError, match="a section that does not run"):
        change(path, tmp_path / "out.tflite")
    assert not (tmp_path / "out.tflite").exists()
