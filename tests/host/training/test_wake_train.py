# Tests of `tflm wake train`; the one that trains needs TensorFlow: `make -C tests wake-train`
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from tflm_tools.errors import ToolError
from tflm_tools.render.svg import svg
from tflm_tools.render.wake_curve import curve_scene
from tflm_tools.training import phrases, process, recordings, scores, train, voices
from tflm_tools.training.folder import open_folder
from tflm_tools.training.network import examples, shape
from unit.on_device import device


@pytest.mark.parametrize(
    "phrase, message",
    [
        ("", "the phrase is empty; write one to four words"),
        ("  ", "the phrase is empty"),
        ("hey 4", "'hey 4' is not a phrase; write"),
        ("<speak>", "is not a phrase"),
        ("one two three four five", "too long for a wake word"),
        ("donaudampfschiff" * 3, "too long for a wake word"),
    ],
)
def test_invalid_phrases(tflm, tmp_path, phrase, message):
    found = tflm("wake", "train", phrase, "-o", tmp_path / "word")
    assert found.code == 1 and message in found.err and not (tmp_path / "word").exists()


def test_similar_phrases_and_other_speech():
    assert phrases.checked(" Hey   Pico ") == "Hey Pico"
    assert phrases.file_name("Hey Pico's né") == "hey_pico_s_né"
    random = np.random.RandomState(1)
    # With this pronunciation vowels make no difference: texts that differ only in them are
    # omitted.
    found = phrases.near(
        "hey pico", 40, random, lambda texts: ["".join(c for c in t if c not in "aeiouy ")
                                               for t in texts])  # fmt: skip
    assert 20 < len(found) == len(set(found)) <= 40 and "pico" in found or "hey" in found
    assert not any("hpc" in "".join(c for c in text if c not in "aeiouy ") for text in found)
    assert all(sum(a != b for a, b in zip(text, "hey pico", strict=True)) == 2
               for text in phrases.near("heypico", 9, random, lambda texts: texts)
               if len(text) == 8)  # fmt: skip
    for _ in range(50):
        words = phrases.other("hey pico", random).split()
        assert 1 <= len(words) <= 8 and "hey" not in words


def test_sets_of_speakers_and_recordings():
    sets = [set(s) for s in
            (voices.TRAIN_SPEAKERS, voices.VALIDATION_SPEAKERS, voices.TEST_SPEAKERS)]  # fmt: skip
    assert sum(map(len, sets)) == len(set.union(*sets)) == len(voices.SPEAKERS) == 80
    small, large = recordings.kinds(0.1), recordings.kinds(30)
    assert all(kind.count == 1 for kind in small.values())
    assert (
        large["train"].count > 20 and large["test_others"] == recordings.kinds(20)["test_others"]
    )
    assert set(large["test_said"].speakers) == sets[2]
    assert large["test_others"].shares[0] == 0


# The receptive field of the network covers the phrase.
@pytest.mark.parametrize("hops, last", [(10, 5), (90, 5), (120, 12), (150, 22)])
def test_receptive_field(hops, last):
    blocks = shape.blocks(hops)
    assert blocks[-1] == (64, (last,)) and 3 * shape.receptive_field(blocks) >= hops


# Examples of a step are reproducible, have the right shares of phrases and similar phrases, and
# label the inferences just after a phrase.
def test_examples(tmp_path):
    words = np.array([[0, 0, 160000], [1, 400000, 480320], [2, 800000, 880320]])
    path = tmp_path / "train.npz"
    hops = np.arange(20000) // 10
    np.savez(path, features=np.repeat(hops[:, None], 40, 1).astype(np.int16), words=words)
    drawn = examples.Examples([path], 45)
    x, y, counts = drawn.batch(1, 7)
    for again, first in zip(drawn.batch(1, 7), (x, y, counts), strict=True):
        assert np.array_equal(again, first)
    assert x.shape == (48, drawn.frames, 1, 40) and not np.array_equal(x, drawn.batch(1, 8)[0])
    with_phrase, near = [], []
    for step in range(20):
        x, y, counts = drawn.batch(1, step)
        last = np.round(x.max(3)[:, -1, 0] / 0.0390625) * 10  # the last hop, in steps of ten
        with_phrase += list(y.any(1))
        near += list((last >= 5500) & (last <= 5500 + 3 * 64))
        assert (y <= counts).all()
    assert 0.33 < np.mean(with_phrase) < 0.47 and 0.23 < np.mean(near) < 0.37
    y, counts = drawn._labels(0, 3000 - 44 * 3 - 4)  # the phrase ends at the first inference
    assert y.tolist() == [1.0] * 13 + [0.0] * 51 and counts.tolist() == [1.0] * 13 + [0.0] * 8 + [
        1.0] * 43  # fmt: skip


