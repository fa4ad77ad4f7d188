# Tests of tflm.detect: random outputs against numpy, without heap after the first call
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import tempfile

import numpy as np
import pytest
from detect import device as board
from detect import reference
from support.single_op import Tensor, single_op
from tflm_tools.check import oracle
from unit.on_device import device

_TYPES = ("int8", "uint8", "float32")
_FRAMES = [((320, 240), "stretch"), ((320, 240), "letterbox"), ((640, 480), "crop")]


# Store real values as `dtype`; return (output for the device, the values that are stored).
def _stored(values, dtype, low, high):
    if dtype == "float32":
        values = values.astype(np.float32)
        return (dtype, values.shape, 0.0, 0, values.tobytes()), values.astype(np.float64)
    scale = float(np.float32((high - low) / 255))
    limits = np.iinfo(dtype)
    zero_point = int(round(limits.min - low / scale))
    q = np.clip(np.round(values / scale) + zero_point, limits.min, limits.max).astype(dtype)
    return (dtype, q.shape, scale, zero_point, q.tobytes()), (q.astype(float) - zero_point) * scale


# Run a detector's constructor (text) on the device; return (boxes [n, 6], its keypoints).
def _detect(constructor, size, outputs):
    module = constructor.split(".")[0]
    code = f"""
from tflm.detect import {module}
outputs = eval(open(PATH).read())
show({constructor.replace("fake", "Fake(SIZE, outputs)")})
"""
    with tempfile.NamedTemporaryFile("w") as file:  # they are too long for the command line
        file.write(repr(outputs))
        file.flush()
        (line,) = device(board.SOURCE + code, SIZE=size, PATH=file.name)
    boxes, keypoints = ast.literal_eval(line)
    return np.array(boxes).reshape(-1, 6), np.array(keypoints)


# Compare boxes with rows of the reference, in their order.
def _check(boxes, rows, size, frame, fit):
    assert len(boxes) == len(rows)
    corners = reference.pixels(rows[:, :4].reshape(-1, 2, 2), size, frame, fit)
    wanted = np.concatenate([corners[:, 0], corners[:, 1] - corners[:, 0]], axis=1)
    np.testing.assert_allclose(boxes[:, :2], wanted[:, :2], atol=1)
    np.testing.assert_allclose(boxes[:, 2:4], wanted[:, 2:], atol=1.5)
    np.testing.assert_array_equal(boxes[:, 4], rows[:, 4])
    np.testing.assert_allclose(boxes[:, 5], 1000 * rows[:, 5], atol=1.5)


# Random boxes (centers and sizes) that overlap, relative to the input.
def _boxes(random, count):
    centers = random.uniform(0, 1, (count, 2))
    return np.concatenate([centers, random.uniform(0.05, 0.6, (count, 2))], axis=1)


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.parametrize("frame, fit", _FRAMES)
def test_yolo_v5(dtype, frame, fit):
    random = np.random.RandomState(1)
    values = np.concatenate([_boxes(random, 200), random.uniform(0, 1, (200, 4)) ** 0.6], axis=1)
    output, values = _stored(values[None], dtype, 0, 1)
    rows = reference.yolo_v5([values], 0.6)
    assert len(rows) > 20
    for class_wise in (True, False):
        boxes, _ = _detect(
            f"yolo.YOLOv5(fake, threshold=0.6, overlap=0.3, class_wise={class_wise}, "
            f"frame={frame}, fit='{fit}')",
            (96, 64),
            [output],
        )
        wanted = rows[reference.suppress(rows, 0.3, class_wise)]
        _check(boxes, wanted, (96, 64), frame, fit)


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("normalized", [True, False])
def test_yolo_v8(dtype, is_transposed, normalized):
    random = np.random.RandomState(2)
    size = (1, 1) if normalized else (96, 96)
    scores = random.uniform(0, 1, (300, 3)) ** 4
    high = 1
    if not normalized:
        high = 100  # with int8, probabilities are 0, 0.39 or 0.78
        scores = random.choice([0.0, 0.8], (300, 3), p=[0.95, 0.05])
    values = np.concatenate([_boxes(random, 300) * (size * 2), scores], axis=1)
    values = values[None] if is_transposed else values.T[None]
    output, values = _stored(values, dtype, 0, high)
    rows = reference.yolo_v8([values], 0.7, size)
    assert len(rows) > 20
    boxes, _ = _detect(
        f"yolo.YOLOv8(fake, normalized={normalized}, threshold=0.7)", (96, 96), [output]
    )
    _check(boxes, rows[reference.suppress(rows, 0.5)], (96, 96), (96, 96), "stretch")


