# tflm.wake: Listener: sound in, wake words out; several models over one front end
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError, ModelError, check
from ..interpreter import Interpreter
from ..loading import load
from . import features
from .word import WakeWord

RATE = 16000
_FRAME_BYTES = 960  # 30 ms, what the front end looks at
_FRAME_WORDS = _FRAME_BYTES // 4

FRONT_END = "micro_frontend.tflm"
_FOLDERS = ("", "/rom/", "/lib/", "/")


# The front end's model, where it lies when nobody says.
def _find_front_end():
    for folder in _FOLDERS:
        try:
            return load(folder + FRONT_END)
        except OSError:
            pass
    raise InputError(
        "there is no %s in %s; put it there, or pass front_end= its path"
        % (FRONT_END, ", ".join([folder or "." for folder in _FOLDERS]))
    )


class Listener:
    """Hears wake words in sound: int16 samples at 16 kHz, mono.

    words: WakeWords, all with the same feature_step_size. vad: a WakeWord for the model `vad`:
    words count only while it hears a voice. front_end: path or model of the front end,
    micro_frontend.tflm (models/audio_frontend). hear() allocates nothing.
    """

    def __init__(self, words=(), vad=None, front_end=None):
        if front_end is None:
            front_end = _find_front_end()
        elif isinstance(front_end, str):
            front_end = load(front_end)
        self._front_end = Interpreter(front_end)
        self._audio, self._features = self._check()
        self._frame = bytearray(_FRAME_BYTES)
        self.words = []
        self.vad = None
        self._step_words = 0
        if vad is not None:
            self._agree(vad)
            self.vad = vad
        for word in words:
            self.add(word)
        self.reset()

    def _check(self):
        x, y = self._front_end.input(0), self._front_end.output(0)
        if len(x.raw) != _FRAME_BYTES or y.dtype != "int16" or y.shape != (features.CHANNELS,):
            raise ModelError(
                "this is no front end for wake words: it has %s %s to %s %s, not int16 [480] to "
                "int16 [40]; take micro_frontend.tflm"
                % (x.dtype, list(x.shape), y.dtype, list(y.shape))
            )
        return x.raw, y.raw

    # All words take features at the same step, as there is one front end.
    def _agree(self, word):
        check("word", word, isinstance(word, WakeWord), "a WakeWord")
        step_words = word.feature_step_size * RATE // 1000 // 2
        if self._step_words and step_words != self._step_words and (self.words or self.vad):
            raise InputError(
                "'%s' wants features each %d ms, the others each %d ms; listen to it alone"
                % (word.wake_word, word.feature_step_size, self.hop_bytes // 32)
            )
        self._step_words = step_words

    @property
    def hop_bytes(self):
        """How many bytes of sound hear() takes: 320 are 10 ms."""
        return self._step_words * 4

    def add(self, word):
        """Listen to one more word from now on."""
        self._agree(word)
        self.words.append(word)

    def remove(self, word):
        """Listen to `word` no more; its memory is free once nothing else holds it."""
        check("word", word, word in self.words, "one of listener.words")
        self.words.remove(word)

    def reset(self):
        """Forget all that was heard, and what is noise."""
        self._front_end.reset()
        for i in range(_FRAME_BYTES):
            self._frame[i] = 0
        self._empty = _FRAME_WORDS  # words of the frame that have no sound yet
        for word in self.words:
            word.reset()
        if self.vad is not None:
            self.vad.reset()

    def hear(self, samples):
        """Take in the next `hop_bytes` bytes; returns the WakeWord that was just said, or None.

        When it was several at once, the first of `words`; the others have `detected` set, too.
        """
        hop = self._step_words
        if not hop or len(samples) != hop * 4:
            self._refuse(samples)
        features.copy_words(self._frame, 0, self._frame, hop, _FRAME_WORDS - hop)
        features.copy_bytes(self._frame, _FRAME_BYTES - hop * 4, samples, hop * 4)
        if self._empty > hop:
            self._empty -= hop
            return None
        self._empty = 0
        features.copy_words(self._audio, 0, self._frame, 0, _FRAME_WORDS)
        self._front_end.invoke()
        vad = self.vad
        if vad is not None:
            vad.hear(self._features)
        heard = None
        for word in self.words:
            word.hear(self._features)
            if word.detected:
                if vad is not None and not vad.is_active:
                    word.detected = False
                    continue
                word.rest()
                if heard is None:
                    heard = word
        return heard

    def _refuse(self, samples):
        if not self._step_words:
            raise InputError("there is no word to listen to; add() one")
        raise InputError(
            "hear() takes %d ms of int16 at 16 kHz, not %d bytes; pass %d bytes at a time"
            % (self.hop_bytes // 32, len(samples), self.hop_bytes)
        )

    def listen(self, source, on_word):
        """Hear what `source` gives until it ends, and call on_word(word) for each word.

        source: `readinto(buffer)` fills the buffer with int16 samples and returns how many bytes
        are sound; less than all of them, or 0, is the end. What on_word raises ends it.
        """
        samples = bytearray(self.hop_bytes)
        while (source.readinto(samples) or 0) == len(samples):
            if self.hear(samples) is not None:
                for word in self.words:
                    if word.detected:
                        on_word(word)

    def events(self, source):
        """What is heard as an async iterator: `async for word in listener.events(source)`.

        source: as for listen(); where its readinto() is a coroutine it is awaited, else other
        tasks have their turn after each hop.
        """
        return Events(self, source)


# `async for` over the words that are heard; MicroPython has no asynchronous generators.
class Events:
    def __init__(self, listener, source):
        self._listener = listener
        self._source = source
        self._samples = bytearray(listener.hop_bytes)
        self._found = []

    def __aiter__(self):
        return self

    async def __anext__(self):
        import asyncio

        listener = self._listener
        while not self._found:
            count = self._source.readinto(self._samples)
            if hasattr(count, "send") or hasattr(count, "__await__"):
                count = await count
            else:
                await asyncio.sleep(0)
            if (count or 0) != len(self._samples):
                raise StopAsyncIteration
            if listener.hear(self._samples) is not None:
                self._found.extend([word for word in listener.words if word.detected])
        return self._found.pop(0)
