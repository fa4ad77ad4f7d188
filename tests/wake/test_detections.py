# Tests of tflm.wake: detections compared with TFLM's wheel and with pymicro-wakeword
# MIT license; Copyright (c) 2026 the tflm authors

import json
import wave
from pathlib import Path

import numpy as np
import pytest
from tflm_tools.flat.flatten import flatten
from unit.on_device import device, model_files

NAMES = ("okay_nabu", "alexa", "hey_jarvis", "hey_mycroft")
_OWN = "hey_pico"  # of models/
_HERE = Path(__file__).resolve().parent
_PHRASES = _HERE / "phrases.wav"


# The four models and manifests of pymicro-wakeword.
@pytest.fixture(scope="module")
def models():
    package = pytest.importorskip("pymicro_wakeword")
    return Path(package.__file__).parent / "models"


@pytest.fixture(scope="module")
def front_end(repository, tmp_path_factory):
    model = repository / "tools/tflm_tools/wake/micro_frontend_int16.tflite"
    return model_files(tmp_path_factory.mktemp("front"), model.read_bytes())["FLAT"]


def samples_of(path):
    with wave.open(str(path)) as file:
        return file.readframes(file.getnframes())


# Return the runs of a model over the sound, (hop, sum of the window) by its manifest, computed
# with TFLM's wheel on microfrontend's features; and the hops where pymicro-wakeword detects it.
def oracle(models, name, sound):
    from pymicro_wakeword import MicroWakeWord, MicroWakeWordFeatures
    from tflite_micro.python.tflite_micro import runtime

    reference = MicroWakeWord.from_config(models / f"{name}.json")
    wheel = runtime.Interpreter.from_file(str(models / f"{name}.tflite"))
    waiting, window, runs, heard = [], [], [], []
    stream = MicroWakeWordFeatures().process_streaming(samples_of(sound))
    for hop, features in enumerate(stream, 2):
        if reference.process_streaming(features):
            heard.append(hop)
        waiting.append(features)
        if len(waiting) < reference.stride:
            continue
        x = np.concatenate(waiting, axis=1) / reference.input_scale + reference.input_zero_point
        waiting.clear()
        wheel.set_input(np.clip(np.round(x), -128, 127).astype(np.int8), 0)
        wheel.invoke()
        window = [*window[1 - reference.sliding_window_size :], int(wheel.get_output(0).item())]
        if len(window) == reference.sliding_window_size:
            runs.append([hop, sum(window)])
    limit = reference.probability_cutoff * len(window) / reference.output_scale
    return runs, [hop for hop, total in runs if total > limit + 1e-6], heard


RUN = """
    import json
    from tflm import wake

    word = wake.load(MANIFEST, refractory_ms=0)
    listener = wake.Listener([word], front_end=FRONT_END)
    source = open(SOUND, "rb")
    source.seek(44)
    samples = bytearray(320)
    runs, heard, hop, found, total = [], [], 0, None, 0
    while source.readinto(samples) == 320:
        micropython.heap_lock()
        found = listener.hear(samples)
        total = word._sum
        micropython.heap_unlock()
        if not word._at and hop >= 2 and not word._missing:
            runs.append([hop, total])
        if found is not None:
            assert found is word and word.probability > word.probability_cutoff
            heard.append(hop)
        hop += 1
    print(json.dumps([runs, heard, word.wake_word]))
"""


# Sums are bit-identical to TFLM's. pymicro-wakeword runs LiteRT's kernels, whose probabilities
# differ by a few of 256; it detects the same phrases, at most one run earlier or later.
@pytest.mark.parametrize("file_format", ["FLAT", "TFLITE"])
@pytest.mark.parametrize("name", [*NAMES, _OWN])
def test_same_as_the_oracles(repository, models, front_end, tmp_path, name, file_format):
    sound = _PHRASES
    if name == _OWN:
        models, sound = repository / "models" / _OWN, _HERE / f"{_OWN}.wav"
    runs, above, heard = oracle(models, name, sound)
    manifest = tmp_path / f"{name}.json"
    manifest.write_bytes((models / manifest.name).read_bytes())
    data = (models / f"{name}.tflite").read_bytes()
    suffix, data = (".tflite", data) if file_format == "TFLITE" else (".tflm", flatten(data))
    manifest.with_suffix(suffix).write_bytes(data)
    lines = device(RUN, MANIFEST=str(manifest), FRONT_END=front_end, SOUND=str(sound))
    found_runs, found_heard, wake_word = json.loads(lines[-1])
    assert found_runs == runs
    assert found_heard == above
    assert wake_word == json.loads(manifest.read_text())["wake_word"]
    assert phrases(found_heard) and len(phrases(found_heard)) == len(phrases(heard))
    assert name != _OWN or len(phrases(heard)) == 2
    for mine, theirs in zip(phrases(found_heard), phrases(heard), strict=True):
        assert abs(mine[0] - theirs[0]) <= 3 and abs(mine[1] - theirs[1]) <= 3


