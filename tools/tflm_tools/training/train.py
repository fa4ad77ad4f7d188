# tflm_tools: training: a phrase becomes a model, a manifest and a report
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
from ..render.notebook import Shown
from ..render.svg import svg
from ..render.wake_curve import curve_scene
from . import phrases, process, voices
from .pieces import PHRASE, Pieces, check_front_end
from .scores import WINDOW, Heard, Point, choose, curve

MINUTES = 30.0
SEED = 2026
_WORK = "work"  # of the folder: what is kept until all is done
_STEPS = 200  # of training, a minute
_LEAST_STEPS = 20
_LONGEST = 2.5  # seconds of a phrase
_ARENA = 2.5  # what the C++ takes more than we do; okay_nabu's manifest has that, too
_AFTER = 15  # hops that the network hears beside the phrase


@dataclass
class Trained(Shown):
    """What `tflm wake train` made, and what it hears of voices it has never heard.

    chosen: the Point of the validation's voices whose cutoff is in the manifest; test: what that
    cutoff means for the test's. said: phrases of the test. hours: of the test's other speech.
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


# What is to be made, as the folder remembers it.
def _recipe(phrase, minutes, seed):
    return {"phrase": phrase, "minutes": minutes, "seed": seed, "version": 2}


def open_folder(folder, phrase, minutes, seed, resume):
    """The folder of what is kept until all is done; raises ToolError for one that does not fit.

    A new one is made; with resume it must be one of the same phrase, minutes and seed.
    """
    recipe = _recipe(phrase, minutes, seed)
    known = folder / _WORK / "recipe.json"
    if resume:
        if not known.exists():
            raise ToolError(f"{folder} has nothing to go on with; leave --resume away")
        found = json.loads(files.read(known))
        for name, value in recipe.items():
            if found.get(name) != value:
                raise ToolError(
                    f"{folder} was begun with {name} {found.get(name)!r}, not {value!r}; give the "
                    "same again, or another folder"
                )
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        advice = "give --resume to go on" if known.exists() else "name a new one"
        raise ToolError(f"{folder} exists and is not empty; {advice}")
    else:
        files.make_folder(folder / _WORK)
        files.write(known, json.dumps(recipe).encode())
    return folder / _WORK


# Hops of sound that the network must hear at once: nineteen of twenty phrases, and some more.
def _hops(pieces):
    lengths = [
        end - first
        for piece in pieces.read("train")
        for what, first, end in piece.words
        if what == PHRASE
    ]
    return int(np.percentile(lengths, 95)) // 160 + _AFTER


# The manifest of microWakeWord's version 2.
def manifest(phrase, model, cutoff, arena_bytes):
    """The text of a manifest; arena_bytes is what TFLM in C++ gets."""
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


# What the model hears of a set: its curve, phrases said, hours.
def _measure(name, pieces, model, x, progress):
    total = sum(len(pieces.paths(f"{name}_{part}")) for part in ("said", "others"))
    done = 0

    def count():
        nonlocal done
        done += 1
        progress(f"listen ({name})", done, total)

    said, others = (
        Heard(model, x.scale, x.zero_point, pieces.read(f"{name}_{part}"), count)
        for part in ("said", "others")
    )
    return curve(said, others), said.counts(0)[0], others.hours


def train(phrase, output, minutes=MINUTES, seed=SEED, resume=False, progress=None):
    """Train a wake word into the folder `output`; returns Trained.

    phrase: one to four words. minutes: how much sound is made and how long is trained, in minutes
    of two cores; the result is the same for the same minutes and seed. resume: go on with what a
    run that was stopped has left there. progress: a function (what, done, total). Raises
    TflmError.
    """
    phrase = phrases.checked(phrase)
    voices.check_program()
    check_front_end()
    process.find_python()
    folder = Path(output)
    progress = progress or (lambda what, done, total: None)
    work = open_folder(folder, phrase, minutes, seed, resume)
    spoken = len(voices.say(phrase, voices.ACCENTS[0], voices.SPEAKERS[0])) / voices.RATE
    if spoken > _LONGEST:
        raise ToolError(f"{phrase!r} takes {spoken:.1f} s to say; take a shorter phrase")
    pieces = Pieces(work, phrase, minutes, seed)
    pieces.make(lambda done, total: progress("speak", done, total))
    tflite = work / "model.tflite"
    if not tflite.exists():
        job = {
            "pieces": [str(path.absolute()) for path in pieces.paths("train")],
            "seed": seed,
            "steps": max(_LEAST_STEPS, round(_STEPS * minutes)),
            "hops": _hops(pieces),
            "checkpoint": str((work / "checkpoint.npz").absolute()),
            "saved_model": str((work / "saved_model").absolute()),
            "output": str(tflite.absolute()),
        }
        process.run(job, work, lambda done, total: progress("train", done, total))
    result = _finish(phrase, folder, tflite, pieces, minutes, seed, progress)
    shutil.rmtree(work)
    return result


# Measure what was trained, choose the cutoff and write everything.
def _finish(phrase, folder, tflite, pieces, minutes, seed, progress):
    data = tflite.read_bytes()
    found = inspect(tflite)
    flat = flatten(data)
    x = found.inputs[0]
    validation, _, validation_hours = _measure("validation", pieces, flat, x, progress)
    test, said, hours = _measure("test", pieces, flat, x, progress)
    chosen = choose(validation)
    name = phrases.file_name(phrase)
    arena_bytes = -(-int(_ARENA * found.arena_tflite_bytes) // 1000) * 1000
    result = Trained(
        phrase=phrase,
        model=str(folder / f"{name}.tflite"),
        manifest=str(folder / f"{name}.json"),
        picture=str(folder / "curve.svg"),
        minutes=minutes,
        seed=seed,
        model_bytes=len(data),
        flat_bytes=len(flat),
        arena_bytes=found.arena_bytes,
        macs=found.macs,
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
            f"false alarms were counted in {60 * hours:.0f} minutes; --minutes 10 or more has an "
            "hour"
        )
    if chosen.alarms_per_hour > 1:
        result.notes.append("no cutoff has one false alarm an hour; train with more --minutes")
    files.write(result.model, data)
    text = manifest(phrase, f"{name}.tflite", chosen.cutoff, arena_bytes)
    files.write(result.manifest, text.encode() + b"\n")
    files.write(result.picture, svg(curve_scene(result)).encode())
    return result
