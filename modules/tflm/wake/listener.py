# tflm.wake: Listener: find wake words in sound, with several models on one front end.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError, ModelError, check
from ..interpreter import Interpreter
from ..loading import load
from . import features
from .word import WakeWord

RATE = 16000
_FRAME_BYTES = 960  # 30 ms, the input of the front end
_FRAME_WORDS = _FRAME_BYTES // 4
_FEATURE_BYTES = 2 * features.CHANNELS  # the output of the front end

FRONT_END = "micro_frontend.tflm"
_FOLDERS = ("", "/rom/", "/lib/", "/")


# Load the front end's model from the usual folders.
def _find_front_end(trusted):
    for folder in _FOLDERS:
        try:
            return load(folder + FRONT_END, trusted)
        except OSError:
            pass
    raise InputError(
        "there is no %s in %s; copy it there, or pass front_end= its path"
        % (FRONT_END, ", ".join([folder or "." for folder in _FOLDERS]))
    )


class Listener:
    """Find wake words in sound: int16 samples at 16 kHz, mono.

    words: WakeWords, all with the same feature_step_size. vad: a WakeWord of the model `vad`;
        words count only while it detects a voice. front_end: path or model of the front end,
        micro_frontend.tflm (models/audio_frontend).
    trusted: leave out the access checks of the front end, as for tflm.load().

    hear() allocates nothing. Raises ModelError for a model that is no front end, InputError for
    other arguments.
    """

    def __init__(self, words=(), vad=None, front_end=None, trusted=False):
        if front_end is None:
            front_end = _find_front_end(trusted)
        elif isinstance(front_end, str):
            front_end = load(front_end, trusted)
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
        is_int16 = x.dtype == y.dtype == "int16"
        has_bytes = is_int16 and len(x.raw) == _FRAME_BYTES and len(y.raw) == _FEATURE_BYTES
        if not has_bytes or y.shape != (features.CHANNELS,):
            raise ModelError(
                "this is no front end for wake words: it has %s %s to %s %s, not int16 [480] to "
                "int16 [40]; use micro_frontend.tflm"
                % (x.dtype, list(x.shape), y.dtype, list(y.shape))
            )
        return x.raw, y.raw

    # Raise InputError unless a word has the same step as the others: there is one front end.
    def _agree(self, word):
        check("word", word, isinstance(word, WakeWord), "a WakeWord")
        step_words = word.feature_step_size * RATE // 1000 // 2
        if self._step_words and step_words != self._step_words and (self.words or self.vad):
            raise InputError(
                "'%s' needs features each %d ms, the others each %d ms; listen to it alone"
                % (word.wake_word, word.feature_step_size, self.hop_bytes // 32)
            )
        self._step_words = step_words

    @property
    def hop_bytes(self):
        """The bytes of sound for one hear(): 320 are 10 ms."""
        return self._step_words * 4

    def add(self, word):
        """Listen to one more word."""
        self._agree(word)
        self.words.append(word)

    def remove(self, word):
        """Stop listening to a word; its memory is free when nothing else refers to it."""
        check("word", word, word in self.words, "one of listener.words")
        self.words.remove(word)

    def reset(self):
        """Forget the sound so far and the level of noise."""
        self._front_end.reset()
        for i in range(_FRAME_BYTES):
            self._frame[i] = 0
        self._empty = _FRAME_WORDS  # words of the frame without sound
        for word in self.words:
            word.reset()
        if self.vad is not None:
            self.vad.reset()

    def hear(self, samples):
        """Process the next sound; return the WakeWord that was just said, or None.

        samples: a buffer of `hop_bytes` bytes. If several words were said, the first of `words`
        is returned; all of them have `detected` set.
        """
        hop = self._step_words
        if not hop or len(samples) != hop * 4:
            self._raise_wrong_size(samples)
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

    def _raise_wrong_size(self, samples):
        if not self._step_words:
            raise InputError("there is no word to listen to; add() one")
        raise InputError(
            "hear() needs %d ms of int16 at 16 kHz, not %d bytes; pass %d bytes at a time"
            % (self.hop_bytes // 32, len(samples), self.hop_bytes)
        )

    def listen(self, source, on_word):
        """Hear a source until it ends; call on_word(word) for each word that is said.

        source: an object whose `readinto(buffer)` fills the buffer with int16 samples and returns
        the bytes of sound. It ends with less than a full buffer. An exception of on_word ends it,
        too.
        """
        samples = bytearray(self.hop_bytes)
        while (source.readinto(samples) or 0) == len(samples):
            if self.hear(samples) is not None:
                for word in self.words:
                    if word.detected:
                        on_word(word)

    def events(self, source):
        """Return an async iterator over the words: `async for word in listener.events(source)`.

        source: as for listen(). A readinto() that is a coroutine is awaited; otherwise other tasks
        run after each hop.
        """
        return Events(self, source)


# The async iterator of events(); MicroPython has no asynchronous generators.
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
