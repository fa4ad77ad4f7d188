# Tests of `tflm convert` with a float .tflite, using LiteRT's quantizer
# MIT license; Copyright (c) 2026 the tflm authors

import gzip
import re
import zipfile

import numpy as np
import pytest
import tflm_tools as tt
from host.converters.float_nets import FloatNet, digits_net, trained_digits
from support.builder import ModelBuilder
from tflm import dtypes
from tflm.errors import TflmError, UnsupportedError
from tflm.tflite.reader import TfliteModel
from tflm_tools.check.layers import EQUAL, ROUNDED
from tflm_tools.converters import process
from tflm_tools.converters.convert import Converted, Footprint, _notes_on_float, _notes_on_scores
from tflm_tools.errors import ToolError
from tflm_tools.measure.evaluation import Score
from tflm_tools.model.labels import labels_of_model, with_labels
from tflm_tools.model.model_file import open_model
from tflm_tools.model.schema import op_name
from tflm_tools.optimize.invoke_time import nodes_of

pytest.importorskip("litert_quantizer")


@pytest.fixture(scope="module")
def digits():
    """Weights, images and classes of a trained network."""
    return trained_digits()


@pytest.fixture
def folder(tmp_path, digits):
    """A folder with digits.tflite and its data, digits.npz."""
    (tmp_path / "digits.tflite").write_bytes(digits_net(digits))
    np.savez(tmp_path / "digits.npz", x=digits[3], y=digits[4])
    return tmp_path


def _convert(folder, name="digits.tflite", data="digits.npz", **options):
    data = folder / data if isinstance(data, str) else data
    return tt.convert(folder / name, data, folder / "out.tflite", **options)


@pytest.mark.parametrize(
    "types, options, dtype, max_bytes",
    [
        ("int8", {}, "int8", 5000),
        ("int8", {"weight_bits": 4}, "int8", 4000),
        ("int8", {"keep_float": True}, "float32", 5000),
        ("int16", {}, "int16", 5000),
        ("dynamic", {}, "float32", 4500),
        ("dynamic", {"weight_bits": 4}, "float32", 3500),
        ("weights-only", {}, "float32", 4500),
        ("weights-only", {"weight_bits": 4}, "float32", 3500),
    ],
)
def test_types(folder, types, options, dtype, max_bytes):
    result = _convert(folder, form=types, **options)
    model = open_model(folder / "out.tflite")
    assert [model.inputs[0].dtype, model.outputs[0].dtype] == [dtype] * 2
    assert len(model.data) == result.made.tflite_bytes < max_bytes
    assert result.before.accuracy > 0.9
    assert abs(result.after.accuracy - result.before.accuracy) <= 0.02
    assert result.made.per_channel == 2 and result.scored == 400
    if types in ("int8", "int16"):
        assert result.made.float_ops == {} and result.notes == []
        assert result.made.pico_ms < result.original.pico_ms / 3
        assert result.made.flash_bytes < result.original.flash_bytes
    if dtype == "int8" and not options:
        assert tt.verify(folder / "out.tflite", runs=2).is_equal()
    elif dtype == "int8":
        # TFLM has no int4 weights per channel. LiteRT's FULLY_CONNECTED rounds some of its outputs
        # to the next step, which SOFTMAX enlarges.
        found = tt.verify(folder / "out.tflite", runs=2, oracle_name="LiteRT", layers=True)
        rows = [row for each in found.layers for row in each.rows if row.op != "SOFTMAX"]
        assert rows and all(row.verdict in (EQUAL, ROUNDED) for row in rows)


# Float16 constants, an open batch, C source and missing names change nothing in the result.
@pytest.mark.parametrize("options", [{"half": True}, {"open_batch": True}])
def test_same_model_in_other_files(folder, digits, options):
    plain = _convert(folder)
    (folder / "other.tflite").write_bytes(digits_net(digits, **options))
    other = _convert(folder, "other.tflite")
    assert other.made.inputs[0].shape == (1, 8, 8, 1)
    assert other.after.accuracy == pytest.approx(plain.after.accuracy, abs=0.005)
    assert other.made.tflite_bytes < plain.made.tflite_bytes + 100


