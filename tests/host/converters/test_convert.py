# Tests of `tflm convert`; tests that convert a model need TensorFlow (make -C tests convert)
# MIT license; Copyright (c) 2026 the tflm authors

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import tflm_tools as tt
from tflm_tools.converters import process, reasons, values
from tflm_tools.converters.examples import Examples, choose
from tflm_tools.errors import ToolError
from tflm_tools.measure.evaluation import evaluate
from tflm_tools.measure.examples import ReadOptions
from tflm_tools.model.model_file import TensorInfo


# The first tests run without TensorFlow.
def test_note_on_columns_of_another_range():
    rng = np.random.default_rng(3)
    runs = [[rng.uniform((5, 0, 7), (40, 1000, 7), (1, 3)).astype("f")] for _ in range(50)]
    source = TensorInfo("sensors", "float32", (1, 3), 0.0, 0, 12)
    quantized = TensorInfo("sensors", "int8", (1, 3), 1000 / 255, -128, 3)
    (note,) = values.notes_on_columns(runs, [source], [quantized])
    assert "column 0 of input sensors has 7.998 to 39.07, which is 8 of 256 steps;" in note
    kept_float = TensorInfo("sensors", "float32", (1, 3), 0.0, 0, 12)
    assert not values.notes_on_columns(runs, [source], [kept_float])
    same = [[run[0] / (1, 30, 1)] for run in runs]
    quantized = TensorInfo("sensors", "int8", (1, 3), 40 / 255, -128, 3)
    assert not values.notes_on_columns(same, [source], [quantized])
    image = TensorInfo("image", "float32", (1, 3, 1, 1), 0.0, 0, 12)
    assert not values.notes_on_columns(runs, [image], [quantized])


def test_choose_balances_classes():
    assert choose(3, 5) == [0, 1, 2]
    assert choose(10, 4) == [0, 2, 5, 7]
    labels = np.array([0] * 90 + [1] * 8 + [2] * 2)
    chosen = choose(100, 30, labels)
    assert chosen == sorted(set(chosen)) and len(chosen) == 30
    # Classes 1 and 2 have no more examples.
    assert np.bincount(labels[chosen]).tolist() == [20, 8, 2]
    assert np.bincount(labels[choose(100, 6, labels)]).tolist() == [2, 2, 2]
    assert choose(100, 20, labels)[0] == 0 and max(np.diff(choose(100, 20, labels)[:10])) <= 9


_INPUT = TensorInfo("input", "float32", (1, 2, 3), 0.0, 0, 24)
_OUTPUT = TensorInfo("output", "float32", (1, 4), 0.0, 0, 16)


# Without y no examples are scored; with y they are, and the taken examples are balanced.
def test_examples_with_and_without_targets(tmp_path):
    x = np.arange(60.0).reshape(10, 2, 3)
    y = np.array([0] * 7 + [3] * 3)
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "x.npz", x=x)
    np.savez(tmp_path / "xy.npz", x=x, y=y)
    rows = [",".join(map(str, row)) for row in x.reshape(10, 6)]
    (tmp_path / "x.csv").write_text("\n".join(rows))
    (tmp_path / "xy.csv").write_text("\n".join(f"{r},{c}" for r, c in zip(rows, y, strict=True)))
    (tmp_path / "folder").mkdir()
    for i, row in enumerate(rows):
        (tmp_path / "folder" / f"{i}.csv").write_text(row)
    for name in ("x.npy", "x.npz", "x.csv", "folder"):
        found = Examples(tmp_path / name, [_INPUT], [_OUTPUT], ReadOptions(limit=5))
        assert found.scored is None and found.classes == [] and found.available == 10
        assert [run[0][0, 0, 0] for run in found.taken.runs] == [0, 12, 24, 36, 48], name
    for name in ("xy.npz", "xy.csv"):
        found = Examples(tmp_path / name, [_INPUT], [_OUTPUT], ReadOptions(limit=6))
        assert found.classes == [(0, 3, 7), (3, 3, 3)] and found.scored.count == 10