# For a speaker with another vocal tract a tone moves to channels up to 6 % away.
def test_stretched_features():
    x = np.zeros((1, 1, 40), np.float32)
    x[..., 20] = 1
    random = np.random.RandomState(1)
    channels = {int(examples._stretched(x, random).argmax()) for _ in range(50)}
    assert channels == {19, 20, 21}


def test_folder_of_a_training(tmp_path):
    folder = tmp_path / "word"
    recipe = train._recipe("hey pico", 1.0, 1)
    with pytest.raises(ToolError, match="no training to continue; leave out --resume"):
        open_folder(folder, recipe, True)
    work = open_folder(folder, recipe, False)
    assert work.is_dir() and open_folder(folder, recipe, True) == work
    with pytest.raises(ToolError, match="exists and is not empty; give --resume to continue"):
        open_folder(folder, recipe, False)
    for given, message in [
        (("hey you", 1.0, 1), "phrase 'hey pico', not 'hey you'"),
        (("hey pico", 2.0, 1), "minutes 1.0, not 2.0"),
        (("hey pico", 1.0, 2), "seed 1, not 2"),
    ]:
        with pytest.raises(ToolError, match=f"begun with {message}; give the same value"):
            open_folder(folder, train._recipe(*given), True)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(ToolError, match="exists and is not empty; name a new one"):
        open_folder(file, recipe, False)


