# Make the voice detector and the recognizer of 20 words: speak, train, quantize, measure
# MIT license; Copyright (c) 2026 the tflm authors

import json
import sys
import tempfile
from pathlib import Path

from tflm_tools import files
from tflm_tools.render.common import console
from tflm_tools.render.speech_training import print_trained
from tflm_tools.render.wake_training import stages
from tflm_tools.training.speech_training import train_voice, train_words

_TEXT = (
    "yes no on off up down left right go stop start one two three red green blue light music hello"
)
WORDS = _TEXT.split()
# More than the default of the training, for at most two false words an hour.
_THRESHOLD = 0.9
_HERE = Path(__file__).resolve().parent


def main():
    """Train both with the default minutes and seed, and replace the files of this folder."""
    for train in (train_words, train_voice):
        with tempfile.TemporaryDirectory() as folder, stages() as progress:
            result = train(WORDS, folder, progress=progress)
            print_trained(result, console(sys.stdout))
            for path in (result.model, result.metadata):
                files.write(_HERE / Path(path).name, Path(path).read_bytes())
    path = _HERE / "words.json"
    metadata = {**json.loads(path.read_text()), "threshold": _THRESHOLD}
    files.write(path, (json.dumps(metadata, indent=2) + "\n").encode())


if __name__ == "__main__":
    main()