@pytest.fixture
def sources(tmp_path, layers):
    """A folder with files that are not models, or that cannot be converted."""
    (tmp_path / "folder").mkdir()
    texts = {"old.keras": b"\x89HDF\r\n\x1a\n", "bad.keras": b"none", "bad.h5": b"none",
             "saved_model.pb": b"", "model.pth": b"", "notes.txt": b"hello"}  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
    np.save(tmp_path / "x.npy", np.zeros((4, 8)))
    return tmp_path


@pytest.mark.parametrize(
    "name, words",
    [
        ("folder", "contains no saved_model.pb; give the folder that model.export"),
        ("old.keras", "HDF5, the file format of older versions of Keras; name it .h5"),
        ("bad.keras", "not a Keras file; write it with model.save"),
        ("bad.h5", "not an HDF5 file"),
        ("saved_model.pb", "give the folder that contains it"),
        ("model.pth", "holds weights without the network; save both with torch.export"),
        ("notes.txt", "neither a .tflite, a .keras, an .h5, a .pt2, an .onnx nor the folder"),
        ("layers.tflite", "is already quantized (it has int8 tensors); give the float32"),
        ("missing.keras", "no such file"),
    ],
)
def test_files_that_cannot_be_converted(tflm, sources, name, words):
    found = tflm(
        "convert", sources / name, "--data", sources / "x.npy", "-o", sources / "o.tflite"
    )
    assert found.code == 1 and words in found.err and found.err.count("\n") == 1
    assert not (sources / "o.tflite").exists()


def test_invalid_outputs_and_options(tflm, sources):
    (sources / "m.keras").write_bytes(b"PK")
    model, x = sources / "m.keras", sources / "x.npy"
    for arguments, code, words in [
        (("-o", sources / "o.tflite"), 1, "give --data, --dynamic or --no-quantize"),
        (("-o", sources / "folder", "--data", x), 1, "which is a folder"),
        (("-o", sources / "no" / "o.tflite", "--data", x), 1, "its folder does not exist"),
        (("-o", x, "--data", x), 1, "is the same file as the input"),
        (("-o", "o.tflite", "--data", x, "--int16", "--no-quantize"), 2, "give one of them alone"),
    ]:
        found = tflm("convert", model, *arguments)
        assert found.code == code and words in found.err, found.err


def test_error_without_tensorflow(tflm, sources, monkeypatch):
    (sources / "m.keras").write_bytes(b"PK")
    monkeypatch.delenv("TFLM_TENSORFLOW", raising=False)
    monkeypatch.setattr(process.importlib.util, "find_spec", lambda name: None)
    found = tflm("convert", sources / "m.keras", "--data", sources / "x.npy", "-o", "o.tflite")
    assert found.code == 1 and "is not installed; install it with: " in found.err
    assert "pip install tensorflow==2.21.0 keras==" in found.err


# TFLM_TENSORFLOW names programs that are not a Python with TensorFlow.
def test_programs_without_tensorflow(sources, tmp_path, monkeypatch):
    for text, words in [
        ("exit 3", "does not run TensorFlow: 3; let TFLM_TENSORFLOW name"),
        ("echo boo >&2; exit 1", "does not run TensorFlow: boo;"),
        ("kill -SEGV $$", "TensorFlow itself crashed .SIGSEGV. with m.keras"),
        ("exec sleep 60", "did not finish m.keras within 0.2 s; use a longer --timeout"),
        ("read line; echo '{\"error\": \"ImportError: no keras\"}'; cat",
         "TensorFlow does not load: ImportError: no keras; install it again"),
    ]:  # fmt: skip
        program = tmp_path / "program"
        program.write_text(f"#!/bin/bash\n{text}\n")
        program.chmod(0o755)
        monkeypatch.setenv("TFLM_TENSORFLOW", str(program))
        with (
            pytest.raises(ToolError, match=words),
            process.ConverterProcess(
                process.TENSORFLOW, "m.keras", 0.2 if "sleep" in text else 20
            ) as tensorflow,
        ):
            folder = tensorflow.folder
            tensorflow.ask("open", model="m.keras")
        assert not folder.exists()
    monkeypatch.setenv("TFLM_TENSORFLOW", str(tmp_path / "none"))
    with pytest.raises(ToolError, match="cannot run .*none: No such file"):
        process.ConverterProcess(process.TENSORFLOW, "m.keras").__enter__()


