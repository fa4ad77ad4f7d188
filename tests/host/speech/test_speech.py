# Tests of `tflm speech listen` and `denoise` with our models
# MIT license; Copyright (c) 2026 the tflm authors

import json
import shutil
import wave

import numpy as np
import pytest
from rules.sources import REPOSITORY
from tflm_tools.errors import ToolError
from tflm_tools.speech import denoising
from tflm_tools.speech.files import model_of
from tflm_tools.speech.listen import listen

_MODELS = REPOSITORY / "models/speech"
_VOICE, _WORDS = _MODELS / "voice.json", _MODELS / "words.json"
_SOUND = REPOSITORY / "models/keywords/words.wav"  # yes, no, stop
_ENDS = (1.2, 2.3, 3.4)  # seconds, about the ends of the words


def test_words(tflm):
    found = tflm("speech", "listen", _VOICE, _WORDS, "--wav", _SOUND, "--json")
    assert found.code == 0, found.err
    words = [json.loads(line) for line in found.out.splitlines()]
    assert [word["word"] for word in words] == ["yes", "no", "stop"]
    for word, end in zip(words, _ENDS, strict=True):
        assert word["start"] < end and abs(word["end"] - end) < 0.4
        assert 0.7 <= word["probability"] <= 1


def test_segments_and_silence(tflm, tmp_path):
    found = tflm("speech", "listen", _VOICE, "--wav", _SOUND)
    assert found.code == 0, found.err
    ends = [float(line.split()[3]) for line in found.out.splitlines()[-3:]]
    assert all(abs(found - end) < 0.4 for found, end in zip(ends, _ENDS, strict=True))
    short = tmp_path / "short.wav"
    short.write_bytes(_SOUND.read_bytes()[:2000])
    found = tflm("speech", "listen", _WORDS, "--wav", short)
    assert found.code == 2 and "name one detector, and one recognizer or none" in found.err
    found = tflm("speech", "listen", tmp_path / "none.json", "--wav", short)
    assert found.code == 1 and "none.json" in found.err


def test_wrong_files(tmp_path):
    other = tmp_path / "other.json"
    other.write_text("[]")
    for detector, recognizer, message in [
        (_WORDS, None, "is not the metadata of a voice detector"),
        (_VOICE, _VOICE, "is not the metadata of a recognizer of words"),
        (other, None, "is not the metadata of a speech model"),
    ]:
        with pytest.raises(ToolError, match=message):
            list(listen(detector, recognizer, _SOUND))


# The samples of both files are at the same times; noise at the ends is weaker.
def test_denoise(tflm, tmp_path):
    with wave.open(str(_SOUND)) as file:
        speech = np.frombuffer(file.readframes(40001), "<i2")
    noise = np.random.RandomState(5).normal(0, 500, len(speech))
    noisy = np.round(speech + noise).clip(-32768, 32767).astype("<i2")
    path, output = tmp_path / "noisy.wav", tmp_path / "clear.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        file.writeframes(noisy.tobytes())
    found = tflm("speech", "denoise", _MODELS / "denoise.tflite", "--wav", path, "-o", output)
    assert found.code == 0, found.err
    assert found.out == f"{output}  2.5 s\n"
    with wave.open(str(output)) as file:
        clear = np.frombuffer(file.readframes(len(speech) + 1), "<i2")
    assert len(clear) == len(speech)
    before, after = (
        denoising.si_sdr(sound.astype(float), speech.astype(float)) for sound in (noisy, clear)
    )
    assert after > before + 4
    found = tflm("speech", "denoise", _MODELS / "words.tflite", "--wav", path, "-o", output)
    assert found.code == 1 and "int8 with 24 values for each column" in found.err
    assert output.read_bytes()[44:] == clear.tobytes()


# A clip of the word "yes" as an input of `tflm run`; its class is 1.
def test_run_a_clip(tflm, tmp_path):
    clip = tmp_path / "yes.wav"
    with wave.open(str(_SOUND)) as source, wave.open(str(clip), "wb") as target:
        target.setparams(source.getparams())
        source.setpos(8000)
        target.writeframes(source.readframes(16640))
    options = ("--input", clip, "--quantize", "--output-dir", tmp_path / "out")
    found = tflm("run", _MODELS / "words.tflite", "--features", _WORDS, *options)
    assert found.code == 0, found.err
    assert np.load(tmp_path / "out" / "output_0.npy").argmax() == 1
    found = tflm("run", _MODELS / "voice.tflite", "--features", _WORDS, *options)
    assert found.code == 1 and "there are 2560 log-mel features" in found.err
    found = tflm("flatten", _MODELS / "words.tflite", "--features", _WORDS,
                 "-o", tmp_path / "words.tflm")  # fmt: skip
    assert found.code == 1 and "copy the JSON beside the .tflm" in found.err


def test_model_of_metadata(tmp_path):
    assert model_of(_WORDS) == _MODELS / "words.tflite"
    metadata = json.loads(_WORDS.read_text())
    path = tmp_path / "my_meta.json"
    path.write_text(json.dumps(metadata))
    with pytest.raises(
        ToolError, match=r"names the model words\.tflite, which is not in the same"
    ):
        model_of(path)
    del metadata["model"]
    path.write_text(json.dumps(metadata))
    with pytest.raises(ToolError, match="names no model, and 0 .tflite files begin with my"):
        model_of(path)
    shutil.copy(_MODELS / "words.tflite", tmp_path / "my_int8.tflite")
    assert model_of(path) == tmp_path / "my_int8.tflite"
