# An hour of generated sound: features and detections against their oracles; `make -C tests hour`
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import shutil
import wave
from pathlib import Path

import numpy as np
import pytest
from support.inputs import generator
from tflm_tools.flat.flatten import flatten
from tflm_tools.training import phrases, streams, voices
from unit.on_device import device, model_files
from wake.test_detections import oracle, samples_of
from wake.test_detections import phrases as spans
from wake.test_features import expected
from wake.test_features import sound as odd_sound

RATE = 16000
CHANNELS = 40
SECONDS = int(os.environ.get("TFLM_WAKE_SECONDS", "3600"))
_VAD = os.environ.get("TFLM_WAKE_VAD")  # a manifest of a model that detects voices
_SAID = ("okay nabu", "hey pico")
_NAMES = ("okay_nabu", "hey_pico")
_CLIPS = 20  # in a block of 60 to 90 seconds
_NOTES = 220 * 2 ** (np.array([0, 2, 4, 5, 7, 9, 11, 12]) / 12)
_REFRACTORY = 100  # hops
# LiteRT and TFLM round differently: probabilities differ by some of 256. If the mean of the window
# is above the cutoff for only one of them, it is at most this far from it, in parts of 256.
_DOUBT = 16


# Chords of plucked strings, one each 0.4 s.
def music(seconds, random):
    t = np.arange(int(0.4 * RATE)) / RATE
    chords = []
    for _ in range(int(seconds / 0.4)):
        tones = [n * k * t for n in random.choice(_NOTES, 3) for k in (1, 2, 3, 5)]
        chords.append(sum(np.sin(2 * np.pi * x) for x in tones) * np.exp(-4 * t))
    return 10 ** random.uniform(1.5, 3.3) * np.concatenate(chords)


# Speech with reverberation and noise; one of three clips is a phrase.
def speech(number, random):
    clips = []
    for _ in range(_CLIPS):
        text = phrases.other("hey pico", np.random.RandomState(random.integers(1 << 31)))
        if random.uniform() < 1 / 3:
            text = random.choice(_SAID)
        voice = [str(random.choice(names)) for names in (voices.ACCENTS, voices.SPEAKERS)]
        speed, pitch = random.integers(120, 200), random.integers(30, 70)
        clips.append((0, voices.say(text, *voice, speed, pitch)))
    return streams.mix(clips, number).samples


# int16 samples of blocks: speech, tones, noise, clipped sound, silence and music.
def sound(seconds):
    blocks, count = [], 0
    while count < seconds * RATE:
        random = generator(f"hour {len(blocks)}")
        block = [
            speech(len(blocks), random),
            odd_sound(8, f"hour {len(blocks)}"),
            np.zeros(3 * RATE),
            np.round(music(8, random)),
        ]
        blocks.append(np.clip(np.concatenate(block), -32768, 32767).astype("<i2"))
        count += len(blocks[-1])
    return np.concatenate(blocks)[: seconds * RATE]


# Write the features of each hop, and the sum of each word's window after each run, to files.
RUN = """
    import json, struct
    from tflm import wake

    words = [wake.load(manifest) for manifest in MANIFESTS]
    vad = wake.load(VAD) if VAD else None
    listener = wake.Listener(words, vad, front_end=FRONT_END)
    every = words + ([vad] if vad else [])
    source = open(SOUND, "rb")
    source.seek(44)
    samples = bytearray(320)
    sums = bytearray(2 * len(every))
    heard, hop = [], 0
    with open(FEATURES, "wb") as features, open(SUMS, "wb") as found:
        while source.readinto(samples) == 320:
            micropython.heap_lock()
            listener.hear(samples)
            micropython.heap_unlock()
            heard += [[i, hop] for i, word in enumerate(words) if word.detected and hop >= 2]
            if hop >= 2:
                features.write(listener._features)
                if not words[0]._at:
                    for i, word in enumerate(every):
                        struct.pack_into("<H", sums, 2 * i, word._sum)
                    found.write(sums)
            hop += 1
    print(json.dumps(heard))
"""


