# Tests of TFLite_Detection_PostProcess against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()


# A model with boxes on a grid of anchors; `extra` values follow each encoding.
def detection(name, boxes, classes, background, capacity, extra=0, **options):
    random = generator(name + " anchors")
    anchors = random.uniform(0.1, 0.9, (boxes, 4))
    anchors[:, 2:] = random.uniform(0.2, 0.6, (boxes, 2))
    inputs = [
        Tensor((1, boxes, 4 + extra), "float32"),
        Tensor((1, boxes, classes + background), "float32"),
        Tensor((boxes, 4), "float32", data=anchors),
    ]
    shapes = [(1, capacity, 4), (1, capacity), (1, capacity), (1,)]
    values = {
        "num_classes": classes,
        "nms_score_threshold": 0.3,
        "nms_iou_threshold": 0.5,
        "y_scale": 10.0,
        "x_scale": 10.0,
        "h_scale": 5.0,
        "w_scale": 5.0,
        **options,
    }
    outputs = [Tensor(shape, "float32") for shape in shapes]
    return single_op("TFLite_Detection_PostProcess", inputs, outputs, custom=values)


# Encodings and scores; `steps` different scores between 0 and 1 give equal scores.
def runs(name, boxes, all_classes, extra=0, steps=None, count=3):
    random = generator(name)
    result = []
    for _ in range(count):
        scores = random.uniform(0, 1, (1, boxes, all_classes))
        if steps:
            scores = np.round(scores * steps) / steps
        result.append([random.normal(0, 1, (1, boxes, 4 + extra)), scores])
    return result


EXACT = {"rtol": 1e-6, "atol": 1e-6}
for boxes, classes, background, most, extra in [
    (6, 2, 1, 3, 0),
    (40, 3, 1, 10, 0),
    (40, 3, 0, 10, 2),
    (25, 1, 0, 30, 0),
    (33, 5, 1, 1, 0),
    (1, 1, 1, 1, 0),
]:
    for steps in (None, 8):
        name = f"{boxes} {classes} {background} {most} {steps}"
        inputs = runs(name, boxes, classes + background, extra, steps)
        sizes = (boxes, classes, background, most, extra)
        keywords = {"max_detections": most, "max_classes_per_detection": 1}
        # TFLM does not write the entries after the last box.
        cases.add(
            f"fast {name}",
            detection(name, *sizes, **keywords),
            inputs=inputs,
            repeat="reset",
            ignore_undefined=True,
            **EXACT,
        )
        for per_class in (1, 4, 100):
            options = {"use_regular_nms": True, "detections_per_class": per_class, **keywords}
            model = detection(name, *sizes, **options)
            cases.add(f"regular {name} {per_class}", model, inputs=inputs, **EXACT)
name = "several classes"
keywords = {"max_detections": 1, "max_classes_per_detection": 3}
model = detection(name, 20, 5, 1, 9, **keywords)
cases.add(
    name, model, inputs=runs(name, 20, 6, steps=5), repeat="reset", ignore_undefined=True, **EXACT
)
keywords = {"max_detections": 5, "max_classes_per_detection": 1}
for threshold in (0.0, 0.99, 2.0):
    name = f"threshold {threshold}"
    for regular in (False, True):
        options = {"nms_score_threshold": threshold, "use_regular_nms": regular, **keywords}
        model = detection(name, 20, 2, 1, 5, **options)
        inputs = runs(name, 20, 3, steps=20)
        cases.add(
            f"{name} {regular}",
            model,
            inputs=inputs,
            repeat="reset",
            ignore_undefined=True,
            **EXACT,
        )
for iou in (0.01, 0.3, 1.0):
    model = detection("iou", 30, 2, 1, 5, nms_iou_threshold=iou, **keywords)
    inputs = runs(f"iou {iou}", 30, 3)
    cases.add(f"iou {iou}", model, inputs=inputs, repeat="reset", ignore_undefined=True, **EXACT)

for options, text in [
    ({"nms_iou_threshold": 0.0}, "nms_iou_threshold"),
    ({"nms_iou_threshold": 1.5}, "nms_iou_threshold"),
    ({"num_classes": "two"}, "'num_classes' is bad"),
    ({"y_scale": float("inf")}, "'y_scale' is bad"),
    ({"num_classes": 5}, "num_classes is 5"),
    ({"max_detections": 6}, "do not hold max_detections"),
    ({"max_classes_per_detection": 0}, "max_classes_per_detection is 0"),
    ({"use_regular_nms": True, "detections_per_class": 0}, "detections_per_class is 0"),
]:
    model = detection("error", 7, 2, 1, 5, **{**keywords, **options})
    cases.add(f"error {options}", model, error=text)
model = detection("empty box", 3, 2, 0, 5, h_scale=1.0, **keywords)
bad = [[np.full((1, 3, 4), -200.0), np.full((1, 3, 2), 0.9)]]
cases.add("empty box", model, inputs=bad, heap_lock=False, error="no height or no width")


@cases.parametrize
def test_detection_postprocess(case):
    case.check()