def test_missing_programs_and_packages(tflm, tmp_path, monkeypatch):
    arguments = ("wake", "train", "hey pico", "-o", tmp_path / "word")
    monkeypatch.setattr(voices.shutil, "which", lambda name: None)
    found = tflm(*arguments)
    assert found.code == 1 and "espeak-ng, which speaks the phrases, is missing" in found.err
    monkeypatch.setattr(voices, "check_program", lambda: None)
    monkeypatch.setitem(sys.modules, "pymicro_features", None)
    found = tflm(*arguments)
    assert found.code == 1 and "pymicro-features, which computes features" in found.err
    assert "install it with: " in found.err and "pip install" in found.err
    monkeypatch.setattr(train, "check_front_end", lambda: None)
    monkeypatch.delenv("TFLM_TENSORFLOW", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    found = tflm(*arguments)
    assert found.code == 1 and "TensorFlow, which trains the network, is not" in found.err
    assert not (tmp_path / "word").exists()


# A failing TFLM_TENSORFLOW: the error has its last line of output and the name of the log.
@pytest.mark.parametrize(
    "text, message",
    [("echo boo >&2; exit 1", "ended with an error: boo; see .*log.txt and continue with --res"),
     (None, "cannot run .*program: .*; set TFLM_TENSORFLOW to a Python")],
)  # fmt: skip
def test_failing_training_process(tmp_path, monkeypatch, text, message):
    program = tmp_path / "program"
    if text:
        program.write_text(f"#!/bin/bash\n{text}\n")
        program.chmod(0o755)
    monkeypatch.setenv("TFLM_TENSORFLOW", str(program))
    with pytest.raises(ToolError, match=message):
        process.run({}, tmp_path, lambda done, total: None)


# A detection is above the cutoff; then there is none for one second, as in tflm.wake.
def test_detections():
    sums = np.zeros(200, int)
    sums[10:60] = 2000
    sums[100] = 2305
    hops = [(at - 480) // 160 for at in scores.detections(sums, 0.7)]
    assert hops == [32, 134, 302]
    assert scores.detections(sums, 0.9) == [302 * 160 + 480]  # 0.9 * 10 * 256 = 2304
    assert scores.detections(sums, 0.91) == []


def test_counts_and_choice_of_the_cutoff(monkeypatch):
    detections = {0: [16000, 40000], 1: [3000, 90000]}
    monkeypatch.setattr(scores, "window_sums", lambda model, features, *_: features[0, 0])
    monkeypatch.setattr(scores, "detections", lambda sums, cutoff: list(detections[int(sums)]))
    words = np.array([[1, 8000, 15500], [2, 30000, 40000], [1, 50000, 60000]])
    others = np.array([[0, 0, 3000], [2, 8000, 16000]])
    given = [recordings.Recording(np.full((900, 40), i), w) for i, w in enumerate((words, others))]
    assert scores.MeasuredRecordings(None, 1, 0, given[:1]).counts(0.5) == (2, 1, 1, 1, 1)
    without_phrase = scores.MeasuredRecordings(None, 1, 0, given[1:])
    assert without_phrase.counts(0.5) == (0, 0, 1, 0, 2)
    assert without_phrase.hours == pytest.approx((900 * 160 + 320) / 16000 / 3600)
    points = [scores.Point(c, 1 - c, 0.0, a) for c, a in ((0.5, 3.0), (0.6, 1.0), (0.7, 0.0))]
    assert scores.choose(points) is points[1]
    assert scores.choose(points[:1]) is points[0]
    result = train.Trained("hey pico", "", "", "", 1.0, 1, 0, 0, 0, 0, points[1], points[1], 9,
                           1.0, 1.0, points, points)  # fmt: skip
    picture = svg(curve_scene(result))
    assert "cutoff 0.60" in picture and "hey pico" in picture and ">5<" in picture


def test_manifest():
    found = json.loads(train.manifest("hey pico", "hey_pico.tflite", 0.9, 37000))
    assert found["wake_word"] == "Hey Pico" and found["version"] == 2 and found["type"] == "micro"
    assert found["micro"]["feature_step_size"] == 10
    assert found["micro"]["sliding_window_size"] == scores.WINDOW


LOAD = """
    from tflm import wake

    word = wake.load(MANIFEST)
    print(word.wake_word, word.probability_cutoff, word.stride)
"""


# Run a command and stop it by Ctrl-C as soon as a file matches `pattern`.
def run_and_interrupt(command, folder, pattern):
    # A background job of a shell ignores Ctrl-C, and its children inherit that.
    accept_interrupt = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    process = subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=accept_interrupt)
    while not list(folder.glob(pattern)):
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    assert b"continue with --resume" in process.communicate()[1] and process.returncode == 130


# A training of some seconds is interrupted while it makes recordings, and between two steps. It
# gives the same model when it continues from the checkpoint and when it starts again without it.
def test_interrupted_training(tmp_path):
    wakeword = pytest.importorskip("pymicro_wakeword")
    try:
        process.find_python()
        voices.check_program()
    except ToolError as error:
        pytest.skip(f"{error}; make -C tests wake-train")
    folder = tmp_path / "word"
    command = [sys.executable, "-m", "tflm_tools", "wake", "train", "hey pico", "-o", str(folder),
               "--minutes", "0.1", "--json"]  # fmt: skip
    run_and_interrupt(command, folder, "work/*.npz")
    command.append("--resume")
    run_and_interrupt(command, folder, "work/checkpoint.npz")
    with np.load(folder / "work" / "checkpoint.npz") as file:
        assert file["step"] == 10  # of 20
    again = shutil.copytree(folder, tmp_path / "again")
    (again / "work" / "checkpoint.npz").unlink()
    models = []
    for output in (folder, again):
        command[command.index("-o") + 1] = str(output)
        done = subprocess.run(command, capture_output=True, check=True)
        result = json.loads(done.stdout)
        assert result["minutes"] == 0.1 and result["said"] > 30
        assert {path.name for path in output.iterdir()} == {
            "hey_pico.tflite", "hey_pico.json", "curve.svg"}  # fmt: skip
        models.append((output / "hey_pico.tflite").read_bytes())
    assert models[0] == models[1]
    reference = wakeword.MicroWakeWord.from_config(folder / "hey_pico.json")
    assert reference.stride == 3 and reference.wake_word == "Hey Pico"
    lines = device(LOAD, MANIFEST=str(folder / "hey_pico.json"))
    assert lines[-1].startswith("Hey Pico ") and lines[-1].endswith(" 3")