# Return what a Listener detects, [word, hop], from the hops at which the words and the VAD (or
# None) are above their limits.
def heard_of(above, voice):
    found = []
    for i, hops in enumerate(above):
        quiet_until = -1
        for hop in hops:
            if hop >= quiet_until and (voice is None or hop in voice):
                found.append([i, hop])
                quiet_until = hop + _REFRACTORY
    return sorted(found, key=lambda each: (each[1], each[0]))


def write_wav(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    pytest.importorskip("pymicro_wakeword")
    voices.check_program()
    path = tmp_path_factory.mktemp("hour") / "hour.wav"
    write_wav(path, sound(SECONDS))
    return path


# Models and manifests in one folder; the device uses the .tflm.
@pytest.fixture(scope="module")
def folder(repository, tmp_path_factory):
    package = Path(pytest.importorskip("pymicro_wakeword").__file__).parent / "models"
    folder_path = tmp_path_factory.mktemp("models")
    sources = [package / "okay_nabu.json", repository / "models" / "hey_pico" / "hey_pico.json"]
    for source in [*sources, *([Path(_VAD)] if _VAD else [])]:
        model = source.with_suffix(".tflite")
        shutil.copy(source, folder_path)
        shutil.copy(model, folder_path)
        (folder_path / model.with_suffix(".tflm").name).write_bytes(flatten(model.read_bytes()))
    return folder_path


# Return the phrases, (first, last) hop, of `found` that `others` do not have within one run.
def unmatched(found, others):
    return [
        (first, last)
        for first, last in found
        if not any(first - 3 <= b and a <= last + 3 for a, b in others)
    ]


def test_an_hour(repository, recording, folder, tmp_path, capsys):
    names = [*_NAMES, *([Path(_VAD).stem] if _VAD else [])]
    manifests = [str(folder / f"{name}.json") for name in names]
    front_end = repository / "tools/tflm_tools/wake/micro_frontend_int16.tflite"
    lines = device(
        RUN,
        heap="64M",
        timeout=60 + 8 * SECONDS,
        MANIFESTS=manifests[: len(_NAMES)],
        VAD=manifests[-1] if _VAD else None,
        FRONT_END=model_files(tmp_path, front_end.read_bytes())["FLAT"],
        SOUND=str(recording),
        FEATURES=str(tmp_path / "features.raw"),
        SUMS=str(tmp_path / "sums.raw"),
    )
    samples = np.frombuffer(samples_of(recording), "<i2")
    features = np.fromfile(tmp_path / "features.raw", "<i2").reshape(-1, CHANNELS)
    np.testing.assert_array_equal(features, expected(samples))

    sums = np.fromfile(tmp_path / "sums.raw", "<u2").reshape(-1, len(names))
    every = []
    for i, name in enumerate(names):
        runs, above, litert = oracle(folder, name, recording)
        assert runs and runs == [list(row) for row in zip(
            range(runs[0][0], len(features) + 2, 3), sums[len(sums) - len(runs) :, i], strict=True
        )]  # fmt: skip
        every.append(above)
        settings = json.loads((folder / f"{name}.json").read_text())["micro"]
        size = settings["sliding_window_size"]
        limit = settings["probability_cutoff"] * 256 * size
        differ = set(above) ^ set(litert)
        off = [abs(total - limit) / size for hop, total in runs if hop in differ]
        ours, theirs = spans(above), spans(litert)
        with capsys.disabled():
            print(f"\n{name}: {len(runs)} runs; heard {len(ours)} times, by LiteRT {len(theirs)}, "
                  f"of which alone {unmatched(ours, theirs)}, {unmatched(theirs, ours)}; "
                  f"{len(off)} runs are above the cutoff in one alone, at most "
                  f"{max(off, default=0):.1f} / 256 off it")  # fmt: skip
        assert max(off, default=0) < _DOUBT
    voice = set(every.pop()) if _VAD else None
    assert json.loads(lines[-1]) == heard_of(every, voice)
    assert all(every)
