# Tests of --features: blocks of Edge Impulse in tflm flatten, run, eval and convert
# MIT license; Copyright (c) 2026 the tflm authors

import json
import subprocess
import wave

import numpy as np
import pytest
import tflm_tools as tt
from support.builder import ModelBuilder
from tflm_tools.converters import process
from tflm_tools.converters.examples import Examples
from tflm_tools.errors import ToolError
from tflm_tools.features import blocks
from tflm_tools.features.feature_block import FeatureBlock, read_block
from tflm_tools.measure.examples import ReadOptions
from tflm_tools.model.flat_file import FlatFile
from tflm_tools.model.model_file import TensorInfo
from tflm_tools.packages import runtime_files
from unit.on_device import device

_SPECTRAL = {
    "type": "spectral-analysis",
    "frequencyHz": 50,
    "windowSizeMs": 1000,
    "axes": ["x", "y", "z"],
}
_MFE = {"type": "mfe", "frequencyHz": 16000, "windowSizeMs": 250, "num_filters": 20}


# A model whose output is its input.
def _model(features, dtype="int8"):
    model = ModelBuilder("copy")
    kind = {"scale": 0.0437, "zero_point": -7} if dtype == "int8" else {}
    x = model.tensor((1, features), dtype, name="x", **kind)
    y = model.tensor((1, features), dtype, **kind)
    model.operator("RESHAPE", [x], [y], new_shape=[1, features])
    model.io([x], [y])
    return model.build()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "block.json").write_text(json.dumps(_SPECTRAL))
    (tmp_path / "mfe.json").write_text(json.dumps(_MFE))
    (tmp_path / "model.tflite").write_bytes(_model(39))
    samples = np.random.RandomState(1).normal(0, 1, (50, 3))
    samples = np.round(samples, 4)
    lines = ["time,x,y,z", *(f"{i},{x},{y},{z}" for i, (x, y, z) in enumerate(samples))]
    (tmp_path / "motion.csv").write_text("\n".join(lines))
    return tmp_path, samples


def _wanted(block, samples, shape=(1, -1)):
    found = blocks.features(read_block(block).settings, samples)
    return np.clip(np.round(found / np.float32(0.0437)) - 7, -128, 127).reshape(shape)


def test_run(folder):
    path, samples = folder
    block = path / "block.json"
    found = tt.run(path / "model.tflite", path / "motion.csv", features=block)
    np.testing.assert_allclose(found.arrays[0], _wanted(block, samples), atol=1)


# A .tflm has its block: run needs no option, and the board computes the same.
def test_one_file(folder):
    path, samples = folder
    flat = path / "model.tflm"
    tt.flatten(path / "model.tflite", flat, features=path / "block.json")
    wanted = _wanted(path / "block.json", samples)
    np.testing.assert_allclose(tt.run(flat, path / "motion.csv").arrays[0], wanted, atol=1)
    lines = device(
        """
        from array import array
        from tflm import features

        interp = tflm.Interpreter(tflm.load(FLAT))
        block = features.of_model(interp)
        samples = array("f", SAMPLES)
        block.compute(samples, interp.input(0))
        micropython.heap_lock()
        block.compute(samples, interp.input(0))
        interp.invoke()
        micropython.heap_unlock()
        print(list(interp.output(0).data))
        """,
        FLAT=str(flat),
        SAMPLES=samples.reshape(-1).tolist(),
    )
    np.testing.assert_allclose([json.loads(lines[0])], wanted, atol=1)
    assert "features/sample_interpreter" in runtime_files.files_for(flat.read_bytes(), "armv6m")
    # tflm deploy brings the files of the block.
    data = flat.read_bytes()
    assert "features/spectral" in runtime_files.files_for(data, "armv6m")
    assert "features/armv6m/stage" in runtime_files.files_for(data, "armv6m")
    assert "features/armv6m/stage" not in runtime_files.files_for(data, "xtensawin", False)
    assert FlatFile(data)


# Input 0 of a SampleInterpreter takes samples, which an invoke leaves as they are.
def test_samples_as_input(folder):
    path, samples = folder
    flat = path / "model.tflm"
    tt.flatten(path / "model.tflite", flat, features=path / "block.json")
    (path / "plain.tflm").write_bytes(tt.flatten(path / "model.tflite").data)
    lines = device(
        """
        import asyncio
        from tflm.features.sample_interpreter import SampleInterpreter

        interp = SampleInterpreter(tflm.load(FLAT))
        print(interp.input(0).shape, interp.inputs_size(), interp.block.size)
        interp.input(0).quantize(SAMPLES)
        before = bytes(interp.input(0).raw)
        interp.invoke()
        micropython.heap_lock()
        interp.invoke()
        micropython.heap_unlock()
        print(list(interp.output(0).data))
        asyncio.run(interp.invoke_async())
        print(list(interp.output(0).data))
        assert bytes(interp.input(0).raw) == before
        assert "--features" in raises(InputError, SampleInterpreter, tflm.load(PLAIN))
        """,
        FLAT=str(flat),
        PLAIN=str(path / "plain.tflm"),
        SAMPLES=samples.reshape(-1).tolist(),
    )
    assert lines[0] == "(50, 3) 1 39"
    wanted = _wanted(path / "block.json", samples)
    for line in lines[1:]:
        np.testing.assert_allclose([json.loads(line)], wanted, atol=1)


