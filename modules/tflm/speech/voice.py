# tflm.speech: Voice: clips of a voice in 900 bytes a second: a decoder network and a vocoder.
# MIT license; Copyright (c) 2026 the tflm authors

# A pack of `tflm speech say --decoder` is laid out like one of clips (play.py), with the magic
# "TFLMVOX1". A clip consists of codes, each for 20 ms: the int8 inputs of the decoder, then the
# pitch in the first and the second half. The pitch is 0 without voice, otherwise 50 Hz times
# 2 ** ((pitch - 1) / 64).

from array import array

from ..errors import ModelError
from ..interpreter import Interpreter
from .play import Pack
from .vocoder import BLOCK, VALUES, Vocoder

_SAMPLES = 1024  # of a write to a speaker
_PITCHES = 2  # of a code


def _stem(path):
    return path[: path.rfind(".")] if "." in path.split("/")[-1] else path


class Voice(Pack):
    """The clips of a pack: `"yes" in voice`, `voice.names`, `voice.play("yes", speaker)`.

    path: of the pack. model: the decoder, of `tflm.load`; by default the .tflm of the same name
    beside the pack. arena: as for Interpreter. spectrum: as for Vocoder.

    Raises ModelError for a damaged pack or another kind of model, OSError for a missing file.
    """

    _MAGIC = b"TFLMVOX1"

    def __init__(self, path, model=None, arena=None, spectrum=None):
        if model is None:
            from .. import load

            model = load(_stem(path) + ".tflm")
        interp = self._interpreter = Interpreter(model, arena)
        if interp.inputs_size() != 1 or interp.outputs_size() != 1:
            raise ModelError("a decoder has one input and one output; use another model")
        first, last = self._input, self._output = interp.input(0), interp.output(0)
        shapes = list(first.shape), list(last.shape)
        if (len(shapes[0]) != 4 or len(shapes[1]) != 4 or shapes[0][:2] != [1, 1]
                or shapes[1][:2] != [1, 1] or shapes[1][3] % VALUES
                or first.dtype != "int8" or last.dtype != "int8"):  # fmt: skip
            raise ModelError(
                "the decoder has %s %s and %s %s; int8 [1, 1, codes, n] and [1, 1, codes, 60 * n] "
                "are needed" % (first.dtype, shapes[0], last.dtype, shapes[1])
            )
        self._codes, self._depth = shapes[0][2:]  # of a run, bytes of a code
        self._tile, self._frames = shapes[1][2], shapes[1][3] // VALUES  # kept, frames of a code
        self._unit = self._depth + _PITCHES
        super().__init__(path)
        self._pitches = array("H", bytes(2 * self._tile * _PITCHES))
        self._code = bytearray(self._unit)
        self._samples = array("h", bytes(2 * _SAMPLES))
        self._vocoder = Vocoder(last.scale, last.zero_point, spectrum=spectrum)

    # Read the codes of a run, with those before and after them, and their pitches.
    def _read_codes(self, begin, count, first):
        target, code, depth = self._input.raw, self._code, self._depth
        margin = (self._codes - self._tile) // 2
        for i in range(self._codes):
            at = min(max(first + i - margin, 0), count - 1)
            self._file.seek(begin + self._unit * at)
            self._file.readinto(code)
            target[depth * i : depth * (i + 1)] = memoryview(code)[:depth]
            k = _PITCHES * (i - margin)
            for j in range(_PITCHES):
                if 0 <= k < len(self._pitches):
                    self._pitches[k + j] = _pitch(code[depth + j])

    # Yield whether a block of the vocoder is ready, for each frame of a clip.
    def _blocks(self, begin, count):
        vocoder = self._vocoder
        vocoder.reset()
        values = self._output.data
        for first in range(0, count, self._tile):
            self._read_codes(begin, count, first)
            self._interpreter.invoke()
            frames = self._frames * min(self._tile, count - first)
            for i in range(frames):
                pitch = self._pitches[_PITCHES * i // self._frames]
                yield vocoder.add(values, pitch, VALUES * i)

    def play(self, name, speaker):
        """Play a clip and wait for its end; see Clips.play()."""
        begin, count = self._find(name)
        samples, at = self._samples, 0
        block = memoryview(self._vocoder.samples)
        for is_ready in self._blocks(begin, count):
            if is_ready:
                samples[at : at + BLOCK] = block
                at += BLOCK
                if at == _SAMPLES:
                    speaker.write(samples)
                    at = 0
        for i in range(at, _SAMPLES):
            samples[i] = 0
        speaker.write(samples)


# Return a pitch in units of 1 / 16 Hz.
def _pitch(code):
    return int(800 * 2 ** ((code - 1) / 64) + 0.5) if code else 0
