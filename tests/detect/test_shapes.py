# Tests of the model `shapes`: a detector on the pictures that its script draws
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import numpy as np
import pytest
import tflm_tools as tt


@pytest.fixture
def folder(repository):
    return repository / "models" / "shapes"


@pytest.fixture
def pictures(folder, monkeypatch):
    """The module that draws the pictures."""
    monkeypatch.syspath_prepend(str(folder))
    import pictures

    yield pictures
    sys.modules.pop("pictures")


# models/README.md has the figures of all held-out pictures.
def test_average_precision(folder, pictures, tmp_path):
    pictures.write(tmp_path, pictures.HELD_OUT[:100])
    model = folder / "shapes_int8.tflite"
    result = tt.evaluate(model, tmp_path / "boxes.csv", detect="auto")
    assert result.decoder == "fomo" and result.count == 100
    assert [each.label for each in result.classes] == pictures.LABELS
    assert result.map_50 > 0.85


def test_boxes_of_the_example(folder):
    model, image = folder / "shapes_int8.tflite", folder / "example.png"
    found = tt.run(model, image, detect="auto").detections
    assert [each.label for each in found] == ["square", "circle", "triangle"]
    assert min(each.score for each in found) > 0.98


# A cell has the class of the object that covers it; objects do not touch.
def test_grid(pictures):
    pixels, objects, cells = pictures.picture(pictures.HELD_OUT[16])
    assert pixels.shape == (96, 96) and pixels.dtype == np.uint8
    assert {label for *_, label in objects} == {0, 1, 2}
    for x, y, width, height, label in objects:
        middle = cells[int(y + height / 2) // 8, int(x + width / 2) // 8]
        assert middle == 1 + label
    again, _, _ = pictures.picture(pictures.HELD_OUT[16])
    assert (again == pixels).all()
