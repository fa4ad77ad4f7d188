# tflm.speech: SpeechDetector: a model that computes the probability of speech, and its Segmenter.
# MIT license; Copyright (c) 2026 the tflm authors

import math

from ..errors import ModelError, check
from ..interpreter import Interpreter
from .log_mel import LogMel
from .segmenter import Segmenter
from .sound import Sound

_MAX_LOGIT = 30.0  # exp() of more is of no interest


class SpeechDetector:
    """Find speech in sound: `hear(samples)` for each hop.

    model: of `tflm.load`, with an int8 input of log-mel features and an output of one logit.
    settings: Settings of the features; n_fft is a multiple of hop_length. arena: as for
    Interpreter. spectrum: as for LogMel. options: threshold, smooth_frames, look_back and
    max_samples of the Segmenter.

    probability: of the last hop, 0 to 1. segmenter: its start and end are the last segment's
    samples. Raises ModelError for another kind of model, InputError for invalid arguments.
    """

    def __init__(self, model, settings, arena=None, spectrum=None, **options):
        self.settings = settings
        self.segmenter = Segmenter(settings.hop_length, **options)
        self._interpreter = Interpreter(model, arena)
        interp = self._interpreter
        if interp.inputs_size() != 1 or interp.outputs_size() != 1:
            raise ModelError("a voice detector has one input and one output; use another model")
        self._input, self._output = interp.input(0), interp.output(0)
        if len(self._output.data) != 1:
            raise ModelError(
                "the model's output is %s, a voice detector has one logit; use another model"
                % list(self._output.shape)
            )
        if settings.n_fft % settings.hop_length:
            raise ModelError(
                "n_fft is %d and hop_length %d; a voice detector needs a multiple"
                % (settings.n_fft, settings.hop_length)
            )
        self.features = LogMel(settings, spectrum)
        self.features.write(self._input)  # raises ModelError for another shape
        self._frame = Sound(settings.n_fft)
        self.probability = 0.0

    @property
    def hop_bytes(self):
        """The bytes of sound for one hear(): 1024 are 32 ms."""
        return 2 * self.settings.hop_length

    @property
    def arena_used_bytes(self):
        """The bytes of the model's arena in use."""
        return self._interpreter.arena_used_bytes()

    def reset(self):
        """Forget the sound so far."""
        self._interpreter.reset()
        self._frame.reset()
        self.features.reset()
        self.segmenter.reset()
        self.probability = 0.0

    def hear(self, samples):
        """Process the next hop, int16; return "start" or "end" of a segment, or None.

        samples: a buffer of `hop_bytes` bytes. Raises InputError for another size.
        """
        check("len(samples)", _bytes_of(samples), _bytes_of(samples) == self.hop_bytes,
              "%d bytes" % self.hop_bytes)  # fmt: skip
        frame, settings = self._frame, self.settings
        frame.append(samples, settings.hop_length)
        if frame.end < settings.n_fft:
            return self.segmenter.add(0.0)
        begin = frame.position(frame.end)  # the oldest sample
        self.features.add(frame.samples, settings.n_fft, begin)
        if frame.end < settings.frames * settings.hop_length:  # no model is trained with so little
            return self.segmenter.add(0.0)
        self.features.write(self._input)
        self._interpreter.invoke()
        output = self._output
        logit = output.data[0]
        if output.scale:
            logit = (logit - output.zero_point) * output.scale
        self.probability = 1 / (1 + math.exp(max(min(0 - logit, _MAX_LOGIT), 0 - _MAX_LOGIT)))
        return self.segmenter.add(self.probability)


# The bytes of a buffer of bytes or of int16.
def _bytes_of(samples):
    view = memoryview(samples)
    return len(view) * len(bytes(view[:1]))
