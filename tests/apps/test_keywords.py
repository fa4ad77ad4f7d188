# Tests of the app keywords in the unix port, on WAV files, against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from apps import sounds
from support.oracle import shared_oracle
from support.runner import micropython_path
from tflm_tools.apps.rom_contents import further_models, rom_files
from tflm_tools.errors import ToolError

FRAMES, CHANNELS, RUN_EVERY = 49, 40, 4
HOP, FRAME = 320, 480
_SCRIPT = Path(__file__).with_name("device_listener.py")
_LINE = re.compile(r" +([0-9.]+) s  (.+?) +(\d+) %")


@pytest.fixture(scope="module")
def folders(repository):
    """Return the folder of the app, and the folder of its models."""
    return repository / "firmware" / "apps" / "keywords", repository / "models"


# Run the app as a user does; return (exit code, output).
def run_app(repository, *arguments):
    paths = [str(repository / "tools"), str(repository / "modules")]
    done = subprocess.run(
        [sys.executable, "-m", "tflm_tools.apps.run", *map(str, arguments)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "TFLM_MICROPYTHON": micropython_path(),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout


# [(label, seconds)] of the detections in the app's output.
def detections(text):
    return [(label, float(second)) for second, label, _ in _LINE.findall(text)]


# Run the app's Listener on a WAV file; return features, scores and label + 1 of each hop.
def run_listener(folders, path, tmp_path, model=None):
    rom = tmp_path / "rom"
    rom.mkdir()
    for name, data in rom_files(folders[0], model).items():
        (rom / name).write_bytes(data)
    modules = folders[0].parents[2] / "modules"
    done = subprocess.run(
        [micropython_path(), "-X", "heapsize=2M", _SCRIPT, rom, path, tmp_path],
        env={**os.environ, "MICROPYPATH": f"{folders[0]}:{modules}:.frozen"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    features = np.frombuffer((tmp_path / "features").read_bytes(), np.int8)
    scores = np.frombuffer((tmp_path / "scores").read_bytes(), np.int8)
    return features.reshape(-1, CHANNELS), scores, (tmp_path / "labels").read_bytes()


# Features and scores that TFLM computes for a WAV file. The first frame begins with 10 ms of
# zeros.
def tflm_features_and_scores(folders, path, model):
    samples = np.concatenate([np.zeros(FRAME - HOP, np.int16), sounds.read(path)])
    frames = [[samples[i : i + FRAME]] for i in range(0, len(samples) - FRAME + 1, HOP)]
    front_end = (folders[1] / "audio_frontend" / "audio_frontend_int8.tflite").read_bytes()
    features = np.array([outputs[0] for outputs in shared_oracle().run(front_end, frames)])
    first = -(-FRAMES // RUN_EVERY) * RUN_EVERY
    shape = (1, 1960) if "micro_speech" in model.name else (1, FRAMES, 1, CHANNELS)
    images = [
        [features[end - FRAMES : end].reshape(shape)]
        for end in range(first, len(features) + 1, RUN_EVERY)
    ]
    scores = shared_oracle().run(model.read_bytes(), images)
    return features, np.concatenate([outputs[0].ravel() for outputs in scores])


# The app detects the words in a recording of voices that were not used for training.
def test_detects_words(repository, folders):
    code, text = run_app(repository, "keywords", folders[1] / "keywords" / "words.wav")
    assert code == 0, text
    found = detections(text)
    assert [label for label, _ in found] == ["yes", "no", "stop"]
    for (_, second), begin in zip(found, (0.8, 1.9, 3.0), strict=True):
        assert begin + 0.2 < second < begin + 1.3
    assert re.search(r"4\.50 s of sound in [0-9.]+ s: [0-9.]+ times real time", text)


def test_ignores_other_words(repository, folders):
    code, text = run_app(repository, "keywords", folders[1] / "keywords" / "others.wav")
    assert code == 0 and detections(text) == [], text


def test_ignores_noise_and_silence(repository, tmp_path):
    (tmp_path / "sound.wav").write_bytes(
        sounds.wav(np.concatenate([sounds.noise(3), np.zeros(32000), 40 * sounds.noise(2)]))
    )
    code, text = run_app(repository, "keywords", tmp_path / "sound.wav")
    assert code == 0 and detections(text) == [], text


# All features and scores of a file equal TFLM's; hear() does not allocate; reset() clears the
# state.
@pytest.mark.parametrize("name", ["words", "others"])
def test_features_and_scores_equal_tflm(folders, tmp_path, name):
    path = folders[1] / "keywords" / f"{name}.wav"
    features, scores, labels = run_listener(folders, path, tmp_path)
    model = folders[1] / "keywords" / "keywords_int8.tflite"
    expected = tflm_features_and_scores(folders, path, model)
    np.testing.assert_array_equal(features, expected[0])
    np.testing.assert_array_equal(scores, expected[1])
    assert [label - 1 for label in labels if label] == ([2, 3, 4] if name == "words" else [])


# The app runs TFLM's example model micro_speech, which detects yes and no.
def test_micro_speech(repository, folders, shared_models, tmp_path):
    path, model = folders[1] / "keywords" / "words.wav", shared_models / "micro_speech_int8.tflite"
    features, scores, _ = run_listener(folders, path, tmp_path, model)
    expected = tflm_features_and_scores(folders, path, model)
    np.testing.assert_array_equal(features, expected[0])
    np.testing.assert_array_equal(scores, expected[1])
    code, text = run_app(repository, "keywords", path, "--model", model)
    assert code == 0
    assert [label for label, _ in detections(text)][:2] == ["label 2", "label 3"]


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"rate": 44100}, "has 44100 samples per second"),
        ({"channels": 2}, "has 2 channels"),
        ({"bits": 24}, "has samples of 24 bits"),
        ({"code": 3}, "is compressed or has floats (format 3)"),
        ({"size": 20000}, "is truncated: 4000 bytes of sound are missing"),
    ],
)
def test_invalid_wav_files(repository, tmp_path, changes, message):
    path = tmp_path / "sound.wav"
    path.write_bytes(sounds.wav(sounds.noise(0.5), **changes))
    code, text = run_app(repository, "keywords", path)
    lines = [line for line in text.splitlines() if not _LINE.match(line)]
    assert code == 1 and len(lines) == 1 and message in lines[0], text
    assert "it must be a WAV file of 16 kHz, mono, 16 bit PCM" in lines[0]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["keywords", "no_such_file.wav"], "keywords: .*no_such_file.wav"),
        (["no_such_app"], "app: there is no app no_such_app .*choose one of .*keywords"),
        (["digits"], "app: the app digits needs a board"),
        (["keywords", "x.wav", "--model", "no.tflite"], "app: cannot read no.tflite"),
    ],
)
def test_errors_are_one_line(repository, arguments, message):
    code, text = run_app(repository, *arguments)
    assert code == 1 and re.search(message, text) and len(text.splitlines()) == 1, text


# The error for an invalid line of the file `models` quotes the line.
def test_invalid_line_in_models(tmp_path):
    (tmp_path / "models").write_text("frontend.tflm\n")
    with pytest.raises(
        ToolError, match="'frontend.tflm' is not a name and a path; write NAME PATH"
    ):
        further_models(tmp_path)