# Write a folder of sounds, with a class in each of its folders; return the samples of each class.
def _write_sounds(folder, each=1):
    random = np.random.RandomState(2)
    sounds = random.randint(-9000, 9000, (2, 5000)).astype("<i2")
    for name, sound in zip("01", sounds, strict=True):
        (folder / name).mkdir(parents=True)
        for i in range(each):
            with wave.open(str(folder / name / f"{i}.wav"), "wb") as file:
                file.setparams((1, 2, 16000, 0, "NONE", ""))
                file.writeframes(sound.tobytes())
    return sounds


def test_eval(folder):
    path, _ = folder
    (path / "mfe.tflite").write_bytes(_model(24 * 20, "float32"))
    sounds = _write_sounds(path / "sounds")
    result = tt.evaluate(path / "mfe.tflite", path / "sounds", features=path / "mfe.json")
    settings = read_block(_MFE).settings
    wanted = [blocks.features(settings, sound[:4000]).argmax() for sound in sounds]
    right = sum(found == label for label, found in enumerate(wanted))
    assert result.count == 2
    assert result.score.right == right


def test_csv_of_examples(folder):
    path, samples = folder
    row = ",".join(map(str, samples.reshape(-1)))
    (path / "examples.csv").write_text(f"{row},3\n{row},4\n")
    result = tt.evaluate(
        path / "model.tflite", path / "examples.csv", features=path / "block.json"
    )
    assert result.count == 2


# The inputs that represent the data when `tflm convert` quantizes a model: features, not samples.
def test_examples_of_convert(folder):
    path, samples = folder
    sounds = _write_sounds(path / "sounds")
    row = ",".join(map(str, samples.reshape(-1)))
    (path / "motion_examples.csv").write_text(f"{row},0\n{row},1\n")
    for data, description, signals in (
        ("sounds", _MFE, [sound[:4000] for sound in sounds]),
        ("motion_examples.csv", _SPECTRAL, [samples, samples]),
    ):
        block = read_block(description)
        size = int(np.prod(block.settings.shape))
        info = TensorInfo("x", "float32", (1, size), 0.0, 0, 4 * size)
        info.block = block
        output = TensorInfo("y", "float32", (1, 2), 0.0, 0, 8)
        found = Examples(path / data, [info], [output], ReadOptions(limit=10))
        assert found.available == 2 and found.classes == [(0, 1, 1), (1, 1, 1)]
        for run, signal in zip(found.taken.runs, signals, strict=True):
            wanted = blocks.features(block.settings, signal)
            np.testing.assert_allclose(run[0].reshape(-1), wanted, rtol=1e-5, atol=1e-5)


# A Keras model of the features of motion, quantized with recordings. Needs TensorFlow
# (make -C tests convert).
@pytest.mark.parametrize("data", ["sounds", "motion_examples.csv"])
def test_convert(folder, data):
    path, samples = folder
    try:
        python = process.python()
    except ToolError:
        pytest.skip("TensorFlow is not installed: make -C tests convert")
    windows = [samples * (1 - i / 50) for i in range(10)]
    rows = [[*window.reshape(-1), i % 2] for i, window in enumerate(windows)]
    text = "\n".join(",".join(map(str, row)) for row in rows)
    (path / "motion_examples.csv").write_text(text)
    _write_sounds(path / "sounds", 5)
    size, block = (480, "mfe.json") if data == "sounds" else (39, "block.json")
    code = f"""
import keras
x = keras.Input(({size},))
keras.Model(x, keras.layers.Dense(2, activation="softmax")(x)).save("model.keras")
"""
    subprocess.run([python, "-c", code], cwd=path, check=True, capture_output=True)
    output = path / "made.tflite"
    result = tt.convert(path / "model.keras", path / data, output, features=path / block)
    assert result.taken == 10 and result.made.inputs[0].shape == (1, size)
    # The range of the input is the range of the features, not of the samples.
    scored = tt.evaluate(output, path / data, features=path / block)
    assert scored.score.right == result.after.right
    settings = read_block(path / block).settings
    if data == "sounds":
        assert result.made.inputs[0].scale < 0.005  # features of MFE are below 1
    else:
        wanted = np.stack([blocks.features(settings, window) for window in windows])
        spread = max(wanted.max(), 0) - min(wanted.min(), 0)
        assert result.made.inputs[0].scale == pytest.approx(spread / 255, rel=0.01)


def test_settings_survive_metadata():
    for description in (_SPECTRAL, _MFE):
        block = read_block(description)
        (data,) = block.metadata().values()
        again = FeatureBlock(read_block(json.loads(data)).settings)
        assert vars(again.settings) == vars(block.settings)


def test_errors(folder):
    path, _ = folder
    with pytest.raises(ToolError, match="computes 480 features, input 'x' has 39 elements; use"):
        tt.flatten(path / "model.tflite", path / "x.tflm", features=path / "mfe.json")
    (path / "cut.json").write_text("{")
    with pytest.raises(ToolError, match="cut.json is no JSON; export the parameters"):
        tt.run(path / "model.tflite", path / "motion.csv", features=path / "cut.json")
    (path / "deep.json").write_text("[" * 100000)
    with pytest.raises(ToolError, match="deep.json is no JSON; export the parameters"):
        tt.run(path / "model.tflite", path / "motion.csv", features=path / "deep.json")
    (path / "wrong.json").write_text('{"type": "mfcc"}')
    with pytest.raises(ToolError, match='wrong.json: the JSON has no sampling rate; add "freq'):
        tt.run(path / "model.tflite", path / "motion.csv", features=path / "wrong.json")
    (path / "short.csv").write_text("1,2,3\n4,5,6\n")
    with pytest.raises(ToolError, match="has 2 rows of 3 numbers, a window has 50 samples of 3"):
        tt.run(path / "model.tflite", path / "short.csv", features=path / "block.json")