# Errors of TensorFlow 2.21 and Keras 3.15, shortened.
@pytest.mark.parametrize(
    "step, said, words",
    [
        ("open", "ValueError: No model config found in the file at w.h5.", "weights without"),
        ("open", "ValueError: Unknown layer: 'Custom>Own'. Please ensure", "the class Own"),
        ("open", "TypeError: could not be deserialized {'module': 'keras.layers', 'class_name': "
         "'Dense'}, {'module': None, 'class_name': 'Own', 'config': {}}", "the class Own"),
        ("open", "ValueError: Requested the deserialization of a `Lambda` layer ... "
         "enable_unsafe_deserialization()", "has a Lambda layer"),
        ("open", "LookupError: signatures: none", "no signature serving_default .signatures:"),
        ("open", "TypeError: Error when ...\n\nException encountered: Odd thing: 3",
         "cannot read m: Odd thing: 3; save it"),
        ("trace", "ValueError: in user code:\n\n    File 3\n\n    ValueError: odd shape.\n",
         "cannot convert m: ValueError: odd shape; see"),
        ("convert", "ConverterError: x: error: ...\nCustom ops: Erfinv\nDetails:\n\ttf.Erfinv",
         "no operator for Erfinv; replace"),
        ("convert", "RuntimeError: Quantization not yet supported for op: 'CUMSUM'.",
         "no integer version of CUMSUM"),
        ("convert", "ConverterError: 'tf.TensorListReserve' op requires element_shape",
         "a loop over an open batch"),
        ("convert", "ValueError: " + "long " * 99,
         "cannot convert m: .*…; see docs/tutorial/your-own-model.md"),
    ],
)  # fmt: skip
def test_errors_of_tensorflow_become_sentences(step, said, words):
    with pytest.raises(ToolError, match=words):
        raise reasons.error("TensorFlow", "m", step, said, "3.15.1", "3.15.1")


def test_error_for_a_model_of_keras_2():
    said = "TypeError: Unrecognized keyword arguments passed to DepthwiseConv2D: {'groups': 1}"
    assert "was written by Keras 2.15.0, which Keras 3.15.1 cannot read" in str(
        reasons.error("TensorFlow", "m", "open", said, "2.15.0", "3.15.1")
    )