# Return (first, last) hop of each phrase.
def phrases(hops):
    found = []
    for hop in hops:
        if found and hop - found[-1][1] <= 3:
            found[-1][1] = hop
        else:
            found.append([hop, hop])
    return found


ALL = """
    from tflm import wake

    def sound():
        source = open(SOUND, "rb")
        source.seek(44)
        return source

    words = [wake.load(FOLDER + "/" + name + ".json", **SETTINGS) for name in NAMES]
    vad = None if VAD is None else wake.load(FOLDER + "/okay_nabu.json", probability_cutoff=VAD)
    listener = wake.Listener(words, vad, front_end=FRONT_END)
    heard = []
    listener.listen(sound(), lambda word: heard.append(word.wake_word))
    print(heard)

    async def main():
        found = []
        async for word in listener.events(sound()):
            found.append(word.wake_word)
        return found

    import asyncio
    listener.reset()
    assert asyncio.run(main()) == heard
"""
EVERYTHING = ["Okay Nabu", "Alexa", "Hey Jarvis", "Hey Mycroft", "Okay Nabu"]


# Four models on one front end detect each phrase once. With a voice detector that never fires they
# detect nothing; with okay_nabu as voice detector only okay_nabu.
@pytest.mark.parametrize(
    "vad, settings, wanted",
    [
        (None, {}, EVERYTHING),
        (1.0, {}, []),
        (None, {"refractory_ms": 1500}, EVERYTHING),
        (0.8, {}, ["Okay Nabu", "Okay Nabu"]),
        (None, {"probability_cutoff": 1}, []),
        (None, {"refractory_ms": 60000}, EVERYTHING[:4]),
    ],
)
def test_several_words(models, front_end, vad, settings, wanted):
    lines = device(
        ALL,
        heap="32M",
        FOLDER=str(models),
        NAMES=list(NAMES),
        SOUND=str(_PHRASES),
        FRONT_END=front_end,
        VAD=vad,
        SETTINGS=settings,
    )
    assert lines == [str(wanted)]


EDIT = """
    from tflm import wake

    first, second = [wake.load(FOLDER + "/" + name + ".json") for name in NAMES[:2]]
    listener = wake.Listener(front_end=FRONT_END)
    silence = bytearray(320)
    print(raises(InputError, listener.hear, silence))
    listener.add(first)
    listener.add(second)
    listener.remove(first)
    assert listener.words == [second] and listener.hop_bytes == 320
    print(raises(InputError, listener.remove, first))
    for samples in (bytearray(319), bytearray(322), bytearray()):
        print(raises(InputError, listener.hear, samples))
    for word in (None, 5, "okay_nabu", wake):
        assert "a WakeWord" in raises(InputError, listener.add, word)
    for samples in (memoryview(bytes(321))[1:], memoryview(bytes(322))[2:]):  # unaligned
        assert listener.hear(samples) is None
    slow = wake.load(FOLDER + "/okay_nabu.json", feature_step_size=20)
    print(raises(InputError, listener.add, slow))
    listener.remove(second)
    listener.add(slow)
    assert listener.hop_bytes == 640
    for _ in range(200):
        assert listener.hear(bytearray(640)) is None
    assert slow.probability < 0.1
    for cutoff in (-0.1, 1.5, None, "0.5", True):
        try:
            slow.probability_cutoff = cutoff
        except InputError as error:
            print(error)
    slow.probability_cutoff = 0.25
    assert slow.probability_cutoff == 0.25
    slow.free()
    print(raises(ModelError, wake.Listener, front_end=FOLDER + "/okay_nabu.tflite"))
    print(raises(InputError, wake.Listener))
"""


def test_adding_and_removing_words(models, front_end):
    lines = device(EDIT, FOLDER=str(models), NAMES=list(NAMES), FRONT_END=front_end)
    says = [
        "no word to listen to",
        "one of listener.words",
        *["pass 320 bytes at a time"] * 3,
        "each 20 ms, the others each 10 ms",
        *["pass a number from 0 to 1"] * 5,
        "no front end for wake words",
        "there is no micro_frontend.tflm in",
    ]
    assert len(lines) == len(says)
    for line, wanted_text in zip(lines, says, strict=True):
        assert wanted_text in line