# Operators that compute in float16 compute in float32, with and without quantization.
def test_float16_operators(tmp_path):
    weights = np.random.default_rng(4).normal(size=(4, 8)).astype(np.float16)
    model = ModelBuilder("half")
    x, y = model.tensor((1, 8), "float32"), model.tensor((1, 4), "float32")
    half, sums = model.tensor((1, 8), "float16"), model.tensor((1, 4), "float16")
    model.operator("CAST", [x], [half], in_data_type=0, out_data_type=1)
    w = model.tensor(weights.shape, "float16", weights)
    model.operator("FULLY_CONNECTED", [half, w, None], [sums])
    model.operator("DEQUANTIZE", [sums], [y])
    model.io([x], [y])
    path = tmp_path / "half.tflite"
    path.write_bytes(model.build())
    with pytest.raises(UnsupportedError, match="tflm convert makes it float32"):
        tt.flatten(path, tmp_path / "half.tflm")
    converted = tt.convert(path, None, tmp_path / "out.tflite", form="float32")
    assert converted.made.ops == {"FULLY_CONNECTED": 1}
    run = np.arange(8, dtype=np.float32)[None]
    found = tt.run(tmp_path / "out.tflite", run).arrays[0]
    np.testing.assert_allclose(found, run @ weights.T.astype(np.float32), rtol=1e-5)
    examples = {"x": np.random.default_rng(5).normal(size=(60, 8)).astype(np.float32)}
    assert tt.convert(path, examples, tmp_path / "out.tflite").made.inputs[0].dtype == "int8"


# Products with a constant have one scale, or stay float32, as DIV does, where tflm has no kernel.
@pytest.mark.parametrize(
    "quantization, dtype", [("int8", "int8"), ("int16", "float32"), ("dynamic", "float32")]
)
def test_constant_products(tmp_path, quantization, dtype):
    random = np.random.default_rng(6)
    net = FloatNet((1, 2, 3, 8))
    x = net.inputs[0]
    for shape in ((8, 4), (2, 4, 8)):
        y = net.tensor((1, 2, 3, shape[-1]))
        w = net.constant(random.normal(size=shape).astype(np.float32))
        net.builder.operator("BATCH_MATMUL", [x, w], [y])
        x = y
    y = net.tensor((1, 2, 3, 8))
    net.builder.operator("DIV", [x, net.constant(np.full(8, 3, np.float32))], [y])
    (tmp_path / "net.tflite").write_bytes(net.build(y))
    data = {"x": random.normal(size=(60, 2, 3, 8)).astype(np.float32)}
    data = data if quantization in ("int8", "int16") else None
    tt.convert(tmp_path / "net.tflite", data, tmp_path / "out.tflite", form=quantization)
    tt.flatten(tmp_path / "out.tflite", tmp_path / "out.tflm")
    nodes = nodes_of(TfliteModel((tmp_path / "out.tflite").read_bytes()))
    found = [node.outputs[0].dtype for node in nodes if op_name(node) == "BATCH_MATMUL"]
    assert [*map(dtypes.name, found)] == [dtype] * 2


# The .tflite and the .tflm have the labels that were given, or the labels of the float model.
def test_labels(folder):
    names = [*"abcdefghij"]
    source, target = folder / "digits.tflite", folder / "out.tflite"
    _convert(folder, form="dynamic", data=None, labels=",".join(names))
    assert labels_of_model(open_model(target)) == names
    tt.flatten(target, folder / "out.tflm")
    assert labels_of_model(open_model(folder / "out.tflm")) == names
    source.write_bytes(with_labels(source.read_bytes(), "\n".join(reversed(names)).encode()))
    _convert(folder, form="dynamic", data=None)
    assert labels_of_model(open_model(target)) == names[::-1]
    with pytest.raises(ToolError, match="--labels has 2 names"):
        _convert(folder, form="dynamic", data=None, labels="a,b")


def test_c_source(folder):
    data = (folder / "digits.tflite").read_bytes()
    numbers = ", ".join(f"0x{byte:02x}" for byte in data)
    (folder / "model.h").write_text(f"const unsigned char model[] = {{{numbers}}};\n")
    assert _convert(folder, "model.h").made.inputs[0].dtype == "int8"


def test_table(tflm, folder):
    found = tflm("convert", folder / "digits.tflite", "--data", folder / "digits.npz",
                 "-o", folder / "out.tflite")  # fmt: skip
    assert (found.code, found.err) == (0, "")
    for words in ("LiteRT", "200 of 400 examples", "2 per channel", "bytes before",
                  "on a Pico (estimate)", "after, over 400 examples"):  # fmt: skip
        assert words in found.out, found.out
    found = tflm("convert", folder / "digits.tflite", "--dynamic", "-o", folder / "out.tflite")
    assert found.code == 0 and "on a Pico (estimate)" in found.out


