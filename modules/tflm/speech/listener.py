# tflm.speech: Listener and listen(): spoken words in a stream of sound.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError
from ..micropython_port import collect
from .segmenter import END
from .sound import Sound

_SECONDS = 1.5  # of sound that are kept
_RATE = 16000
_FOLDERS = ("", "/rom/", "/lib/", "/")
_NAMES = ("voice.json", "words.json")  # of a detector and a recognizer


# Load metadata from the usual folders.
def _find(name, spectrum=None):
    from .metadata import load

    for folder in _FOLDERS:
        try:
            open(folder + name).close()
        except OSError:
            continue
        # In place: the arena of the recognizer needs the heap of a Pico.
        return load(folder + name, spectrum=spectrum, copy=False)
    raise InputError(
        "there is no %s in %s; copy it there with its model, or load() another file"
        % (name, ", ".join([folder or "." for folder in _FOLDERS]))
    )


class Listener:
    """Recognize words in sound: int16 samples, mono.

    recognizer: a WordRecognizer. detector: a SpeechDetector with the same sample rate. By default
    they are loaded from words.json and voice.json in the current folder, /rom, /lib or /. seconds:
    of sound that are kept, at least a clip.

    When a segment of speech ends, the clip whose middle is the center of its energy goes to the
    recognizer. Raises InputError for invalid arguments.
    """

    def __init__(self, recognizer=None, detector=None, seconds=_SECONDS):
        # First, as it needs the largest block of the heap.
        self._sound = Sound(int(seconds * _RATE))
        self.detector = _find(_NAMES[0]) if detector is None else detector
        if recognizer is None:
            recognizer = _find(_NAMES[1], self.detector.features.spectrum)
        self.recognizer = recognizer
        rate = self.detector.settings.sample_rate
        if self.recognizer.settings.sample_rate != rate:
            raise InputError(
                "the detector needs %d samples per second, the recognizer %d; use models with the "
                "same rate" % (rate, self.recognizer.settings.sample_rate)
            )
        self.rate = rate
        hop = self.detector.settings.hop_length
        size = max(int(seconds * rate), self.recognizer.length + hop)
        if size > len(self._sound.samples):
            self._sound = None
            collect()
            self._sound = Sound(size)
        self._wanted = None  # of a clip: its end; start, end and mean square of the speech

    @property
    def hop_bytes(self):
        """The bytes of sound for one hear()."""
        return self.detector.hop_bytes

    @property
    def is_speech(self):
        """Whether someone speaks."""
        return self.detector.segmenter.is_speech

    def reset(self):
        """Forget the sound so far."""
        self.detector.reset()
        self._sound.reset()
        self._wanted = None

    def hear(self, samples):
        """Process the next hop; return the Word that has ended, or None.

        samples: a buffer of `hop_bytes` bytes.
        """
        event = self.detector.hear(samples)
        self._sound.append(samples, self.hop_bytes // 2)
        if event == END:
            self._plan_clip()
        if self._wanted is not None and self._sound.end >= self._wanted[0]:
            return self._recognize()
        return None

    def finish(self):
        """End the sound; return the Word that is not yet recognized, or None."""
        if self.detector.segmenter.finish() == END:
            self._plan_clip()
        return None if self._wanted is None else self._recognize()

    # Choose the clip around the speech that has just ended. Its end may be sound to come.
    def _plan_clip(self):
        sound, length = self._sound, self.recognizer.length
        segment = self.detector.segmenter
        start = max(segment.start, segment.end - length)
        middle, mean_square = sound.center(start, segment.end)
        self._wanted = (middle + length // 2, segment.start, segment.end, mean_square)

    def _recognize(self):
        sound, recognizer = self._sound, self.recognizer
        end, start, stop, mean_square = self._wanted
        self._wanted = None
        end = min(end, sound.end)
        size = len(sound.samples)
        begin = sound.position(end - recognizer.length)
        word = recognizer.recognize(sound.samples, size, begin, recognizer.length, mean_square)
        if word is not None:
            word.start, word.end = start, stop
        return word

    def words(self, source):
        """Return an iterator over the Words in a source; `async for` works, too.

        source: an object whose `readinto(buffer)` fills the buffer with int16 samples and returns
        the bytes of sound, or awaits them. It ends with less than a full buffer.
        """
        return Words(self, source)


def listen(source, recognizer=None, detector=None):
    """Return an iterator over the Words in a source: `for word in speech.listen(microphone)`.

    source: as for Listener.words(). recognizer, detector: as for Listener.
    """
    return Listener(recognizer, detector).words(source)


# The iterator of words(); MicroPython has no asynchronous generators.
class Words:
    def __init__(self, listener, source):
        self._listener = listener
        self._source = source
        self._samples = bytearray(listener.hop_bytes)
        self._at_end = False

    def __iter__(self):
        return self

    # Return (Word or None) of the next hop. count: bytes that the source gave.
    def _hear(self, count):
        if (count or 0) == len(self._samples):
            return self._listener.hear(self._samples)
        self._at_end = True
        return self._listener.finish()

    def __next__(self):
        while not self._at_end:
            word = self._hear(self._source.readinto(self._samples))
            if word is not None:
                return word
        raise StopIteration

    def __aiter__(self):
        return self

    async def __anext__(self):
        import asyncio

        while not self._at_end:
            count = self._source.readinto(self._samples)
            if hasattr(count, "send") or hasattr(count, "__await__"):
                count = await count
            else:
                await asyncio.sleep(0)
            word = self._hear(count)
            if word is not None:
                return word
        raise StopAsyncIteration
