# tflm: example: detects wake words in raw sound from standard input, prints a JSON line for each
# MIT license; Copyright (c) 2026 the tflm authors

import json
import sys

from sound_source import CountedReads, FullReads
from tflm import TflmError, wake


def main():
    with open(sys.argv[1]) as file:
        job = json.load(file)
    words = [wake.load(path, **job["settings"]) for path in job["words"]]
    vad = wake.load(job["vad"]) if job["vad"] else None
    listener = wake.Listener(words, vad, job["front_end"])
    source = CountedReads(FullReads(sys.stdin.buffer))

    def report(word):
        detection = {
            "seconds": source.bytes / 32000,
            "wake_word": word.wake_word,
            "probability": word.probability,
        }
        print(json.dumps(detection))

    listener.listen(source, report)


try:
    main()
except (TflmError, OSError) as error:
    print(json.dumps({"error": str(error), "kind": type(error).__name__}))