# Inputs x0 and x1 in the order of the file; an operator that the quantizer does not know.
def test_two_inputs_and_float_operators(tmp_path):
    random = np.random.default_rng(1)
    net = FloatNet((1, 4), (1, 6))
    a = net.dense(net.inputs[0], random.normal(size=(90, 4)), np.zeros(90))
    b = net.dense(net.inputs[1], random.normal(size=(90, 6)), np.ones(90))
    total = net.tensor((1, 90))
    net.builder.operator("ADD", [a, b], [total])
    (tmp_path / "two.tflite").write_bytes(net.build(net.unary("LOG", total)))
    data = {"x0": random.normal(size=(60, 4)), "x1": random.normal(size=(60, 6))}
    result = _convert(tmp_path, "two.tflite", data)
    assert [t.shape for t in result.made.inputs] == [(1, 4), (1, 6)]
    assert result.made.float_ops == {"LOG": 1}
    wanted = r"computed in float32: LOG \(\d+% of the time on a Pico\); LiteRT's quantizer"
    assert any(re.match(wanted, note) for note in result.notes)
    result.made.float_shares["LOG"] = 0.01
    assert _notes_on_float(result) == []


# The range of a tensor covers all examples, also of an output with one element.
@pytest.mark.parametrize("types", ["int8", "int16"])
def test_one_element(tmp_path, types):
    net = FloatNet((1, 1))
    (tmp_path / "line.tflite").write_bytes(net.build(net.dense(net.inputs[0], [[2.0]], [1.0])))
    x = np.linspace(-1, 1, 101).reshape(-1, 1)
    result = _convert(tmp_path, "line.tflite", {"x": x, "y": 2 * x + 1}, form=types)
    assert result.made.inputs[0].scale == pytest.approx(
        2 / 255 if types == "int8" else 2**-15, 0.01
    )
    assert result.after.mean_error < 0.02 and not result.notes, result


# A note for a larger error names a remedy.
def test_note_on_the_error():
    before, after = Score(mean_error=0.01), Score(mean_error=0.13)
    result = Converted("", "", "", "int8", "", None, before=before, after=after)
    (note,) = _notes_on_scores(result, np.array([-1.0, 1.0]))
    assert note == (
        "the mean error grew by 6% of the range of y; try more data of all classes, or --int16"
    )
    result.weight_bits = 4
    assert _notes_on_scores(result, np.array([-1.0, 1.0]))[0].endswith("; leave out --int4")
    assert _notes_on_scores(result, np.array([-9.0, 1.0])) == []
    # If float32 is fast enough, it is the first remedy.
    result.weight_bits, result.source = 8, "my model.tflite"
    result.original = Footprint(1, 1, 1, 0.62)
    (note,) = _notes_on_scores(result, np.array([-1.0, 1.0]))
    said = "float32 loses nothing and takes about 620 µs on a Pico: tflm deploy 'my model.tflite'"
    assert f"; {said}; or try more data of all classes, or --int16" in note
    result.original = Footprint(1, 1, 1, 620)
    assert "float32" not in _notes_on_scores(result, np.array([-1.0, 1.0]))[0]


# A loop is refused before the quantizer runs, and its remedies work.
def test_loops(tflm, repository, tmp_path):
    model = repository / "tests" / "beyond" / "models" / "lstm_float.tflite"
    x = np.random.default_rng(1).normal(size=(60, *open_model(model).inputs[0].shape[1:]))
    with pytest.raises(ToolError, match="has a loop .*WHILE.*cannot be int8; .*give --dynamic"):
        tt.convert(model, {"x": x}, tmp_path / "out.tflite")
    said = tflm("inspect", model).out
    assert f"tflm convert {model} --dynamic -o lstm_float_dynamic.tflite" in said
    result = tt.convert(model, None, tmp_path / "out.tflite", form="dynamic")
    assert result.notes == ["activations stay float32"]


# EXPAND_DIMS and SQUEEZE become RESHAPE, which can be int8.
def test_squeeze(tmp_path):
    random = np.random.default_rng(1)
    net = FloatNet((1, 1, 4))
    x = net.unary("SQUEEZE", net.inputs[0], (1, 4), squeeze_dims=[1])
    y = net.dense(x, random.normal(size=(3, 4)), np.zeros(3))
    (tmp_path / "s.tflite").write_bytes(net.build(y))
    result = _convert(tmp_path, "s.tflite", {"x": random.normal(size=(60, 1, 4))})
    assert result.made.float_ops == {} and "SQUEEZE" not in result.made.ops


