# page: learns symbols on the board from pictures of 8x8 bytes 0..16, and recognizes them
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import json
import time

import tflm
from tflm.learner import Learner

_CLASSES = 8
_EXAMPLES = 80
_FILE = "taught.tflm"
_PIECE = 1536  # bytes in a line of save()

_interpreter = tflm.Interpreter(tflm.load("/rom/teach.tflm"))
_learner = Learner(_interpreter, classes=_CLASSES, examples=_EXAMPLES)


def learn(known, examples):
    """Learn examples (label, base64 of a picture), and print the number of all examples.

    known: the number of examples that the board should have. If it has others, such as after a
    reset, it learns nothing and prints -1.
    """
    if len(_learner) != known:
        print(-1)
        return
    for label, text in examples:
        _learner.add(label, binascii.a2b_base64(text))
    print(len(_learner))


def forget():
    """Forget all examples."""
    for label in list(_learner.labels):
        _learner.forget(label)


def read(text):
    """Print the label of a picture, whether it resembles no example, and the microseconds."""
    picture = binascii.a2b_base64(text)
    begin = time.ticks_us()
    label = _learner.predict(picture)
    took = time.ticks_diff(time.ticks_us(), begin)
    print(json.dumps({"label": label, "unusual": _learner.is_unusual(), "us": took}))


def save():
    """Write the network and the classes to a .tflm, and print it as lines of base64."""
    _learner.save_model(_FILE)
    with open(_FILE, "rb") as file:
        while piece := file.read(_PIECE):
            print(binascii.b2a_base64(piece).decode(), end="")
