# App keywords: detects words in sound with a front end, a ring of features, a model, a recognizer
# MIT license; Copyright (c) 2026 the tflm authors

import micropython
import tflm
from recognizer import Recognizer

HOP_BYTES = 640  # 20 ms of int16 at 16 kHz
_FRAME_BYTES = 960  # 30 ms, the window of the front end
_CHANNELS = 40
_HOPS_PER_RUN = 4  # the model runs every 80 ms
_ARENA_BYTES = 8 * 1024  # for both models; ArenaError reports the bytes that other models need


# Copy bytes without a slice, which would allocate.
@micropython.viper
def _copy(target: ptr8, at: int, source: ptr8, begin: int, count: int):
    for i in range(count):
        target[at + i] = source[begin + i]


class Listener:
    """Detects words in a stream of sound; hear() processes 20 ms of it and does not allocate.

    folder: contains frontend.tflm and model.tflm. The model has an int8 input, frames of 40
    features, and an int8 output, a score for each label. The first two labels are not words.
    """

    def __init__(self, folder, arena_bytes=_ARENA_BYTES):
        arena = tflm.Arena(arena_bytes)
        model = tflm.load(folder + "/model.tflm")
        self.front_end = tflm.Interpreter(tflm.load(folder + "/frontend.tflm"), arena)
        self.model = tflm.Interpreter(model, arena)
        self.front_end.allocate_tensors()
        self.model.allocate_tensors()
        self.arena_used_bytes = arena.used_bytes()
        # Both models use the same bytes of one arena, so each run overwrites inputs and outputs of
        # the other model. They are therefore copied.
        self._audio = self.front_end.input(0).raw
        self._features = self.front_end.output(0).raw
        self._image = self.model.input(0).raw
        self._scores = self.model.output(0).raw
        self.labels = model.labels() or ["label %d" % i for i in range(len(self._scores))]
        self._frame = bytearray(_FRAME_BYTES)
        self._ring = bytearray(len(self._image))
        # Until the front end has estimated the noise, its features look like sound.
        self._frames = len(self._image) // _CHANNELS
        self.recognizer = Recognizer(len(self._scores))
        self.reset()

    def reset(self):
        """Clear the state, as for a new stream."""
        self.front_end.reset()
        self.model.reset()
        self.recognizer.reset()
        for i in range(_FRAME_BYTES):
            self._frame[i] = 0
        self._at = 0  # offset of the oldest features in the ring
        self._hops = 0

    def hear(self, samples):
        """Process the next HOP_BYTES of sound; return the index of a detected label, or -1.

        Nothing is detected before the ring is full, which takes one second.
        """
        _copy(self._frame, 0, self._frame, HOP_BYTES, _FRAME_BYTES - HOP_BYTES)
        _copy(self._frame, _FRAME_BYTES - HOP_BYTES, samples, 0, HOP_BYTES)
        _copy(self._audio, 0, self._frame, 0, _FRAME_BYTES)
        self.front_end.invoke()
        _copy(self._ring, self._at, self._features, 0, _CHANNELS)
        self._at = (self._at + _CHANNELS) % len(self._ring)
        self._hops += 1
        if self._hops % _HOPS_PER_RUN or self._hops < self._frames:
            return -1
        rest = len(self._ring) - self._at
        _copy(self._image, 0, self._ring, self._at, rest)
        _copy(self._image, rest, self._ring, 0, self._at)
        self.model.invoke()
        return self.recognizer.recognize(self._scores)