# The tests below require TensorFlow.
@pytest.fixture(scope="module")
def keras_folder(tmp_path_factory, repository):
    """The folder with the models and data of keras_models.py; skips without TensorFlow."""
    try:
        python = process.python()
    except ToolError:
        pytest.skip("TensorFlow is not installed: make -C tests convert")
    folder = tmp_path_factory.mktemp("keras")
    script = Path(__file__).with_name("keras_models.py")
    digits = repository / "models" / "digits" / "digits_test.npz"
    done = subprocess.run(
        [python, str(script), str(folder), str(digits)],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


# Every number in the result equals the number that another tool finds.
@pytest.mark.parametrize("types, max_bytes", [("int8", 8000), ("int16", 12000)])
def test_result_of_digits(tflm, keras_folder, tmp_path, types, max_bytes):
    pytest.importorskip("tflite_micro")
    data, output = keras_folder / "digits.npz", tmp_path / "digits.tflite"
    flags = ["--int16"] if types == "int16" else []
    found = tflm("convert", keras_folder / "digits.keras", "--data", data, "-o", output,
                 "--limit", 100, "--json", *flags).json()  # fmt: skip
    assert [found["form"], found["taken"], found["available"]] == [types, 100, 360]
    assert {taken for _, taken, _ in found["classes"]} == {10}
    assert output.stat().st_size == found["made"]["tflite_bytes"] < max_bytes
    assert (found["made"]["per_channel"], found["made"]["per_tensor"]) == (2, 0)
    assert {t["dtype"] for t in found["made"]["inputs"] + found["made"]["outputs"]} == {types}
    keras = float((keras_folder / "accuracy.txt").read_text())
    assert found["before"]["accuracy"] == pytest.approx(keras, abs=1e-6) and keras > 0.9
    assert found["after"]["accuracy"] == evaluate(output, data).score.accuracy
    assert abs(found["after"]["accuracy"] - keras) <= 0.02
    assert tt.verify(output, runs=2).is_equal()


def test_printed_lines(tflm, keras_folder, tmp_path):
    data = keras_folder / "digits.npz"
    found = tflm("convert", keras_folder / "digits.h5", "--data", data, "-o",
                 tmp_path / "digits.tflite", "--keep-float")  # fmt: skip
    assert (found.code, found.err) == (0, "")
    for words in ("float32 1x8x8x1", "200 of 360 examples, 20 of each of 10 classes",
                  "2 per channel", "after, over 360 examples", "QUANTIZE"):  # fmt: skip
        assert words in found.out, found.out
    assert max(map(len, found.out.splitlines())) <= 80


# x0 and x1 are the inputs in the order of the model, and y holds values of output 0.
def test_two_inputs(keras_folder, tmp_path):
    random = np.random.default_rng(1)
    data = {"x0": random.normal(size=(80, 4)), "x1": random.normal(size=(80, 6))}
    data["y"] = data["x0"][:, :2] - data["x1"][:, :2]
    result = tt.convert(keras_folder / "two.keras", data, tmp_path / "two.tflite")
    assert [t.name for t in result.made.inputs] == ["zeta", "alpha"]
    assert [t.shape for t in result.made.outputs] == [(1, 2), (1, 7)]
    assert result.before.mean_error < 1e-5 and 0 < result.after.mean_error < 0.05
    assert "before" in result._repr_html_()
    data["x0"], data["x1"] = data["x1"], data["x0"]  # inputs of a dict: by their names
    result = tt.convert(keras_folder / "dict.keras", data, tmp_path / "dict.tflite")
    assert [t.name for t in result.made.inputs] == ["alpha", "zeta"]
    assert result.before.mean_error < 1e-5 and result.after.mean_error < 0.05


@pytest.mark.parametrize("name", ["lstm.keras", "embedding.keras", "saved"])
def test_layers_and_saved_models(keras_folder, tmp_path, name):
    pytest.importorskip("tflite_micro")
    data = dict(np.load(keras_folder / f"{Path(name).stem}.npz"))
    result = tt.convert(keras_folder / name, data, tmp_path / "model.tflite")
    assert result.before.mean_error < 1e-5 and result.after.mean_error < 0.02
    assert bool(result.notes) == (name == "lstm.keras")  # a note says that it was unrolled
    if name != "embedding.keras":  # random numbers are not valid rows of its table
        assert tt.verify(tmp_path / "model.tflite", runs=1).is_equal()


def test_float_model_with_open_shape(keras_folder, tmp_path):
    with pytest.raises(ToolError, match=r"is \?x\?x\?x3, .* --input-shape image=1,N,N,3"):
        tt.convert(keras_folder / "open.keras", None, tmp_path / "o.tflite", form="float32")
    result = tt.convert(keras_folder / "open.keras", None, tmp_path / "o.tflite", form="float32",
                        input_shapes=["1,9,9,3"])  # fmt: skip
    assert result.made.inputs[0].shape == (1, 9, 9, 3) and "software" in result.notes[0]


@pytest.mark.parametrize(
    "name, words",
    [
        ("custom.keras", "has the class Own, which Keras does not have; .*export"),
        ("shapeless.keras", "does not define its input; begin the model with keras.Input"),
        ("weights.weights.h5", "holds weights without their layers"),
        ("erfinv", "there is no operator for Erfinv; replace the layer"),
        (
            "digits.keras",
            "four.npz: x has the shape 60x4, input '.*' requires Nx8x8x1; reshape it",
        ),
    ],
)
def test_models_that_cannot_be_converted(keras_folder, tmp_path, name, words):
    np.savez(tmp_path / "four.npz", x=np.random.default_rng(1).normal(size=(60, 4)))
    with pytest.raises(ToolError, match=words):
        tt.convert(keras_folder / name, tmp_path / "four.npz", tmp_path / "o.tflite")
    assert sorted(tmp_path.iterdir()) == [tmp_path / "four.npz"]


# TensorFlow converts the model, but tflm lacks one of its operators.
def test_model_with_missing_operator(keras_folder, tmp_path):
    words = "conv3d.keras: tflm has no operator CONV_3D; use Conv2D on each"
    with pytest.raises(ToolError, match=words):
        tt.convert(keras_folder / "conv3d.keras", None, tmp_path / "o.tflite", form="float32")
    assert not list(tmp_path.iterdir())
