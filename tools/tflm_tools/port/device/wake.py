# tflm: example: detects wake words in raw sound from standard input, prints a JSON line for each
# MIT license; Copyright (c) 2026 the tflm authors

import json
import sys

from tflm import TflmError, wake


# Reads from a stream until the buffer is full: a pipe may return less at a time.
class _FullReads:
    def __init__(self, stream):
        self._stream = stream

    def readinto(self, buffer):
        view = memoryview(buffer)
        count = 0
        while count < len(buffer):
            more = self._stream.readinto(view[count:])
            if not more:
                break
            count += more
        return count


# Counts the bytes of a source, which give the time of a detection.
class _CountedReads:
    def __init__(self, source):
        self._source = source
        self.bytes = 0

    def readinto(self, buffer):
        count = self._source.readinto(buffer)
        self.bytes += count
        return count


def main():
    with open(sys.argv[1]) as file:
        job = json.load(file)
    words = [wake.load(path, **job["settings"]) for path in job["words"]]
    vad = wake.load(job["vad"]) if job["vad"] else None
    listener = wake.Listener(words, vad, job["front_end"])
    source = _CountedReads(_FullReads(sys.stdin.buffer))

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
