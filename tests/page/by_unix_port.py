# Tests of the page: runs models and apps of the board in the unix port
# MIT license; Copyright (c) 2026 the tflm authors

import math
import re
import subprocess
import sys
import wave

import numpy as np
from tflm_tools.execution.device_model import invoke
from tflm_tools.model import arrays
from tflm_tools.model.model_file import open_model


def read_digits(repository, pictures):
    """Return (digit, scores in percent, rounded as by the page) for each picture of 64 pixels."""
    model = open_model(repository / "models" / "digits" / "digits_int8.tflite")
    info = model.inputs[0]
    runs = [
        [arrays.quantize(np.array(pixels, np.float32).reshape(info.shape), info)]
        for pixels in pictures
    ]
    found = []
    for (scores,) in invoke(model, runs).outputs:
        real = arrays.dequantize(scores, model.outputs[0]).reshape(-1)
        found.append((int(real.argmax()), [math.floor(100 * score + 0.5) for score in real]))
    return found


def detected_words(samples, folder):
    """Return (second, label, percent) of each word that the app keywords detects in int16 samples.

    folder: for the WAV file that the app reads.
    """
    path = folder / "sound.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        file.writeframes(samples.tobytes())
    command = [sys.executable, "-m", "tflm_tools.apps.run", "keywords", str(path)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^ *([\d.]+) s  (\w+) +(\d+) %$", said, re.M)
    return [(float(second), label, int(percent)) for second, label, percent in found]
