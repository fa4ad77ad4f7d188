# Make new_words.npz: four words that the keyword model did not learn, for a Learner
# MIT license; Copyright (c) 2026 the tflm authors

import io
import sys
from pathlib import Path

import numpy as np

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent)]

import windows  # noqa: E402
from tflm_tools.training import streams, voices  # noqa: E402
from training import save  # noqa: E402

WORDS = ("lamp", "door", "kettle", "heater")
_EACH = 20  # examples per word, by speakers of the test set
_LOUDNESS, _NOISE = 3000, 60  # as in recordings.py
_SEED = 2026


# Return a window that ends 0.1 to 0.3 s after the word.
def _window(word, random):
    samples = _NOISE * streams.noise(2 * voices.RATE, random)
    spoken = voices.say(
        word, random.choice(voices.ACCENTS), random.choice(voices.TEST_SPEAKERS),
        random.randint(130, 190), random.randint(30, 75),
    )  # fmt: skip
    end = len(samples) - int(random.uniform(0.1, 0.3) * voices.RATE)
    spoken = spoken[: voices.RATE]
    samples[end - len(spoken) : end] += _LOUDNESS * spoken / np.sqrt(np.mean(spoken**2))
    whole = np.clip(np.round(samples), -32768, 32767).astype(np.int16)
    return windows.features(whole)[-windows.FRAMES :]


def main():
    """Write the file beside this one: x int8 [80, 49, 40], y uint8 [80]; the words alternate."""
    random = np.random.RandomState(_SEED)
    labels = np.arange(_EACH * len(WORDS)) % len(WORDS)
    x = np.stack([_window(WORDS[i], random) for i in labels])
    buffer = io.BytesIO()
    np.savez_compressed(buffer, x=x, y=labels.astype(np.uint8))
    save.save(_HERE / "new_words.npz", buffer.getvalue())


if __name__ == "__main__":
    main()
