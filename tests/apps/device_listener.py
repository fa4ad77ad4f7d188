# Runs on the device: a Listener hears a WAV file twice, with a reset; writes features and scores
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import micropython
from listener import HOP_BYTES, Listener
from wav import WavFile

_, rom, path, output = sys.argv
listener = Listener(rom)


# Records the scores that the recognizer receives, without allocation.
class RecordedScores:
    def __init__(self, recognizer, size):
        self.recognizer = recognizer
        self.scores = bytearray(size)
        self.count = 0

    def recognize(self, scores):
        for i in range(len(scores)):
            self.scores[self.count] = scores[i]
            self.count += 1
        return self.recognizer.recognize(scores)

    def reset(self):
        self.recognizer.reset()
        self.count = 0


def hear_all():
    source = WavFile(path)
    hops = source.bytes // HOP_BYTES
    recorded = RecordedScores(recognizer, hops * 8)
    listener.recognizer = recorded
    samples = bytearray(HOP_BYTES)
    features = bytearray(hops * 40)
    labels = bytearray(hops)
    at = 0
    micropython.heap_lock()
    for hop in range(hops):
        source.readinto(samples)
        label = listener.hear(samples)
        labels[hop] = label + 1
        newest = (listener._at or len(listener._ring)) - 40
        for i in range(40):
            features[at] = listener._ring[newest + i]
            at += 1
    micropython.heap_unlock()
    source.close()
    scores = bytes(memoryview(recorded.scores)[: recorded.count])
    return bytes(features), scores, bytes(labels)


recognizer = listener.recognizer
first = hear_all()
listener.reset()
second = hear_all()
assert first == second, "the results after reset() differ"
for i, name in enumerate(("features", "scores", "labels")):
    with open(output + "/" + name, "wb") as file:
        file.write(first[i])
