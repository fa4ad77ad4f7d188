# tflm.speech: Sound: the last samples of a stream, in a ring, and the center of their energy.
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

import micropython

from .mel import fill

BLOCK = 128  # samples whose energy is added up


# Copy `count` int16 of a buffer at any address to target[at].
@micropython.viper
def _copy(target: ptr16, at: int, source: ptr8, first: int, count: int):
    i = 0
    while i < count:
        j = 2 * (first + i)
        target[at + i] = source[j] | source[j + 1] << 8
        i += 1


# Return the sum of squares of BLOCK samples from `begin` on, divided by 2 ** 10.
@micropython.viper
def _energy(samples: ptr16, size: int, begin: int, count: int) -> int:
    total = 0
    i = 0
    while i < count:
        value = (samples[begin] ^ 0x8000) - 0x8000
        total += value * value >> 10
        begin += 1
        if begin == size:
            begin = 0
        i += 1
    return total


class Sound:
    """A ring with the last `size` samples of a stream.

    samples: the ring, array("h"). end: number of samples of the whole stream so far.
    """

    def __init__(self, size):
        self.samples = array("h", range(size))  # from bytes it would need twice the memory
        self.reset()

    def reset(self):
        """Begin a new stream, after silence."""
        fill(self.samples, len(self.samples), 0)
        self.end = 0

    def append(self, buffer, count):
        """Append `count` int16 samples of a buffer; at most the ring's size."""
        size = len(self.samples)
        at = self.end % size
        first = min(count, size - at)
        _copy(self.samples, at, buffer, 0, first)
        _copy(self.samples, 0, buffer, first, count - first)
        self.end += count

    def position(self, sample):
        """Return where a sample of the stream is in the ring; the first one is 0."""
        return sample % len(self.samples)

    def center(self, start, end):
        """Return (center of energy, mean square) of samples of the stream that are in the ring."""
        size = len(self.samples)
        begin = max(start, self.end - size)
        total = moment = i = 0
        while begin + i * BLOCK < end:
            at = begin + i * BLOCK
            count = min(BLOCK, end - at)
            energy = _energy(self.samples, size, at % size, count) + 1
            total += energy
            moment += energy * i
            i += 1
        if not total:
            return (start + end) // 2, 0
        middle = begin + BLOCK * moment // total + BLOCK // 2
        return middle, (total - i) * 1024 // max(end - begin, 1)
