# App keywords: from samples to words: front end, ring of features, model, recognizer
# MIT license; Copyright (c) 2026 the tflm authors

import micropython
import tflm
from recognizer import Recognizer

HOP_BYTES = 640  # 20 ms of int16 at 16 kHz
_FRAME_BYTES = 960  # 30 ms: what the front end looks at
_CHANNELS = 40
_RUN_EVERY = 4  # hops: the model runs every 80 ms
_ARENA_BYTES = 8 * 1024  # both models; ArenaError says what others would need


# Copies bytes without a slice, which would take heap.
@micropython.viper
def _copy(target: ptr8, at: int, source: ptr8, begin: int, count: int):
    for i in range(count):
        target[at + i] = source[begin + i]


class Listener:
    """Hears words in a stream of sound: 20 ms at a time go to hear().

    folder: where frontend.tflm and model.tflm are. The model takes int8 frames of 40 features
    and gives int8 scores of its labels, of which the first two are no words.
    hear() allocates nothing.
    """

    def __init__(self, folder, arena_bytes=_ARENA_BYTES):
        arena = tflm.Arena(arena_bytes)
        model = tflm.load(folder + "/model.tflm")
        self.front_end = tflm.Interpreter(tflm.load(folder + "/frontend.tflm"), arena)
        self.model = tflm.Interpreter(model, arena)
        self.front_end.allocate_tensors()
        self.model.allocate_tensors()
        self.arena_used_bytes = arena.used_bytes()
        # Both models begin at the start of one arena: what lies there is the other one's after
        # each run. So inputs and outputs are copied.
        self._audio = self.front_end.input(0).raw
        self._features = self.front_end.output(0).raw
        self._image = self.model.input(0).raw
        self._scores = self.model.output(0).raw
        self.labels = model.labels() or ["label %d" % i for i in range(len(self._scores))]
        self._frame = bytearray(_FRAME_BYTES)
        self._ring = bytearray(len(self._image))
        # The front end has to learn what is noise: its first features all look like sound.
        self._frames = len(self._image) // _CHANNELS
        self.recognizer = Recognizer(len(self._scores))
        self.reset()

    def reset(self):
        """Forget all that was heard."""
        self.front_end.reset()
        self.model.reset()
        self.recognizer.reset()
        for i in range(_FRAME_BYTES):
            self._frame[i] = 0
        self._at = 0  # where the oldest features are
        self._hops = 0

    def hear(self, samples):
        """Take in the next 640 bytes; returns the index of a label that was just said, or -1.

        Nothing is found before the model has a whole second to look at.
        """
        _copy(self._frame, 0, self._frame, HOP_BYTES, _FRAME_BYTES - HOP_BYTES)
        _copy(self._frame, _FRAME_BYTES - HOP_BYTES, samples, 0, HOP_BYTES)
        _copy(self._audio, 0, self._frame, 0, _FRAME_BYTES)
        self.front_end.invoke()
        _copy(self._ring, self._at, self._features, 0, _CHANNELS)
        self._at = (self._at + _CHANNELS) % len(self._ring)
        self._hops += 1
        if self._hops % _RUN_EVERY or self._hops < self._frames:
            return -1
        rest = len(self._ring) - self._at
        _copy(self._image, 0, self._ring, self._at, rest)
        _copy(self._image, rest, self._ring, 0, self._at)
        self.model.invoke()
        return self.recognizer.recognize(self._scores)
