# tflm: example: recognizes words in raw sound from standard input, prints a JSON line for each
# MIT license; Copyright (c) 2026 the tflm authors

import json
import sys

import tflm.speech as speech
from sound_source import FullReads
from tflm import TflmError


# Print each segment of speech of a detector.
def _print_segments(detector, source):
    samples = bytearray(detector.hop_bytes)
    segment = detector.segmenter
    rate = detector.settings.sample_rate
    event = None
    while source.readinto(samples) == len(samples):
        event = detector.hear(samples)
        if event == "end":
            print(json.dumps({"start": segment.start / rate, "end": segment.end / rate}))
    if segment.finish():
        print(json.dumps({"start": segment.start / rate, "end": segment.end / rate}))


def main():
    with open(sys.argv[1]) as file:
        job = json.load(file)
    detector = speech.load(**job["detector"])
    source = FullReads(sys.stdin.buffer)
    if not job["recognizer"]:
        _print_segments(detector, source)
        return
    spectrum = detector.features.spectrum
    recognizer = speech.load(spectrum=spectrum, **job["recognizer"])
    rate = detector.settings.sample_rate
    for word in speech.listen(source, recognizer, detector):
        answer = {"start": word.start / rate, "end": word.end / rate}
        answer["word"] = word.text
        answer["probability"] = word.probability
        print(json.dumps(answer))


try:
    main()
except (TflmError, OSError) as error:
    print(json.dumps({"error": str(error), "kind": type(error).__name__}))
