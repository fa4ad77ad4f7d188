# Tests of `tflm eval --detect`: average precision, and files of boxes
# MIT license; Copyright (c) 2026 the tflm authors

import json

import numpy as np
import pytest
import tflm_tools as tt
from detect.models import bright_squares
from PIL import Image
from tflm_tools.detection.average_precision import THRESHOLDS, average_precisions
from tflm_tools.errors import ToolError
from tflm_tools.measure.boxes import read_boxes


def _overlap(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0
    inner = width * height
    return inner / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - inner)


# Average precision of one class at a threshold: for each recall the best precision from there on.
def _reference(found, wanted, threshold):
    hits = []
    for rows, boxes in zip(found, wanted, strict=True):
        free = list(boxes)
        for row in sorted(rows, key=lambda row: -row[5]):
            best = max(free, key=lambda box: _overlap(row, box), default=None)
            is_hit = best is not None and _overlap(row, best) >= threshold
            if is_hit:
                free = [box for box in free if box is not best]
            hits.append((row[5], is_hit))
    hits.sort(key=lambda hit: -hit[0])
    total = sum(map(len, wanted))
    points = []
    for count in range(1, len(hits) + 1):
        right = sum(is_hit for _, is_hit in hits[:count])
        points.append((right / total, right / count))
    levels = [i / 100 for i in range(101)]
    return np.mean([max((p for r, p in points if r >= level), default=0) for level in levels])


def test_average_precision():
    random = np.random.RandomState(1)
    found, wanted = [], []
    for _ in range(12):
        count = random.randint(0, 6)
        corners = random.uniform(0, 80, (count, 2))
        boxes = np.concatenate([corners, corners + random.uniform(10, 40, (count, 2))], axis=1)
        wanted.append(np.column_stack([boxes, np.ones(count)]))
        moved = boxes + random.normal(0, 2, boxes.shape)
        moved = np.concatenate([moved, moved[:2] + 3])
        scores = random.uniform(0, 1, len(moved))
        found.append(np.column_stack([moved, np.ones(len(moved)), scores]))
    averages = average_precisions(found, wanted, 1)
    assert averages[0] > averages[-1] and 0.3 < averages[0] < 1
    expected = [_reference(found, wanted, threshold) for threshold in THRESHOLDS]
    np.testing.assert_allclose(averages, expected, atol=1e-12)
    exact = [np.column_stack([rows, np.ones(len(rows))]) for rows in wanted]
    assert average_precisions(exact, wanted, 1) == [1.0] * 10
    assert average_precisions([rows[:0] for rows in found], wanted, 1) == [0.0] * 10
    assert average_precisions(found, wanted, 2) is None


@pytest.fixture
def pictures(tmp_path):
    """A detector, and two images: one with a bright square, and an empty one."""
    (tmp_path / "bright.tflite").write_bytes(bright_squares(48))
    for name, is_bright in (("one.png", True), ("none.png", False)):
        image = Image.new("L", (96, 96))
        if is_bright:
            image.paste(255, (16, 16, 48, 48))
        image.save(tmp_path / name)
    (tmp_path / "boxes.csv").write_text(
        "file,x,y,width,height,class\none.png,16,16,32,32,0\none.png,60,60,20,20,0\nnone.png\n"
    )
    coco = {
        "images": [{"id": 3, "file_name": "one.png"}, {"id": 4, "file_name": "none.png"}],
        "annotations": [
            {"image_id": 3, "category_id": 7, "bbox": [16, 16, 32, 32]},
            {"image_id": 3, "category_id": 7, "bbox": [60, 60, 20, 20], "iscrowd": 0},
            {"image_id": 4, "category_id": 7, "bbox": [0, 0, 9, 9], "iscrowd": 1},
        ],
        "categories": [{"id": 7, "name": "bright"}, {"id": 9, "name": "dark"}],
    }
    (tmp_path / "boxes.json").write_text(json.dumps(coco))
    return tmp_path


@pytest.mark.parametrize("name", ["boxes.csv", "boxes.json"])
def test_eval(tflm, pictures, name):
    command = "eval", pictures / "bright.tflite", "--data", pictures / name, "--detect", "fomo"
    report = tflm(*command, "--json").json()
    # One of two boxes is found, exactly: recall 0 to 0.5 has the precision 1.
    assert report["map_50"] == pytest.approx(51 / 101)
    assert report["map"] == pytest.approx(51 / 101)
    assert report["count"] == 2 and report["decoder"] == "fomo"
    assert report["classes"] == [
        {"label": "0", "wanted": 2, "found": 1, "ap_50": report["map_50"], "ap": report["map"]}
    ]
    found = tflm(*command)
    assert "mAP 50    50.50 %" in found.out and "2 images, decoder fomo" in found.out
    result = tt.evaluate(pictures / "bright.tflite", pictures / name, detect="auto")
    assert result.map == report["map"]
    limited = tt.evaluate(pictures / "bright.tflite", pictures / name, detect="auto", limit=1)
    assert limited.count == 1


def test_classes(pictures):
    (image, _) = read_boxes(pictures / "boxes.json", [])
    assert image.rows.tolist() == [[16, 16, 48, 48, 0], [60, 60, 80, 80, 0]]
    labels = ["background", "dark", "bright"]
    assert read_boxes(pictures / "boxes.json", labels)[0].rows[:, 4].tolist() == [2, 2]


# COCO's JSON with one box; `number` is the id of a second category.
def _coco_text(bbox="[1, 2, 3, 4]", number="1"):
    return (
        '{"images": [{"id": 0, "file_name": "a.png"}], '
        f'"annotations": [{{"image_id": 0, "category_id": 0, "bbox": {bbox}}}], '
        f'"categories": [{{"id": 0, "name": "x"}}, {{"id": {number}, "name": "y"}}]}}'
    )


# A class that is a number with thousands of digits is a name.
def test_long_number(pictures):
    (pictures / "f.csv").write_text(f"a.png,1,2,3,4,{'9' * 5000}\n")
    assert read_boxes(pictures / "f.csv", [])[0].rows.tolist() == [[1, 2, 4, 6, 0]]
    (pictures / "f.json").write_text(_coco_text())
    assert read_boxes(pictures / "f.json", [])[0].rows.tolist() == [[1, 2, 4, 6, 0]]


def test_invalid_files(tflm, pictures):
    for name, text, says in [
        ("a.json", "{", "is not JSON of boxes"),
        ("b.json", '{"images": [], "annotations": [{}], "categories": []}', "not JSON of boxes"),
        ("c.json", '{"images": [], "annotations": [], "categories": []}', "names no images"),
        ("d.csv", "one.png,1,2,3,0\n", "row 1 is no box; write file, x, y"),
        ("d.csv", "one.png,1,2,nan,4,0\n", "row 1 is no box; write file, x, y"),
        ("e.txt", "", "has no boxes; with --detect"),
        ("f.json", _coco_text(bbox=f"[1, 2, 3, {10**400}]"), "not JSON of boxes"),
        ("f.json", _coco_text(bbox="[1, 2, 3, 1e999]"), "not JSON of boxes"),
        ("f.json", _coco_text(number='"1"'), "not JSON of boxes"),
    ]:
        (pictures / name).write_text(text)
        with pytest.raises(ToolError, match=says):
            read_boxes(pictures / name, [])
    found = tflm("eval", pictures / "bright.tflite", "--data", pictures / "boxes.csv", "--detect",
                 "auto", "--compare")  # fmt: skip
    assert found.code == 2 and "--compare does not measure boxes" in found.err
