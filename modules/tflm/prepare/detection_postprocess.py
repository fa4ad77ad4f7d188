# tflm: TFLite_Detection_PostProcess: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .common import FLOAT_WORK, check, check_dtype, support

BOXES = ("encodings", "anchors", "boxes", "areas", "temp", "row", "scales", "scale_x")
BOXES += ("scale_h", "scale_w", "half")
BEST = ("input", "scores", "row", "offset", "classes")
PICK = (
    "scores",
    "boxes",
    "areas",
    "active",
    "found",
    "temp",
    "row",
    "offset",
    "count",
    "picks",
    "max_found",
    "score_threshold",
    "iou_threshold",
)
OUTPUTS = (
    "input",
    "boxes",
    "found",
    "output_boxes",
    "output_classes",
    "output_scores",
    "output_count",
    "written",
    "row",
    "offset",
    "classes",
    "categories",
    "capacity",
    "all_boxes",
    "max_found",
)

_DETECTIONS_PER_CLASS = 100
_TEMP_BYTES = 4 * (8 + 2 * 16)  # constants, and two vectors
_LONGEST_ROW = 1023
_MOST = 1 << 16
_TOO_LARGE = 1e30


# An option gives the maximum number of detections, for all sizes of the inputs.
def output_shapes(node):
    return [tensor.shape for tensor in node.outputs]


# Box encodings [1, boxes, 4 or more], scores [1, boxes, classes, with or without a background in
# front], anchors [boxes, 4] -> boxes, classes, scores and their number, selected by non-maximum
# suppression: for each class separately (regular) or for the best class of each box (fast);
# float32.
def prepare(context, node):
    encodings, scores, anchors = [node.input(i) for i in range(3)]
    outputs = [node.output(i) for i in range(4)]
    for tensor in [encodings, scores, anchors] + outputs:
        check_dtype(node, tensor, dtypes.FLOAT32)
    options = node.custom_values()
    check(isinstance(options, dict), node, "the options are not a map")
    for name in options:
        number = isinstance(options[name], (bool, int, float))
        check(number and abs(options[name]) < _TOO_LARGE, node, "the option '%s' is bad" % name)
    check(len(encodings.shape) == 3 and encodings.shape[2] >= 4, node, "%s is no box" % encodings)
    boxes, row = encodings.shape[1:]
    support(encodings.shape[0] == 1, node, "a batch of %d" % encodings.shape[0])
    support(row <= _LONGEST_ROW, node, "a box of %d values" % row)
    check(anchors.elements() >= 4 * boxes, node, "%s does not hold the anchors" % anchors)
    check(
        len(scores.shape) == 3 and scores.shape[:2] == (1, boxes), node, "%s do not fit" % scores
    )
    classes, all_classes = int(options.get("num_classes", 0)), scores.shape[2]
    check(classes >= 1 and all_classes - classes in (0, 1), node, "num_classes is %d" % classes)
    most = int(options.get("max_detections", 0))
    check(0 <= most <= _MOST, node, "max_detections is %d" % most)
    iou = options.get("nms_iou_threshold", 0)
    check(0 < iou <= 1, node, "nms_iou_threshold is not within 0..1")
    capacity = min(outputs[0].elements() // 4, outputs[1].elements(), outputs[2].elements())
    check(capacity >= most, node, "the outputs do not hold max_detections")
    check(outputs[3].elements() == 1, node, "%s is no number" % outputs[3])

    decoded = context.request_scratch_buffer(16 * boxes)
    areas = context.request_scratch_buffer(4 * boxes)
    temp = context.request_scratch_buffer(_TEMP_BYTES)
    found = context.request_scratch_buffer(4 * (2 + 3 * (most + 1)))
    context.emit(
        "detection_postprocess.eval_boxes",
        BOXES,
        boxes,
        boxes * 24 * FLOAT_WORK,
        encodings=encodings,
        anchors=anchors,
        boxes=decoded,
        areas=areas,
        temp=temp,
        row=row,
        scales=_bits(options.get("y_scale", 0)),
        scale_x=_bits(options.get("x_scale", 0)),
        scale_h=_bits(options.get("h_scale", 0)),
        scale_w=_bits(options.get("w_scale", 0)),
        half=_bits(0.5),
    )
    offset = all_classes - classes
    best, categories, rounds = scores, 0, classes
    row_of_scores, offset_of_scores = all_classes, offset
    if options.get("use_regular_nms", False):
        picks = int(options.get("detections_per_class", _DETECTIONS_PER_CLASS))
        check(picks > 0, node, "detections_per_class is %d" % picks)
    else:
        categories = min(int(options.get("max_classes_per_detection", 0)), classes)
        check(categories > 0, node, "max_classes_per_detection is %d" % categories)
        best = context.request_scratch_buffer(4 * boxes)
        context.emit(
            "detection_postprocess.eval_best",
            BEST,
            boxes,
            boxes * classes * 2,
            input=scores,
            scores=best,
            row=all_classes,
            offset=offset,
            classes=classes,
        )
        picks, rounds, row_of_scores, offset_of_scores = most, 1, 1, 0
    picks = min(picks, boxes)
    context.emit(
        "detection_suppression.eval_pick",
        PICK,
        rounds * max(picks, 1),
        rounds * max(picks, 1) * boxes * 12,
        scores=best,
        boxes=decoded,
        areas=areas,
        active=context.request_scratch_buffer(boxes),
        found=found,
        temp=temp,
        row=row_of_scores,
        offset=offset_of_scores,
        count=boxes,
        picks=max(picks, 1),
        max_found=most,
        score_threshold=_bits(options.get("nms_score_threshold", 0)),
        iou_threshold=_bits(iou),
    )
    context.emit(
        "detection_suppression.eval_outputs",
        OUTPUTS,
        1,
        most * (classes * categories + 8),
        input=scores,
        boxes=decoded,
        found=found,
        output_boxes=outputs[0],
        output_classes=outputs[1],
        output_scores=outputs[2],
        output_count=outputs[3],
        written=context.allocate_state(4),
        row=all_classes,
        offset=offset,
        classes=classes,
        categories=categories,
        capacity=capacity,
        all_boxes=boxes,
        max_found=most if boxes else 0,
    )


# Return an option as the bits of a float32.
def _bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]
