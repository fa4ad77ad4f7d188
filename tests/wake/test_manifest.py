# Tests of tflm.wake.load: damaged manifests, and models that are no wake words
# MIT license; Copyright (c) 2026 the tflm authors

import json
import struct
from pathlib import Path

import pytest
from unit.on_device import device

RUN = """
    from tflm import wake

    for path in PATHS:
        try:
            wake.load(path)
            print("loaded")
        except (TflmError, OSError) as error:
            print(type(error).__name__, error)
"""

GOOD = {
    "type": "micro",
    "wake_word": "Nobody",
    "model": "nobody.tflite",
    "version": 2,
    "micro": {"probability_cutoff": 0.9, "sliding_window_size": 5, "feature_step_size": 10},
}


def changed(**fields):
    return json.dumps({**GOOD, **fields}).encode()


def micro(**fields):
    return changed(micro={**GOOD["micro"], **fields})


MODEL = "other.tflite"  # a model that is no wake word
SCALED = "scaled.tflite"  # a wake word with an implausible scale of its probabilities
CASES = {
    "empty": (b"", "is no JSON object"),
    "cut": (changed()[:-9], "is no JSON object"),
    "list": (b"[1, 2]", "is no JSON object"),
    "binary": (bytes(range(128, 256)), "is no JSON object"),
    "deep": (b"[" * 20000, "is no JSON object"),
    "huge": (b" " * 70000 + changed(), "is no JSON object"),
    "type": (changed(type="openwakeword"), "has the type 'openwakeword'"),
    "version": (changed(version=1), "has the version 1"),
    "no version": (changed(version=None), "has the version None"),
    "no micro": (changed(micro=None), 'lacks "micro"'),
    "micro": (changed(micro=[]), 'has for "micro" []'),
    "no cutoff": (micro(probability_cutoff=None), 'lacks "probability_cutoff"'),
    "cutoff": (micro(probability_cutoff=97), "probability_cutoff is 97"),
    "text": (micro(probability_cutoff="0.9"), "which is not a number"),
    "bool": (micro(sliding_window_size=True), "which is not a number"),
    "window": (micro(sliding_window_size=0), "sliding_window_size is 0"),
    "wide": (micro(sliding_window_size=1 << 40), "sliding_window_size is 1099511627776"),
    "half": (micro(sliding_window_size=2.5), "sliding_window_size is 2.5"),
    "step": (micro(feature_step_size=1000), "feature_step_size is 1000"),
    "no word": (changed(wake_word=7), "which is not a text"),
    "model": (changed(model="../secret.tflite"), "which is not a file beside it"),
    "url": (changed(model="https://example.org/x.tflite"), "which is not a file beside it"),
    "no model": (changed(model="absent.tflite"), "OSError"),
    "other model": (changed(model=MODEL), "this is no wake word model"),
    "scale": (changed(model=SCALED), "usual scales"),
    "no model at all": (changed(model="json"), "OSError"),
}


@pytest.fixture(scope="module")
def answers(repository, tmp_path_factory):
    folder = tmp_path_factory.mktemp("manifests")
    digits = repository / "models" / "digits" / "digits_int8.tflite"
    (folder / MODEL).write_bytes(digits.read_bytes())
    package = Path(pytest.importorskip("pymicro_wakeword").__file__).parent
    okay_nabu = package / "models" / "okay_nabu.tflite"
    data = okay_nabu.read_bytes()
    (folder / GOOD["model"]).write_bytes(data)
    usual, least = struct.pack("<f", 1 / 256), struct.pack("<I", 1)
    assert usual in data
    (folder / SCALED).write_bytes(data.replace(usual, least))
    paths = []
    for number, (data, _) in enumerate(CASES.values()):
        path = folder / f"{number}.json"
        path.write_bytes(data)
        paths.append(str(path))
    good = folder / "good.json"
    good.write_bytes(changed())
    lines = device(RUN, PATHS=[*paths, str(folder / "absent.json"), str(good)])
    return dict(zip([*CASES, "absent", "good"], lines, strict=True))


@pytest.mark.parametrize("case", CASES)
def test_invalid_manifests(answers, case):
    assert CASES[case][1] in answers[case]
    assert answers[case].startswith(("ModelError", "OSError"))


def test_valid_manifests(answers):
    assert answers["good"] == "loaded"
    assert answers["absent"].startswith("OSError")
