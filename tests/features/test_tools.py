# Tests of --features: blocks of Edge Impulse in tflm flatten, run, eval and convert
# MIT license; Copyright (c) 2026 the tflm authors

import json
import wave

import numpy as np
import pytest
import tflm_tools as tt
from support.builder import ModelBuilder
from tflm_tools.errors import ToolError
from tflm_tools.features import blocks
from tflm_tools.features.feature_block import FeatureBlock, read_block
from tflm_tools.model.flat_file import FlatFile
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
    # tflm deploy brings the files of the block.
    data = flat.read_bytes()
    assert "features/spectral" in runtime_files.files_for(data, "armv6m")
    assert "features/armv6m/stage" in runtime_files.files_for(data, "armv6m")
    assert "features/armv6m/stage" not in runtime_files.files_for(data, "xtensawin", False)
    assert FlatFile(data)


def test_eval(folder):
    path, _ = folder
    (path / "mfe.tflite").write_bytes(_model(24 * 20, "float32"))
    random = np.random.RandomState(2)
    sounds = random.randint(-9000, 9000, (2, 5000)).astype("<i2")
    for name, sound in zip("01", sounds, strict=True):
        (path / "sounds" / name).mkdir(parents=True)
        with wave.open(str(path / "sounds" / name / "a.wav"), "wb") as file:
            file.setparams((1, 2, 16000, 0, "NONE", ""))
            file.writeframes(sound.tobytes())
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
    (path / "wrong.json").write_text('{"type": "mfcc"}')
    with pytest.raises(ToolError, match='wrong.json: the JSON has no sampling rate; add "freq'):
        tt.run(path / "model.tflite", path / "motion.csv", features=path / "wrong.json")
    (path / "short.csv").write_text("1,2,3\n4,5,6\n")
    with pytest.raises(ToolError, match="has 2 rows of 3 numbers, a window has 50 samples of 3"):
        tt.run(path / "model.tflite", path / "short.csv", features=path / "block.json")
