# page: learns classes on the board from pictures, sounds or motion, and recognizes them
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import gc
import json
import time
from array import array

import tflm
from tflm.learner import Learner
from uctypes import addressof

_CLASSES = 8
_EXAMPLES = 80
_FILE = "taught.tflm"
_PIECE = 1536  # bytes in a line of save()

# The network of each kind of examples, and what an example consists of: a picture of 8x8 bytes
# 0..16; 49 frames of 40 features of the audio front end, int8; 96 samples x, y, z, int16.
_NETWORKS = {"picture": "teach.tflm", "sound": "teach_sound.tflm", "motion": "teach_motion.tflm"}
_PER_G = 8192  # an int16 of motion is g * 8192

_FRONT_END = "/rom/keywords/frontend.tflm"
_HOP = 640  # bytes of 20 ms of int16 at 16 kHz
_FRAME = 960  # bytes of 30 ms, the window of the front end
_HOPS = 49  # of a sound
_CHANNELS = 40  # features of a hop

_kind = _learner = None
_front_end = _samples = None
_frame = bytearray(_FRAME)


# Return an Interpreter of a model in /rom.
def _load(path):
    try:
        return tflm.Interpreter(tflm.load(path))
    except OSError:
        raise OSError("your model needs the flash of this network; load the page again") from None


# Choose the network of a kind of examples. Another kind forgets all examples.
def _use(kind):
    global _kind, _learner
    if kind != _kind:
        _kind = _learner = None
        gc.collect()
        network = _load("/rom/" + _NETWORKS[kind])
        _learner = Learner(network, classes=_CLASSES, examples=_EXAMPLES)
        _kind = kind


# Compute the features of an example in base64.
def _compute(text):
    data = binascii.a2b_base64(text)
    network = _learner._interp
    if _kind == "sound":
        network.input(0).raw[:] = data
    elif _kind == "motion":
        network.input(0).quantize([value / _PER_G for value in array("h", data)])
    else:
        network.input(0).quantize(data)
    network.invoke()


def learn(kind, known, examples):
    """Learn examples (label, base64) of a kind, and print the number of all examples.

    known: the number of examples that the board should have. If it has others, such as after a
    reset, it learns nothing and prints -1.
    """
    _use(kind)
    if len(_learner) != known:
        print(-1)
        return
    for label, text in examples:
        _compute(text)
        _learner.add(label)
    print(len(_learner))


def forget():
    """Forget all examples."""
    for label in list(_learner.labels) if _learner else ():
        _learner.forget(label)


def read(kind, text):
    """Print the label of an example, whether it resembles no other, and the microseconds."""
    _use(kind)
    begin = time.ticks_us()
    _compute(text)
    label = _learner.predict()
    took = time.ticks_diff(time.ticks_us(), begin)
    print(json.dumps({"label": label, "unusual": _learner.is_unusual(), "us": took}))


def microphone():
    """Print the address of a buffer for the samples of hear(): int16 at 16 kHz."""
    global _front_end, _samples
    if _front_end is None:
        _front_end = _load(_FRONT_END)
        _samples = bytearray(_HOPS * _HOP)
    print(addressof(_samples))


def hear():
    """Print the features of the samples in the buffer of microphone(), in base64."""
    _front_end.reset()
    _frame[:] = bytes(_FRAME)
    source, target = _front_end.input(0), _front_end.output(0)
    samples, features = memoryview(_samples), bytearray(_HOPS * _CHANNELS)
    for i in range(_HOPS):
        _frame[: _FRAME - _HOP] = _frame[_HOP:]
        _frame[_FRAME - _HOP :] = samples[i * _HOP : (i + 1) * _HOP]
        source.raw[:] = _frame
        _front_end.invoke()
        features[i * _CHANNELS : (i + 1) * _CHANNELS] = target.raw
    print(binascii.b2a_base64(features).decode(), end="")


def save():
    """Write the network and the classes to a .tflm, and print it as lines of base64."""
    _learner.save_model(_FILE)
    with open(_FILE, "rb") as file:
        while piece := file.read(_PIECE):
            print(binascii.b2a_base64(piece).decode(), end="")
