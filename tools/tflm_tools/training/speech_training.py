# tflm_tools: training: trains recognizers of words and voice detectors, and measures them
# MIT license; Copyright (c) 2026 the tflm authors

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .. import files
from ..features.log_mel import normalized
from ..flat.flatten import flatten
from ..inspection.inspection import inspect
from ..port.invocation import invoke
from ..render.common import Shown
from . import process, voices, word_recordings
from .folder import open_folder
from .network.clips import VOICE_DELAY, Voice, Words
from .word_recordings import OTHER, VOICE, WORDS, WordRecordings

MINUTES = 25.0
SEED = 2026
THRESHOLD = 0.7  # least probability of a word
UNKNOWN = "_unknown_"  # the class of other speech
_STEPS_PER_MINUTE = {"words": 120, "voice": 40}  # of training
_MIN_STEPS = 20
_WORD_FILES, _VOICE_FILES = ("words.tflite", "words.json"), ("voice.tflite", "voice.json")


@dataclass
class TrainedWords(Shown):
    """The result of `tflm speech train`, measured with voices that were not used for training.

    right, words: number of words of the test set that are recognized, and of all. wrong: number of
    words that are taken for another word. false, others: number of utterances of other speech that
    are taken for a word, and of all. confusions: {(word, taken for): number}, the most frequent
    first.
    """

    _shown = ("speech_training", "print_trained")

    words: list[str]
    model: str
    metadata: str
    minutes: float
    seed: int
    model_bytes: int
    flat_bytes: int
    arena_bytes: int
    macs: int
    right: int
    wrong: int
    said: int
    false: int
    others: int
    confusions: dict[str, int] = field(default_factory=dict)


@dataclass
class TrainedVoice(Shown):
    """The result of training a voice detector, measured with voices not used for training.

    found: share of the windows with a voice whose probability is above 0.5. false: share of the
    windows without a voice.
    """

    _shown = ("speech_training", "print_trained")

    model: str
    metadata: str
    minutes: float
    seed: int
    model_bytes: int
    flat_bytes: int
    arena_bytes: int
    macs: int
    found: float
    false: float
    hours: float


def _features(settings):
    return {
        "sample_rate": settings.sample_rate,
        "n_fft": settings.n_fft,
        "hop_length": settings.hop_length,
        "n_mels": settings.n_mels,
        "f_min": settings.f_min,
        "f_max": settings.f_max,
        "center": settings.center,
    }


def word_metadata(words):
    """Return the metadata of a recognizer, for tflm.speech.load()."""
    return {
        "model": _WORD_FILES[0],
        "classes": [UNKNOWN, *words],
        **_features(WORDS),
        "target_frames": WORDS.frames,
        "threshold": THRESHOLD,
    }