# An open height and width need --input-shape; the sizes inside follow.
def test_open_shape(tmp_path):
    random = np.random.default_rng(1)
    net = FloatNet((1, 1, 1, 1))
    net.builder.main.table.tensors[0].shapeSignature = [-1, -1, -1, 1]
    y = net.conv(net.inputs[0], random.normal(size=(2, 3, 3, 1)), np.zeros(2))
    (tmp_path / "open.tflite").write_bytes(net.build(y))
    data = {"x": random.normal(size=(60, 6, 5, 1))}
    with pytest.raises(ToolError, match="is .x.x.x1, .*--input-shape input_0=1,N,N,1"):
        _convert(tmp_path, "open.tflite", data)
    result = _convert(tmp_path, "open.tflite", data, input_shapes=["1,6,5,1"])
    assert result.made.outputs[0].shape == (1, 6, 5, 2)


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda x: np.where(x > 0.99, np.nan, x), "NaN or "),
        (lambda x: x[:, :4], "has the shape 400x4x8x1, input 'input_0' requires Nx8x8x1; reshape"),
        (lambda x: x[:5], "gives 5 examples, which are too few.*at least 10"),
        (lambda x: x * 0 + 0.5, "x is 0.5 everywhere, .*give real examples"),
        (lambda x: np.repeat(x[:1], 50, 0), "all examples of x are the same"),
        (lambda x: np.round(x * 255), "are bytes, 0 to 255, .*divide them as in training"),
    ],
)
def test_invalid_data(folder, digits, change, words):
    np.savez(folder / "bad.npz", x=change(digits[3]))
    with pytest.raises(ToolError, match=words) as error:
        _convert(folder, data="bad.npz")
    assert "\n" not in str(error.value) and not (folder / "out.tflite").exists()


# Sources without one float model: the sentence names what the file has, and nothing is written.
@pytest.mark.parametrize(
    "name, words",
    [
        ("two.h", "has 2 models .a, b.; name one, like .*two.h#a"),
        ("none.h", "none.h has no model: it has no array; give the file that holds a .tflite"),
        ("picture.h", "picture.h has no model: it has arrays picture; give the file"),
        ("damaged.zip", "damaged.zip is a damaged or encrypted zip archive; get it again"),
        ("two.zip", "has 2 models .a.tflite, b.tflite.; name one, like .*two.zip#a.tflite"),
        ("text.zip", "text.zip has no model: it has files a.txt; give the file"),
        ("cut.gz", "cut.gz is a damaged gzip file; get it again"),
    ],
)
def test_invalid_sources(tflm, folder, name, words):
    data = (folder / "digits.tflite").read_bytes()
    array = "const unsigned char {}[] = {{" + ", ".join(map(str, data)) + "}};\n"
    (folder / "two.h").write_text(array.format("a") + array.format("b"))
    (folder / "none.h").write_text("extern const unsigned char a[];\n")
    (folder / "picture.h").write_text("const unsigned char picture[] = {1, 2, 3};\n")
    for archive, files in (
        ("two", {"a.tflite": data, "b.tflite": data}),
        ("text", {"a.txt": b""}),
    ):
        with zipfile.ZipFile(folder / f"{archive}.zip", "w") as file:
            for each, content in files.items():
                file.writestr(each, content)
    (folder / "damaged.zip").write_bytes((folder / "two.zip").read_bytes()[:2000])
    (folder / "cut.gz").write_bytes(gzip.compress(data)[:2000])
    found = tflm("convert", folder / name, "--dynamic", "-o", folder / "out.tflite")
    assert found.code == 1 and found.err.count("\n") == 1, found.err
    assert re.search(words, found.err), found.err
    assert not (folder / "out.tflite").exists()


# Bytes are right for a model that divides them itself, or for one that was trained on bytes.
def test_bytes(folder, digits):
    def divide(net, x):
        return net.multiply(x, 1 / 255)

    (folder / "divides.tflite").write_bytes(digits_net(digits, divide))
    np.savez(folder / "bytes.npz", x=np.round(digits[3] * 255), y=digits[4])
    result = _convert(folder, "divides.tflite", "bytes.npz")
    assert result.before.accuracy > 0.9 and result.after.accuracy > 0.9
    with pytest.raises(ToolError, match="the model itself multiplies its input by 0.003922"):
        _convert(folder, "divides.tflite")
    assert _convert(folder, data="bytes.npz", pixels=(0, 255)).made.inputs[0].dtype == "int8"


def test_quantized_already(folder):
    _convert(folder)
    (folder / "out.tflite").rename(folder / "int8.tflite")
    with pytest.raises(ToolError, match="is already quantized .it has int8 tensors"):
        _convert(folder, "int8.tflite")


def test_damaged(folder):
    data = (folder / "digits.tflite").read_bytes()
    (folder / "cut.tflite").write_bytes(data[: len(data) // 2])
    with pytest.raises(TflmError):
        _convert(folder, "cut.tflite")
    assert not (folder / "out.tflite").exists()


def test_without_quantizer(tflm, folder, monkeypatch):
    monkeypatch.delenv("TFLM_LITERT", raising=False)
    monkeypatch.setattr(process.importlib.util, "find_spec", lambda name: None)
    found = tflm("convert", folder / "digits.tflite", "--dynamic", "-o", folder / "o.tflite")
    assert found.code == 1 and "LiteRT's quantizer, which quantizes a .tflite, is not" in found.err
    assert "litert-quantizer==" in found.err or "[quantize]" in found.err
    assert "name a Python that has it in TFLM_LITERT" in found.err
