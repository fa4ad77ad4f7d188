# Tests of models/anomaly: features on boards, and the documented detection of faults
# MIT license; Copyright (c) 2026 the tflm authors

import re
import sys

import numpy as np
import pytest
from support.script import run_script
from tflm_tools.check import oracle
from tflm_tools.execution.device_model import invoke
from tflm_tools.model.arrays import dequantize, quantize
from tflm_tools.model.model_file import open_model

_SECOND = 0.17  # percent: one of 600, for a processor that rounds differently
_FEATURES = """
import sys
sys.path.append(%r)
import features
samples = eval(open(%r).read())
out = [0.0] * features.BANDS
for window in samples:
    features.bands(window, out)
    print(out)
"""


@pytest.fixture
def folder(repository, monkeypatch):
    """The folder models/anomaly, whose files can be imported."""
    path = repository / "models" / "anomaly"
    monkeypatch.syspath_prepend(path)
    yield path
    for name in ("features", "machines"):
        sys.modules.pop(name, None)


# MicroPython's transform equals numpy's over eight orders of magnitude.
def test_features(folder, tmp_path):
    import machines

    signal = machines.Machine(1).signal(3, "bearing") * np.array([[1e-3], [1], [10]])
    (tmp_path / "samples").write_text(repr(signal.tolist()))
    said = run_script(_FEATURES % (str(folder), str(tmp_path / "samples")))
    found = np.array([eval(line) for line in said.splitlines()])
    np.testing.assert_allclose(found, machines.bands(signal), atol=1e-4)


# Areas under the ROC curve and shares above the threshold equal models/README.md; TFLM and tflm
# agree bit for bit in all seconds.
def test_held_out(folder, repository):
    import machines

    pytest.importorskip("tflite_micro")
    model = open_model(folder / "anomaly_int8.tflite")
    held_out = machines.held_out()
    x = np.concatenate(list(held_out.values()))
    runs = [[row] for row in quantize(x[:, None].astype(np.float32), model.inputs[0])]
    wanted = oracle.run(model.data, runs).outputs
    outputs = np.stack([output[0][0] for output in invoke(model, runs).outputs])
    assert (outputs == np.stack([output[0][0] for output in wanted])).all()
    scores = ((dequantize(outputs, model.outputs[0]) - x) ** 2).mean(1)

    threshold = float(_metadata(model)["anomaly.threshold"])
    text = (repository / "models" / "README.md").read_text()
    assert f"threshold, {threshold:.4f}," in text
    names = np.repeat(list(held_out), [len(each) for each in held_out.values()])
    quiet = re.search(r"\| well \| (\S+) % \| \|", text)
    assert 100 * np.mean(scores[names == "well"] > threshold) == pytest.approx(
        float(quiet[1]), abs=0.01
    )
    for name in machines.FAULTS:
        row = re.search(rf"\| {name} \| (\S+) % \| (\S+) \|", text)
        share = 100 * np.mean(scores[names == name] > threshold)
        assert share == pytest.approx(float(row[1]), abs=_SECOND)
        area = machines.area(scores[names == "well"], scores[names == name])
        assert area == pytest.approx(float(row[2]), abs=2e-4)


def _metadata(model):
    from tflm.tflite.reader import TfliteModel

    return {name: bytes(data) for name, data in TfliteModel(model.data).metadata().items()}
