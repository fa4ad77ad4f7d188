# On the device: a Listener hears a WAV file twice, reset between; dumps features and scores
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import micropython
from listener import HOP_BYTES, Listener
from wav import WavFile

_, rom, path, output = sys.argv
listener = Listener(rom)


# Notes what the recognizer is shown, without heap.
class Spy:
    def __init__(self, recognizer, room):
        self.recognizer = recognizer
        self.seen = bytearray(room)
        self.count = 0

    def recognize(self, scores):
        for i in range(len(scores)):
            self.seen[self.count] = scores[i]
            self.count += 1
        return self.recognizer.recognize(scores)

    def reset(self):
        self.recognizer.reset()
        self.count = 0


def hear_all():
    source = WavFile(path)
    hops = source.bytes // HOP_BYTES
    spy = Spy(recognizer, hops * 8)
    listener.recognizer = spy
    samples = bytearray(HOP_BYTES)
    features = bytearray(hops * 40)
    found = bytearray(hops)
    at = 0
    micropython.heap_lock()
    for hop in range(hops):
        source.readinto(samples)
        label = listener.hear(samples)
        found[hop] = label + 1
        newest = (listener._at or len(listener._ring)) - 40
        for i in range(40):
            features[at] = listener._ring[newest + i]
            at += 1
    micropython.heap_unlock()
    source.close()
    return bytes(features), bytes(memoryview(spy.seen)[: spy.count]), bytes(found)


recognizer = listener.recognizer
first = hear_all()
listener.reset()
second = hear_all()
assert first == second, "after reset() something else was heard"
for i, name in enumerate(("features", "scores", "found")):
    with open(output + "/" + name, "wb") as file:
        file.write(first[i])