def voice_metadata():
    """Return the metadata of a voice detector, for tflm.speech.load()."""
    return {
        "model": _VOICE_FILES[0],
        **_features(VOICE),
        "window_frames": VOICE.frames,
        "threshold": 0.5,
        "smooth_frames": 6,
        "look_back": (6 // 2 + VOICE_DELAY + 2) * VOICE.hop_length,
    }


# Train a network (task: "words" or "voice") in a separate process; return the .tflite's path.
def _train(task, work, recordings, minutes, seed, progress):
    tflite = work / f"{task}.tflite"
    if not tflite.exists():
        job = {
            "task": task,
            "recordings": [str(path.absolute()) for path in recordings.paths("train")],
            "seed": seed,
            "steps": max(_MIN_STEPS, round(_STEPS_PER_MINUTE[task] * minutes)),
            "saved_model": str((work / f"{task}_model").absolute()),
            "output": str(tflite.absolute()),
        }
        process.run(job, work, lambda done, total: progress(f"train ({task})", done, total))
    return tflite


# Run a model on inputs [n, ...] of floats; return its outputs [n, classes] as floats.
def _outputs(tflite, x):
    inspection = inspect(tflite)
    source, target = inspection.inputs[0], inspection.outputs[0]
    quantized = np.clip(np.round(x / source.scale) + source.zero_point, -128, 127).astype(np.int8)
    _, data, _ = invoke(flatten(tflite.read_bytes()), quantized.tobytes(), runs=len(x))
    found = np.frombuffer(data, np.int8).reshape(len(x), -1).astype(float)
    return (found - target.zero_point) * target.scale


def _measure_words(tflite, recordings, words, progress):
    counts = dict(right=0, wrong=0, said=0, false=0, others=0)
    confusions = {}
    paths = recordings.paths("test")
    for done, (x, labels) in enumerate(Words(paths).centered(), 1):
        logits = _outputs(tflite, x)
        shares = np.exp(logits - logits.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        found = np.where(shares.max(1) >= THRESHOLD, shares.argmax(1), OTHER)
        is_word = labels != OTHER
        counts["said"] += int(is_word.sum())
        counts["others"] += int((~is_word).sum())
        counts["right"] += int((is_word & (found == labels)).sum())
        counts["wrong"] += int((is_word & (found != OTHER) & (found != labels)).sum())
        counts["false"] += int((~is_word & (found != OTHER)).sum())
        for label, other in zip(labels, found, strict=True):
            if label != other:
                names = [UNKNOWN, *words]
                pair = f"{names[label]} as {names[other]}"
                confusions[pair] = confusions.get(pair, 0) + 1
        progress("listen", done, len(paths))
    most = sorted(confusions.items(), key=lambda item: -item[1])[:12]
    return {**counts, "confusions": dict(most)}


def _measure_voice(tflite, recordings, progress):
    paths = recordings.paths("test")
    test = Voice(paths)
    hits = {0: [], 1: []}
    columns = 0
    for done, (sound, labels) in enumerate(zip(test.sounds, test.labels, strict=True), 1):
        columns += len(sound)
        windows = np.lib.stride_tricks.sliding_window_view(sound.astype(float), 16, axis=0)
        x = np.stack([normalized(window.T) for window in windows])
        probable = _outputs(tflite, x)[:, 0] > 0
        wanted = labels[VOICE.frames - 1 - VOICE_DELAY :][: len(x)]
        for label in (0, 1):
            hits[label].append(probable[wanted == label])
        progress("listen", done, len(paths))
    found, false = (float(np.mean(np.concatenate(hits[label]))) for label in (1, 0))
    hours = columns * VOICE.hop_length / VOICE.sample_rate / 3600
    return {"found": found, "false": false, "hours": hours}


def _facts(tflite, folder, names, metadata):
    data = tflite.read_bytes()
    inspection = inspect(tflite)
    files.write(folder / names[0], data)
    text = json.dumps(metadata, indent=2)
    files.write(folder / names[1], text.encode() + b"\n")
    return {
        "model": str(folder / names[0]),
        "metadata": str(folder / names[1]),
        "model_bytes": len(data),
        "flat_bytes": len(flatten(data)),
        "arena_bytes": inspection.arena_bytes,
        "macs": inspection.macs,
    }


def _prepare(words, output, minutes, seed, resume, progress):
    voices.check_program()
    words = word_recordings.checked(words)
    process.find_python()
    recipe = {"words": words, "minutes": minutes, "seed": seed, "version": 1}
    work = open_folder(Path(output), recipe, resume)
    recordings = WordRecordings(work, words, minutes, seed)
    recordings.make(lambda done, total: progress("speak", done, total))
    return words, work, recordings


def _silent(stage, done, total):
    pass


def train_words(words, output, minutes=MINUTES, seed=SEED, resume=False, progress=_silent):
    """Train a recognizer of words; write words.tflite and words.json to the folder `output`.

    words: texts of single words. minutes: the amount of sound and of training, about the time on
    two cores; the same minutes and seed give the same result. resume: continue an interrupted
    training. progress: a function (stage, done, total). Returns a TrainedWords. Raises TflmError.
    """
    words, work, recordings = _prepare(words, output, minutes, seed, resume, progress)
    tflite = _train("words", work, recordings, minutes, seed, progress)
    counts = _measure_words(tflite, recordings, words, progress)
    facts = _facts(tflite, Path(output), _WORD_FILES, word_metadata(words))
    shutil.rmtree(work)
    return TrainedWords(words=words, minutes=minutes, seed=seed, **facts, **counts)


def train_voice(words, output, minutes=MINUTES, seed=SEED, resume=False, progress=_silent):
    """Train a voice detector; write voice.tflite and voice.json. Arguments: as for train_words().

    Returns a TrainedVoice.
    """
    words, work, recordings = _prepare(words, output, minutes, seed, resume, progress)
    tflite = _train("voice", work, recordings, minutes, seed, progress)
    counts = _measure_voice(tflite, recordings, progress)
    facts = _facts(tflite, Path(output), _VOICE_FILES, voice_metadata())
    shutil.rmtree(work)
    return TrainedVoice(minutes=minutes, seed=seed, **facts, **counts)
