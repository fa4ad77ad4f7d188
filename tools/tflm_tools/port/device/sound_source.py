# tflm: example: sources of raw sound for the scripts wake.py and speech.py
# MIT license; Copyright (c) 2026 the tflm authors


# Reads from a stream until the buffer is full: a pipe may return less at a time.
class FullReads:
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
class CountedReads:
    def __init__(self, source):
        self._source = source
        self.bytes = 0

    def readinto(self, buffer):
        count = self._source.readinto(buffer)
        self.bytes += count
        return count
