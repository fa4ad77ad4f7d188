# tflm_tools: training: trains a wake word and writes its model, manifest and report
# MIT license; Copyright (c) 2026 the tflm authors

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .. import files
from ..errors import ToolError
from ..flat.flatten import flatten
from ..inspection.inspection import inspect
from ..render.common import Shown
from ..render.svg import svg
from ..render.wake_curve import curve_scene
from . import phrases, process, voices
from .folder import open_folder
from .recordings import PHRASE, Recordings, check_front_end
from .scores import WINDOW, MeasuredRecordings, Point, choose, curve

MINUTES = 30.0
SEED = 2026
_STEPS_PER_MINUTE = 200  # of training
_MIN_STEPS = 20
_MAX_PHRASE_SECONDS = 2.5
_CPP_ARENA_RATIO = 2.5  # arena of TFLM in C++ to ours, as in okay_nabu's manifest
_EXTRA_HOPS = 15  # that the network covers in addition to the phrase


@dataclass
class Trained(Shown):
    """The result of `tflm wake train`, measured with voices that were not used for training.

    chosen: the Point of the validation set whose cutoff is in the manifest. test: the Point of the
    test set at that cutoff. said: number of phrases in the test set. hours: of other speech in the
    test set.
    """

    _shown = ("wake_training", "print_trained")

    phrase: str
    model: str
    manifest: str
    picture: str
    minutes: float
    seed: int
    model_bytes: int
    flat_bytes: int
    arena_bytes: int
    macs: int
    chosen: Point
    test: Point
    said: int
    hours: float
    validation_hours: float
    validation_curve: list[Point] = field(repr=False)
    test_curve: list[Point] = field(repr=False)
    notes: list[str] = field(default_factory=list)


# The parameters of a training, which are stored in the folder.
def _recipe(phrase, minutes, seed):
    return {"phrase": phrase, "minutes": minutes, "seed": seed, "version": 2}


# Number of hops that the network must cover: 95 % of the phrases are shorter.
def _hops(recordings):
    lengths = [
        end - first
        for recording in recordings.read("train")
        for kind, first, end in recording.words
        if kind == PHRASE
    ]
    return int(np.percentile(lengths, 95)) // 160 + _EXTRA_HOPS


def manifest(phrase, model, cutoff, arena_bytes):
    """Return the text of a microWakeWord manifest of version 2.

    model: the model's file name. arena_bytes: size of the arena for TFLM in C++.
    """
    return json.dumps(
        {
            "type": "micro",
            "wake_word": phrase.title(),
            "author": "tflm wake train",
            "website": "",
            "model": model,
            "trained_languages": ["en"],
            "version": 2,
            "micro": {
                "probability_cutoff": cutoff,
                "sliding_window_size": WINDOW,
                "feature_step_size": 10,
                "tensor_arena_size": arena_bytes,
                "minimum_esphome_version": "2024.7.0",
            },
        },
        indent=2,
    )


# Measure a model on a set: (curve, number of phrases, hours of other speech).
def _measure(name, recordings, model, x, progress):
    sets = [f"{name}_said", f"{name}_others"]
    total = sum(len(recordings.paths(each)) for each in sets)
    done = 0

    def count():
        nonlocal done
        done += 1
        progress(f"listen ({name})", done, total)

    with_phrase, others = (
        MeasuredRecordings(model, x.scale, x.zero_point, recordings.read(each), count)
        for each in sets
    )
    return curve(with_phrase, others), with_phrase.counts(0)[0], others.hours


def train(phrase, output, minutes=MINUTES, seed=SEED, resume=False, progress=None):
    """Train a wake word and write its files to the folder `output`; return a Trained.

    phrase: one to four words. minutes: the amount of sound and of training, in minutes on two
    cores; the same minutes and seed give the same result. resume: continue an interrupted
    training. progress: a function (stage, done, total). Raises TflmError.
    """
    phrase = phrases.checked(phrase)
    voices.check_program()
    check_front_end()
    process.find_python()
    folder = Path(output)
    progress = progress or (lambda stage, done, total: None)
    work = open_folder(folder, _recipe(phrase, minutes, seed), resume)
    seconds = len(voices.say(phrase, voices.ACCENTS[0], voices.SPEAKERS[0])) / voices.RATE
    if seconds > _MAX_PHRASE_SECONDS:
        raise ToolError(f"saying {phrase!r} lasts {seconds:.1f} s; choose a shorter phrase")
    recordings = Recordings(work, phrase, minutes, seed)
    recordings.make(lambda done, total: progress("speak", done, total))
    tflite = work / "model.tflite"
    if not tflite.exists():
        job = {
            "recordings": [str(path.absolute()) for path in recordings.paths("train")],
            "seed": seed,
            "steps": max(_MIN_STEPS, round(_STEPS_PER_MINUTE * minutes)),
            "hops": _hops(recordings),
            "checkpoint": str((work / "checkpoint.npz").absolute()),
            "saved_model": str((work / "saved_model").absolute()),
            "output": str(tflite.absolute()),
        }
        process.run(job, work, lambda done, total: progress("train", done, total))
    result = _finish(phrase, folder, tflite, recordings, minutes, seed, progress)
    shutil.rmtree(work)
    return result


# Measure the trained model, choose the cutoff and write all files; return the Trained.
def _finish(phrase, folder, tflite, recordings, minutes, seed, progress):
    data = tflite.read_bytes()
    inspection = inspect(tflite)
    flat = flatten(data)
    x = inspection.inputs[0]
    validation, _, validation_hours = _measure("validation", recordings, flat, x, progress)
    test, said, hours = _measure("test", recordings, flat, x, progress)
    chosen = choose(validation)
    name = phrases.file_name(phrase)
    arena_bytes = -(-int(_CPP_ARENA_RATIO * inspection.arena_tflite_bytes) // 1000) * 1000
    result = Trained(
        phrase=phrase,
        model=str(folder / f"{name}.tflite"),
        manifest=str(folder / f"{name}.json"),
        picture=str(folder / "curve.svg"),
        minutes=minutes,
        seed=seed,
        model_bytes=len(data),
        flat_bytes=len(flat),
        arena_bytes=inspection.arena_bytes,
        macs=inspection.macs,
        chosen=chosen,
        test=test[validation.index(chosen)],
        said=said,
        hours=hours,
        validation_hours=validation_hours,
        validation_curve=validation,
        test_curve=test,
    )
    if validation_hours < 1 or hours < 1:
        result.notes.append(
            f"false alarms were counted in only {60 * hours:.0f} minutes of speech; give "
            "--minutes 10 or more for one hour"
        )
    if chosen.alarms_per_hour > 1:
        result.notes.append(
            "all cutoffs have more than one false alarm per hour; train with more --minutes"
        )
    files.write(result.model, data)
    text = manifest(phrase, f"{name}.tflite", chosen.cutoff, arena_bytes)
    files.write(result.manifest, text.encode() + b"\n")
    files.write(result.picture, svg(curve_scene(result)).encode())
    return result
