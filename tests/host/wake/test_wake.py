# Tests of `tflm wake listen`
# MIT license; Copyright (c) 2026 the tflm authors

import json
import subprocess
import sys
import wave
from pathlib import Path

import pytest

_PHRASES = Path(__file__).resolve().parents[2] / "wake" / "phrases.wav"


@pytest.fixture(scope="module")
def models():
    package = pytest.importorskip("pymicro_wakeword")
    return Path(package.__file__).parent / "models"


def tflm(*arguments, stdin=b""):
    command = [sys.executable, "-m", "tflm_tools", "wake", "listen", *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_several_words(models):
    manifests = [models / f"{name}.json" for name in ("okay_nabu", "hey_jarvis")]
    code, out, err = tflm(*manifests, "--wav", _PHRASES)
    assert code == 0, err
    words = [line.split(maxsplit=2)[2].rsplit(maxsplit=2)[0] for line in out.splitlines()]
    assert words == ["Okay Nabu", "Hey Jarvis", "Okay Nabu"]


# Raw samples from standard input, with a model that detects voice, and another cutoff.
def test_raw_samples_from_stdin(models):
    with wave.open(str(_PHRASES)) as file:
        samples = file.readframes(6 * 16000)
    options = ["--wav", "-", "--json", "--cutoff", "0.5", "--vad", models / "alexa.json"]
    code, out, err = tflm(models / "alexa.json", *options, stdin=samples)
    assert code == 0, err
    (detection,) = [json.loads(line) for line in out.splitlines()]
    assert detection["wake_word"] == "Alexa"
    assert 4.6 < detection["seconds"] < 5.6 and detection["probability"] > 0.5


def write_wav(path, rate=16000, channels=1, width=2, frames=1600):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(bytes(frames * channels * width))
    return path


def test_bad_sound(models, tmp_path):
    manifest = models / "alexa.json"
    cut = tmp_path / "cut.wav"
    cut.write_bytes(_PHRASES.read_bytes()[:100000])
    cases = [
        (write_wav(tmp_path / "fast.wav", rate=44100), "has 44100 samples per second"),
        (write_wav(tmp_path / "stereo.wav", channels=2), "2 channels"),
        (write_wav(tmp_path / "byte.wav", width=1), "8 bits"),
        (cut, "is truncated: 252044 bytes of sound are missing"),
        (manifest, "cannot read"),
        (tmp_path / "absent.wav", "no such file or directory; check the path"),
        (tmp_path, "cannot read"),
    ]
    for path, message in cases:
        code, _, err = tflm(manifest, "--wav", path)
        assert code == 1 and message in err and err.count("\n") == 1, err
    code, out, err = tflm(manifest, "--wav", write_wav(tmp_path / "short.wav", frames=0))
    assert (code, err) == (0, "")
    assert out == "no wake word was detected in 0.0 s of sound; --cutoff 0.5 detects more\n"


def test_bad_manifests(models, tmp_path):
    damaged = tmp_path / "damaged.json"
    damaged.write_text('{"type": "micro"')
    alone = tmp_path / "alexa.json"
    alone.write_bytes((models / "alexa.json").read_bytes())
    cases = [
        (damaged, f"{damaged} is no JSON object"),
        (alone, "names the model alexa.tflite, which is not in the same folder"),
        (tmp_path / "absent.json", "absent.json"),
    ]
    for manifest, message in cases:
        code, _, err = tflm(manifest, "--wav", _PHRASES)
        assert code == 1 and message in err and err.count("\n") == 1, err


def test_listen_without_a_source_of_sound(models):
    code, out, err = tflm(models / "alexa.json")
    assert code == 2 and not out and "name a sound with --wav, or a board with --on" in err
    code, out, err = tflm(models / "alexa.json", "--on", "/dev/no_such_port")
    assert code == 1 and not out and "/dev/no_such_port" in err
