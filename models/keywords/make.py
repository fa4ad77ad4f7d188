# Make keywords_int8.tflite: speak, mix, train, convert, measure with TFLM, and save if good
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent)]

import detections  # noqa: E402
import network  # noqa: E402
import numpy as np  # noqa: E402
import speech  # noqa: E402
import windows  # noqa: E402
from tflm_tools.training import streams, voices  # noqa: E402
from training import convert, describe, oracle, save  # noqa: E402

SEED = 2026
EPOCHS = 8
MIN_FOUND = 0.9  # of the words of the test set
MODEL_FILE = _HERE / "keywords_int8.tflite"

# Speakers, how often each says each word, and how many times the clips are mixed.
_SETS = {
    "train": (voices.TRAIN_SPEAKERS, 7, 4),
    "validation": (voices.VALIDATION_SPEAKERS, 3, 2),
    "test": (voices.TEST_SPEAKERS, 5, 1),
}


def mixes(name):
    """Yield the Streams of a set, each with the seed for its windows."""
    speakers, each, times = _SETS[name]
    seed = SEED + 100 * list(_SETS).index(name)
    clips = speech.clips(speakers, each, seed)
    for i in range(times):
        yield streams.mix(clips, seed + i), seed + i


# Return the windows and labels of a set.
def _windows(name):
    pairs = []
    for stream, seed in mixes(name):
        pairs.append(windows.cut(stream, np.random.RandomState(seed)))
        print(f"{name}: {len(stream.samples) / voices.RATE:.0f} s of sound", flush=True)
    x, y = zip(*pairs, strict=True)
    return np.concatenate(x), np.concatenate(y)


# Return the share of windows that are classified correctly, with TFLM.
def _accuracy(model, x, y):
    return float(np.mean(oracle.invoke_all(model, x.astype(np.float32)).argmax(1) == y))


def measure(model):
    """Print the detections in the validation and test sets; return the share of the test words."""
    for name in ("validation", "test"):
        for stream, _ in mixes(name):
            count = detections.count(stream, detections.scores(model, stream.samples))
            share = count.found / count.words
            print(
                f"{name}: {count.found} of {count.words} words found ({100 * share:.1f} %), "
                f"{count.wrong} false ones in {60 * count.hours:.1f} minutes"
            )
    return share


def main():
    """Make everything; exit with 1 if the model finds too few words of the test set."""
    convert.fix_seeds(SEED)
    x, y = _windows("train")
    validation_x, validation_y = _windows("validation")
    model = network.build()
    validation = (validation_x.astype(np.float32), validation_y)
    network.train(model, x, y, validation, EPOCHS, SEED)
    data = convert.to_int8(model, network.representative(x, SEED))
    data = save.with_labels(data, speech.LABELS)
    print(describe.summary(data))
    print(f"windows of validation: {100 * _accuracy(data, validation_x, validation_y):.2f} %")
    print(f"windows of the test: {100 * _accuracy(data, *_windows('test')):.2f} %")
    if measure(data) < MIN_FOUND:
        sys.exit(f"fewer than {MIN_FOUND:.0%} of the words were found; nothing is saved")
    save.save(MODEL_FILE, data)


if __name__ == "__main__":
    main()
