# Tests of `tflm run --detect`: decoders of the host, pictures with boxes
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
import tflm_tools as tt
from detect import reference
from detect.models import bright_squares
from PIL import Image
from tflm_tools.detection import decoders
from tflm_tools.errors import ToolError

_SIZE = (96, 64)


def _centers(random, count):
    centers = random.uniform(0, 1, (count, 2))
    return np.concatenate([centers, random.uniform(0.05, 0.6, (count, 2))], axis=1)


def _check(name, outputs, rows, anchors=None, threshold=0.5):
    shapes = [output.shape for output in outputs]
    assert decoders.choose("auto", shapes, name.startswith("yolov2")) == name
    found = decoders.decode(name, outputs, _SIZE, threshold, 0.4, anchors)
    wanted = rows[reference.suppress(rows, 0.4, most=len(rows))]
    assert len(wanted) > 3
    np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_yolo():
    random = np.random.RandomState(1)
    values = np.concatenate([_centers(random, 99), random.uniform(0, 1, (99, 4))], axis=1)[None]
    _check("yolov5", [values], reference.yolo_v5([values], 0.5))
    pixels = np.concatenate([values[..., :4] * (_SIZE * 2), values[..., 4:]], axis=2)
    pixels = np.transpose(pixels, (0, 2, 1))
    _check("yolov8", [pixels], reference.yolo_v8([pixels], 0.9, _SIZE), threshold=0.9)
    anchors = np.array([[0.6, 0.9], [2.5, 3.5]])
    grid = random.normal(0, 1.5, (1, 7, 5, 2 * 8))
    sizes = [anchors / (5, 7)]
    _check("yolov2", [grid], reference.yolo_grids([grid], 0.5, sizes, True), anchors)
    rows = reference.yolo_grids([grid, grid], 0.5, [anchors / _SIZE] * 2, False)
    anchors = np.array([[0, 0.6, 0.9], [1, 0.6, 0.9], [0, 2.5, 3.5], [1, 2.5, 3.5]])
    found = decoders.decode("yolov3", [grid, grid], _SIZE, 0.5, 1, anchors)
    wanted = rows[reference.suppress(rows, 1, most=len(rows))]
    np.testing.assert_allclose(found, wanted, atol=1e-9)


# A float model may have outputs that are no numbers; they are no boxes.
def test_outputs_that_are_no_numbers():
    random = np.random.RandomState(4)
    values = np.concatenate([_centers(random, 99), random.uniform(0, 1, (99, 4))], axis=1)[None]
    for i, value in enumerate((np.nan, np.inf, -np.inf, 1e300)):
        values[0, 9 * i : 9 * i + 9, i] = value
    rows = decoders.decode("yolov5", [values], _SIZE, 0.1)
    assert len(decoders.detections(rows, (640, 480))) == len(rows) > 9
    corners, scores = random.uniform(0, 1, (1, 5, 4)), np.full((1, 5), 0.9)
    classes = np.array([[0, -1, np.nan, 1e30, 1]])
    for count, found in ((5, 2), (1, 1), (np.nan, 0), (np.inf, 2), (-3, 0), (1e30, 2)):
        outputs = [corners, classes, scores, np.array([float(count)])]
        rows = decoders.decode("postprocessed", outputs, _SIZE)
        assert len(decoders.detections(rows, (640, 480), ["a"])) == len(rows) == found


def test_ssd_and_blaze():
    random = np.random.RandomState(2)
    anchors = _centers(random, 60)
    outputs = [random.normal(0, 0.6, (1, 60, 4)), random.uniform(0, 1, (1, 60, 3))]
    rows = reference.ssd(outputs, 0.5, anchors, (10, 10, 5, 5), True, False)
    _check("ssd", outputs, rows, anchors)
    values = random.uniform(-30, 30, (1, 896, 16))
    values[:, :, 2:4] = np.abs(values[:, :, 2:4]) + 5
    outputs = [values, random.normal(-3, 1.5, (1, 896, 1))]
    rows, _ = reference.blaze(outputs, 0.5, [(16, 2), (8, 6)], _SIZE)
    _check("blaze", outputs, rows)


def test_fomo_merges_cells():
    random = np.random.RandomState(3)
    values = random.uniform(0, 1, (1, 9, 8, 3)) ** 3
    found = decoders.decode("fomo", [values], _SIZE, 0.6)
    wanted = reference.fomo([values], 0.6)
    assert 1 < len(wanted) < (values[..., 1:].max(-1) >= 0.6).sum()
    wanted = wanted[np.argsort(-wanted[:, 5])]
    np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_choice_of_the_decoder():
    four = [(1, 10, 4), (1, 10), (1, 10), (1,)]
    assert decoders.choose("auto", four) == "postprocessed"
    assert decoders.choose("auto", [(1, 6, 6, 2)]) == "fomo"
    assert (
        decoders.choose("auto", [(1, 512, 16), (1, 384, 1), (1, 512, 1), (1, 384, 16)]) == "blaze"
    )
    with pytest.raises(ToolError, match="no decoder fits the outputs 1x10; name one"):
        decoders.choose("auto", [(1, 10)])
    with pytest.raises(ToolError, match="outputs 1x10 do not fit the decoder ssd"):
        decoders.choose("ssd", [(1, 10)])


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "bright.tflite"
    path.write_bytes(bright_squares(48))
    image = Image.new("L", (240, 120))
    image.paste(255, (80, 40, 160, 80))
    image.save(tmp_path / "photo.png")
    return path


def test_run(tflm, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = "run", model, "--input", "photo.png", "--detect", "auto"
    found = tflm(*run)
    assert found.code == 0, found.err
    assert "99.6 %  80  40     80      40" in found.out
    assert "boxes drawn in detected/boxes.png" in found.out
    picture = np.asarray(Image.open("detected/boxes.png"))
    assert picture.shape == (120, 240, 3)
    assert picture[79, 100].tolist() == picture[60, 159].tolist() == [0xE6, 0x19, 0x4B]
    assert picture[70, 120].tolist() == [255] * 3 and not picture[10:30, 10:70].any()
    box = tflm(*run, "--threshold", 0.7, "--output-dir", "out", "--json").json()["detections"]
    assert box == [
        {"x": 80, "y": 40, "width": 80, "height": 40, "class_number": 0, "label": "0",
         "score": 0.9961}
    ]  # fmt: skip
    result = tt.run(model, "photo.png", detect="fomo", threshold=0.999)
    assert result.detections == [] and result.picture == ""
    assert tt.run(model, "photo.png").detections is None
    assert "nothing was detected" in tflm(*run, "--threshold", 1).out


def test_invalid_arguments(tflm, model, layers, tmp_path):
    photo = tmp_path / "photo.png"
    (tmp_path / "anchors.csv").write_text("1,2,3\n")
    run = "run", model, "--input", photo, "--output-dir", tmp_path, "--detect"
    for arguments, says in [
        (("ssd",), "outputs 1x6x6x2 do not fit the decoder ssd"),
        (("yolov2",), "the decoder yolov2 needs anchors"),
        (("yolov2", "--anchors", tmp_path / "anchors.csv"), "write 2 numbers in each row"),
        (("yolov3", "--anchors", tmp_path / "anchors.csv"), "another number of anchors"),
    ]:
        found = tflm(*run, *arguments)
        assert found.code == 1 and says in found.err, found.err
    found = tflm("run", layers, "--input", photo, "--output-dir", tmp_path, "--detect", "auto")
    assert "the model's input is not one image" in found.err
