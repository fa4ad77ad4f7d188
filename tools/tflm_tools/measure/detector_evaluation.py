# tflm_tools: detector_evaluation: measures the mean average precision of a detector
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

import numpy as np

from ..detection import picture
from ..detection.average_precision import average_precisions
from ..detection.detect import detector_of
from ..model.arrays import load_input
from ..model.model_file import open_model
from ..render.common import Shown
from .boxes import read_boxes
from .evaluation import EvaluateOptions


@dataclass
class ClassPrecision:
    """The average precision of a class: at an overlap of 0.5, and the mean of 0.5 to 0.95."""

    label: str
    wanted: int
    found: int
    ap_50: float | None
    ap: float | None


@dataclass
class DetectorEvaluation(Shown):
    """The result of `tflm eval --detect`; times are microseconds of an invoke.

    map_50, map: means of ap_50 and ap over the classes that have wanted boxes.
    """

    _shown = ("evaluation", "print_detector_evaluation")

    model: str
    data: str
    decoder: str
    where: str
    jobs: int
    count: int
    map_50: float | None
    map: float | None
    classes: list[ClassPrecision]
    mean_us: float
    median_us: float
    best_us: float
    arena_bytes: int
    notes: list[str]


def evaluate_detector(path, data, detect, device=None, progress=None, **options):
    """Run a detector on images with wanted boxes; return a DetectorEvaluation.

    data: a .json or .csv as for boxes.read_boxes(). detect: detection.detect.Settings. device,
    progress, options: as for evaluation.evaluate(); `compare` is ignored. Raises TflmError.
    """
    options = EvaluateOptions(**options)
    model = open_model(path)
    detector = detector_of(model, detect)
    images = read_boxes(data, detector.labels)[: options.limit]
    notes = []
    runs = [
        [load_input(image.path, 0, model.inputs[0], True, options.pixels, notes)]
        for image in images
    ]
    device = device or options.processes(len(runs))
    result = device.invoke(model, runs, options.invoke_options(), progress)
    found = []
    for image, outputs in zip(images, result.outputs, strict=True):
        rows = detector.rows(outputs)
        rows[:, :4] = np.clip(rows[:, :4], 0, 1) * (picture.image_size(image.path) * 2)
        found.append(rows)
    classes = _classes(found, [image.rows for image in images], detector.labels)
    measured = [each for each in classes if each.ap is not None]
    return DetectorEvaluation(
        model=str(path),
        data=str(data),
        decoder=detector.name,
        where=device.where,
        jobs=device.jobs,
        count=len(images),
        map_50=_mean([each.ap_50 for each in measured]),
        map=_mean([each.ap for each in measured]),
        classes=classes,
        mean_us=float(np.mean(result.times)),
        median_us=float(np.median(result.times)),
        best_us=float(np.min(result.times)),
        arena_bytes=result.arena,
        notes=list(dict.fromkeys(notes)),
    )


def _mean(values):
    return float(np.mean(values)) if values else None


# The ClassPrecision of each class that has found or wanted boxes.
def _classes(found, wanted, labels):
    numbers = {int(number) for rows in (*found, *wanted) for number in rows[:, 4]}
    classes = []
    for number in sorted(numbers):
        averages = average_precisions(found, wanted, number)
        classes.append(
            ClassPrecision(
                label=labels[number] if number < len(labels) else str(number),
                wanted=sum(int((rows[:, 4] == number).sum()) for rows in wanted),
                found=sum(int((rows[:, 4] == number).sum()) for rows in found),
                ap_50=None if averages is None else averages[0],
                ap=None if averages is None else float(np.mean(averages)),
            )
        )
    return classes
