# Tests of the app `keywords` on an emulated Pico: both models in ROMFS, in real time
# MIT license; Copyright (c) 2026 the tflm authors

import json

import numpy as np
from session import Session
from tflm_tools.check import oracle

_HOPS = 60
_HOP_MS = 20

# Generates a rising sawtooth. Prints the recognized words, and microseconds per hop.
_LISTEN = """
import array, json, micropython, time
from listener import Listener

listener = Listener("/rom")
samples = array.array("h", bytes(640))
features, scores, took = [], [], []


def hear():
    micropython.heap_lock()
    begin = time.ticks_us()
    listener.hear(samples)
    end = time.ticks_us()
    micropython.heap_unlock()
    return time.ticks_diff(end, begin)


t = 0
for hop in range(60):
    for i in range(320):
        samples[i] = t * (40 + t // 40) % 20000 - 10000
        t += 1
    took.append(hear())
    newest = (listener._at or 1960) - 40
    features.append(list(listener._ring[newest : newest + 40]))
    if hop >= 51 and hop % 4 == 3:
        scores.append(list(listener._scores))
print(json.dumps([features, scores, took]))
"""


# Return TFLM's results for the same sound.
def _wanted(repository):
    t = np.arange(_HOPS * 320)
    samples = (t * (40 + t // 40) % 20000 - 10000).astype(np.int16)
    samples = np.concatenate([np.zeros(160, np.int16), samples])
    frames = [[samples[i : i + 480]] for i in range(0, _HOPS * 320, 320)]
    folder = repository / "models"
    model = (folder / "audio_frontend" / "audio_frontend_int8.tflite").read_bytes()
    features = np.array([outputs[0] for outputs in oracle.run(model, frames).outputs])
    images = [[features[end - 49 : end].reshape(1, 49, 1, 40)] for end in (52, 56, 60)]
    model = (folder / "keywords" / "keywords_int8.tflite").read_bytes()
    return features, np.array([outputs[0][0] for outputs in oracle.run(model, images).outputs])


def test_keywords_on_a_pico(emulated, repository):
    with Session(emulated("RPI_PICO", app="keywords", fast=True)) as session:
        features, scores, took = json.loads(session.exec(_LISTEN))
    wanted = _wanted(repository)
    np.testing.assert_array_equal(np.array(features, np.uint8).view(np.int8), wanted[0])
    np.testing.assert_array_equal(np.array(scores, np.uint8).view(np.int8), wanted[1])
    # Times of hops with and without a run of the model, after both have run once.
    mean = sum(took[52:60]) / 8 / 1000
    print(f"{mean:.1f} ms of {_HOP_MS} ms a hop, at most {max(took[52:]) / 1000:.1f} ms")
    assert mean < 0.8 * _HOP_MS