@pytest.mark.parametrize("dtype", _TYPES)
def test_yolo_v2(dtype):
    random = np.random.RandomState(3)
    anchors = [(0.6, 0.9), (2.5, 3.5), (5.0, 4.0)]
    values = random.normal(0, 1.5, (1, 7, 5, 3 * 9))
    output, values = _stored(values, dtype, -6, 6)
    relative = [[(width / 5, height / 7) for width, height in anchors]]
    rows = reference.yolo_grids([values], 0.45, relative, softmax=True)
    assert len(rows) > 5
    boxes, _ = _detect(f"yolo.YOLOv2(fake, {anchors}, threshold=0.45)", (160, 224), [output])
    _check(boxes, rows[reference.suppress(rows, 0.5)], (160, 224), (160, 224), "stretch")


@pytest.mark.parametrize("dtype", _TYPES)
def test_yolo_v3_with_two_outputs(dtype):
    random = np.random.RandomState(4)
    anchors = [[(10, 14), (23, 27)], [(37, 58), (81, 82), (120, 100)]]
    outputs, arrays = [], []
    for side, sizes in zip((8, 4), anchors, strict=True):
        values = random.normal(0, 1.5, (1, side, side, 6 * len(sizes)))
        output, values = _stored(values, dtype, -5, 5)
        outputs.append(output)
        arrays.append(values)
    relative = [[(width / 128, height / 96) for width, height in sizes] for sizes in anchors]
    rows = reference.yolo_grids(arrays, 0.6, relative, softmax=False)
    assert len(rows) > 5
    boxes, _ = _detect(f"yolo.YOLOv3(fake, {anchors}, threshold=0.6)", (128, 96), outputs)
    _check(boxes, rows[reference.suppress(rows, 0.5)], (128, 96), (128, 96), "stretch")


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.parametrize("background, logits", [(True, False), (False, True)])
@pytest.mark.parametrize("scales", [(10, 10, 5, 5), (1, 1, 1, 1)])
def test_ssd(dtype, background, logits, scales):
    random = np.random.RandomState(5)
    anchors = _boxes(random, 120).round(3)
    anchors[:60, 0] = anchors[:60, 1] = 0  # centers at the border are valid
    offsets, offset_values = _stored(random.normal(0, 0.6, (1, 120, 4)), dtype, -2, 2)
    scores = random.normal(-1, 1.5, (1, 120, 3)) if logits else random.uniform(0, 1, (1, 120, 4))
    scores, score_values = _stored(scores, dtype, *((-5, 5) if logits else (0, 1)))
    outputs = [offset_values, score_values]
    rows = reference.ssd(outputs, 0.6, anchors, scales, background, logits)
    assert len(rows) > 20
    flat = anchors.tolist() if background else anchors.ravel().tolist()
    boxes, _ = _detect(
        f"ssd.SSD(fake, {flat}, {scales}, {background}, {logits}, threshold=0.6, most=50)",
        (300, 300),
        [scores, offsets] if logits and scales[0] == 1 else [offsets, scores],
    )
    order = reference.suppress(rows, 0.5, most=50)
    _check(boxes, rows[order], (300, 300), (300, 300), "stretch")


def test_ssd_against_tflm():
    random = np.random.RandomState(8)
    anchors = _boxes(random, 60).astype(np.float32)
    encodings, scores = random.normal(0, 1, (1, 60, 4)), random.uniform(0, 1, (1, 60, 4))
    outputs, arrays = zip(
        *[_stored(array, "float32", 0, 1) for array in (encodings, scores)], strict=True
    )
    inputs = [Tensor(array.shape, "float32") for array in arrays]
    inputs.append(Tensor((60, 4), "float32", data=anchors))
    shapes = [(1, 60, 4), (1, 60), (1, 60), (1,)]
    options = {"num_classes": 3, "max_detections": 60, "max_classes_per_detection": 1}
    options |= {"nms_score_threshold": 0.6, "nms_iou_threshold": 0.4}
    options |= {"y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0}
    model = single_op(
        "TFLite_Detection_PostProcess",
        inputs,
        [Tensor(shape, "float32") for shape in shapes],
        custom=options,
    )
    arrays = [array.astype(np.float32) for array in arrays]
    (wanted,) = oracle.run(model, [arrays]).outputs
    count = int(wanted[3][0])
    assert 5 < count < 60
    corners = wanted[0][0, :count][:, [1, 0, 3, 2]]
    rows = np.column_stack([corners, wanted[1][0, :count], wanted[2][0, :count]])
    boxes, _ = _detect(
        f"ssd.SSD(fake, {anchors.tolist()}, threshold=0.6, overlap=0.4, class_wise=False, "
        "most=60)",
        (300, 300),
        list(outputs),
    )
    _check(boxes, rows, (300, 300), (300, 300), "stretch")


def test_outputs_of_detection_postprocess():
    corners = np.array([[[0.1, 0.2, 0.5, 0.6], [0, -0.1, 1.2, 1], [0, 0, 0.1, 0.1]]])
    values = [corners, np.array([[2.0, 0.0, 1.0]]), np.array([[0.9, 0.7, 0.4]]), np.array([3.0])]
    outputs = [_stored(array, "float32", 0, 1)[0] for array in values]
    boxes, _ = _detect("ssd.PostProcessed(fake, frame=(100, 50))", (30, 30), outputs)
    assert boxes.tolist() == [[20, 5, 40, 20, 2, 900], [0, 0, 100, 50, 0, 700]]


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.parametrize(
    "name, points, side, grids",
    [
        ("BlazeFace", 6, 128, [(16, 2), (8, 6)]),
        ("BlazePalm", 7, 192, [(24, 2), (12, 6)]),
        ("BlazePalm", 7, 256, [(32, 2), (16, 2), (8, 6)]),
    ],
)
def test_blaze(dtype, name, points, side, grids):
    random = np.random.RandomState(6)
    count = sum(cells * cells * depth for cells, depth in grids)
    values = random.uniform(-40, 40, (1, count, 4 + 2 * points))
    values[:, :, 2:4] = np.abs(values[:, :, 2:4]) + 10
    values, value_array = _stored(values, dtype, -50, 50)
    logits, logit_array = _stored(random.normal(-3, 1.5, (1, count, 1)), dtype, -8, 4)
    arrays = [value_array, logit_array]
    rows, keypoints = reference.blaze(arrays, 0.4, grids, side)
    assert len(rows) > 10
    frame = (320, 240)
    boxes, found = _detect(
        f"mediapipe.{name}(fake, threshold=0.4, frame={frame}, fit='letterbox')",
        (side, side),
        [values, logits],
    )
    order = reference.suppress(rows, 0.3)
    _check(boxes, rows[order], (side, side), frame, "letterbox")
    wanted = reference.pixels(keypoints[order], (side, side), frame, "letterbox")
    found = found[: wanted.size].reshape(wanted.shape)
    np.testing.assert_allclose(found, wanted, atol=1)


@pytest.mark.parametrize("dtype", _TYPES)
def test_fomo(dtype):
    random = np.random.RandomState(7)
    values = random.normal(0, 1, (1, 12, 10, 3))
    values[..., 0] += 3
    cells = [(2, 2, 1), (2, 3, 1), (3, 4, 1), (7, 7, 2), (9, 7, 1), (11, 0, 2)]
    # A column that continues after another box has begun.
    cells += [(5, 0, 1), (6, 0, 1), (6, 5, 2), (7, 0, 1)]
    for y, x, label in cells:
        values[0, y, x, label] += 6
    values = np.exp(values)
    output, values = _stored(values / values.sum(-1, keepdims=True), dtype, 0, 255 / 256)
    rows = reference.fomo([values], 0.5)
    rows = rows[np.argsort(-rows[:, 5], kind="stable")]
    assert 4 <= len(rows) < 10
    boxes, _ = _detect("fomo.FOMO(fake, frame=(160, 120), fit='crop')", (80, 96), [output])
    if dtype != "float32":  # equal scores are in any order
        boxes, rows = (array[np.lexsort(array[:, :2].T[::-1])] for array in (boxes, rows))
    _check(boxes, rows, (80, 96), (160, 120), "crop")


# Outputs of fewer elements than there are boxes: nothing after their end is read.
def test_short_outputs_of_detection_postprocess():
    corners = np.array([[[0.1, 0.2, 0.5, 0.6]] * 50])
    values = [corners, np.array([[2.0] * 50]), np.array([[0.9]]), np.array([50.0])]
    outputs = [_stored(array, "float32", 0, 1)[0] for array in values]
    for i in (1, 2):
        boxes, _ = _detect("ssd.PostProcessed(fake, frame=(100, 50))", (30, 30), outputs)
        assert boxes.tolist() == [[20, 5, 40, 20, 2, 900]], i
        short = values[1][:, :1], np.full((1, 50), 0.9)
        outputs[1:3] = [_stored(array, "float32", 0, 1)[0] for array in short]


def test_scores_are_compared_exactly():
    # Of int8 with a scale of 1/256, 0.5 is the byte 0: a byte less is below the threshold.
    for q, count in ((0, 1), (-1, 0)):
        values = np.full((1, 1, 1, 2), q, np.int8)
        output = ("int8", values.shape, 1 / 256, -128, values.tobytes())
        boxes, _ = _detect("fomo.FOMO(fake)", (8, 8), [output])
        assert len(boxes) == count
    for value, count in ((0.5, 1), (0.49999, 0), (np.nan, 0), (np.inf, 0)):
        values = np.full((1, 1, 1, 2), value, np.float32)
        output = ("float32", values.shape, 0.0, 0, values.tobytes())
        boxes, _ = _detect("fomo.FOMO(fake)", (8, 8), [output])
        assert len(boxes) == count


# A box whose score and objectness are the threshold is found.
def test_objectness_is_compared_exactly():
    for objectness, count in ((0.5, 1), (0.49999, 0)):
        row = np.array([[[0.5, 0.5, 0.2, 0.2, objectness, 1]]], np.float32)
        output = ("float32", row.shape, 0.0, 0, row.tobytes())
        boxes, _ = _detect("yolo.YOLOv5(fake, threshold=0.5)", (8, 8), [output])
        assert len(boxes) == count


_LIMITS = """
from tflm.detect.fixed_point import ONE, Sigmoid
from tflm.detect.ssd import _times

sigmoid = Sigmoid()
print([sigmoid.of(x) for x in (16 * ONE, 16 * ONE - 1, -16 * ONE)])
print([_times(offset * ONE, size * ONE) // ONE for offset, size in ((20, 1), (-20, 1), (1, 5))])
"""


def test_arguments_beyond_the_range_are_limited():
    assert device(_LIMITS) == ["[65536, 65536, 0]", "[16, -16, 4]"]


_WRONG = """
from tflm.detect import fomo, mediapipe, ssd, yolo

def wrong(function, *arguments, **options):
    print(raises(InputError, function, *arguments, **options))

grid = Fake((8, 8), [("int8", (1, 2, 2, 2), 0.1, 0, bytes(8))])
wrong(fomo.FOMO, grid, threshold=1)
wrong(fomo.FOMO, grid, frame=(0, 8))
wrong(fomo.FOMO, grid, frame=(5000, 8))
wrong(fomo.FOMO, grid, fit="middle")
wrong(fomo.FOMO, grid, most=0)
wrong(yolo.YOLOv5, grid, overlap=2)
wrong(yolo.YOLOv5, grid)
wrong(yolo.YOLOv8, grid)
wrong(yolo.YOLOv2, grid, [(1, 1)])
wrong(yolo.YOLOv3, grid, [[(1, 1)], [(1, 1)]])
wrong(ssd.SSD, grid, [])
wrong(ssd.PostProcessed, grid)
wrong(mediapipe.BlazeFace, grid)
empty = [("float32", shape, 0.0, 0, b"") for shape in ((0, 896, 16), (0, 896, 1))]
wrong(mediapipe.BlazeFace, Fake((8, 8), empty))
shapes = (1, 5, 4), (1, 5), (1, 5), (0,)
outputs = [("float32", shape, 0.0, 0, bytes(80 if shape[0] else 0)) for shape in shapes]
wrong(ssd.PostProcessed, Fake((8, 8), outputs))
outputs = [("int8", (1, 2, n), 0.1, 0, bytes(2 * n)) for n in (4, 2)]
anchors = Fake((8, 8), outputs)
wrong(ssd.SSD, anchors, [1, 1, 1])
wrong(ssd.SSD, anchors, [1, 1, 1, 0] * 2)
wrong(fomo.FOMO, Fake((8, 8), [("int16", (1, 1, 1, 2), 0.1, 0, bytes(4))]))
wrong(fomo.FOMO, Fake((8, 8), [("int8", (1, 1, 1, 2), 0.0, 0, bytes(4))]))
"""


def test_invalid_arguments_and_models():
    assert device(board.SOURCE + _WRONG) == [
        "the threshold is 1; pass a score between 0 and 1",
        "the frame is (0, 8); pass its width and height in pixels",
        "the frame is 5000 x 8 pixels; pass at most 4095",
        "fit is 'middle'; pass stretch, letterbox, crop",
        "most is 0; pass 1 to 1000 boxes",
        "the overlap is 2; pass 0 to 1",
        "the decoder reads [1, boxes, 5 + classes], the model has outputs [1, 2, 2, 2]; "
        "use another decoder",
        "the decoder reads [1, 4 + classes, boxes], the model has outputs [1, 2, 2, 2]; "
        "use another decoder",
        "the decoder reads [1, rows, columns, anchors * (5 + classes)], the model has outputs "
        "[1, 2, 2, 2]; use another decoder",
        "there are anchors for 2 outputs, the model has 1; pass a list for each",
        "the decoder reads [1, anchors, 4] and [1, anchors, classes], the model has outputs "
        "[1, 2, 2, 2]; use another decoder",
        "the decoder reads [1, n, 4], [1, n], [1, n] and [1], the model has outputs "
        "[1, 2, 2, 2]; use another decoder",
        "the decoder reads [1, anchors, 16] and [1, anchors, 1], the model has outputs "
        "[1, 2, 2, 2]; use another decoder",
        "the decoder reads [1, anchors, 16] and [1, anchors, 1], the model has outputs "
        "[0, 896, 16], [0, 896, 1]; use another decoder",
        "the decoder reads [1, n, 4], [1, n], [1, n] and [1], the model has outputs "
        "[1, 5, 4], [1, 5], [1, 5], [0]; use another decoder",
        "there are 3 numbers of anchors, the model has 2 anchors; pass four for each",
        "anchor 0 has no size; pass y, x, height, width",
        "the output 'out' is int16; detectors read float32 and quantized int8 and uint8",
        "the output 'out' is int8 without a scale; detectors read float32 and quantized int8 "
        "and uint8",
    ]


def test_functions_in_integers():
    lines = device("""
        import math
        from tflm.detect.fixed_point import Exp, Sigmoid, product

        sigmoid, exp, worst = Sigmoid(), Exp(), [0, 0, 0]
        for i in range(-20 * 64, 20 * 64 + 1):
            x = i / 64 + 0.003
            error = abs(sigmoid.of(int(x * 65536)) / 65536 - 1 / (1 + math.exp(-x)))
            worst[0] = max(worst[0], error)
            if x < 1.4:
                error = abs(exp.of(int(x * 65536)) / 65536 - math.exp(x))
                worst[1] = max(worst[1], error - 5e-5 * math.exp(x))
        for a in range(0, 65537, 4096):
            for b in range(0, 65537, 1021):
                worst[2] = max(worst[2], abs(product(a, b) / 65536 - a * b / (1 << 32)))
        print(worst[0] < 4e-5, worst[1] < 4e-5, worst[2] < 4e-5, product(65536, 65536))
        """)
    assert lines == ["True True True 65536"]
