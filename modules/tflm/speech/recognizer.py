# tflm.speech: WordRecognizer: a model that names the word in a clip of sound.
# MIT license; Copyright (c) 2026 the tflm authors

import math

from ..errors import InputError, ModelError, check
from ..interpreter import Interpreter
from .log_mel import LogMel

_FULL = 32768.0


class Word:
    """A recognized word.

    text, index: the class and its number. probability: 0 to 1. start, end: where the speech
    begins and ends, in samples from the begin of the sound on; None for recognize().
    """

    def __init__(self, text, index, probability):
        self.text = text
        self.index = index
        self.probability = probability
        self.start = self.end = None

    def __repr__(self):
        return "Word(%r, %.2f)" % (self.text, self.probability)


class WordRecognizer:
    """Name the word in a clip: `recognize(samples)`.

    model: of `tflm.load`, with an int8 input of log-mel features and a logit for each class.
    classes: their names; names that begin with "_" are no words. settings: Settings of the
    features. length: samples of a clip. arena: as for Interpreter. spectrum: as for LogMel.
    threshold: least probability of a word. level: the root mean square (of full scale) to which
    quieter clips are amplified, up to 128 times; 0 for none.

    Raises ModelError for another kind of model, InputError for invalid arguments.
    """

    def __init__(self, model, classes, settings, length=None, arena=None, spectrum=None,
                 threshold=0.5, level=0.0):  # fmt: skip
        self.classes = list(classes)
        self.settings = settings
        self.length = settings.length if length is None else length
        check("threshold", threshold, _is_share(threshold), "a number from 0 to 1")
        check("level", level, _is_share(level), "a number from 0 to 1")
        self.threshold = threshold
        self.level = level
        self._interpreter = Interpreter(model, arena)
        interp = self._interpreter
        if interp.inputs_size() != 1 or interp.outputs_size() != 1:
            raise ModelError("a recognizer has one input and one output; use another model")
        self._input, self._output = interp.input(0), interp.output(0)
        if len(self._output.data) != len(self.classes):
            raise ModelError(
                "the model has %d outputs, the metadata %d classes; use the metadata of this model"
                % (len(self._output.data), len(self.classes))
            )
        self.features = LogMel(settings, spectrum)
        self.features.write(self._input)  # raises ModelError for another shape

    @property
    def arena_used_bytes(self):
        """The bytes of the model's arena in use."""
        return self._interpreter.arena_used_bytes()

    def scores(self):
        """Return the logits of the last clip as a list of floats."""
        output = self._output
        scale = output.scale or 1.0
        return [(value - output.zero_point) * scale for value in output.data]

    def recognize(self, samples, size=None, begin=0, length=None, mean_square=None):
        """Return the Word in a clip, or None if no word has the least probability.

        samples: int16, an array or a ring of `size` samples, in which the clip of `length` samples
        starts at `begin`. mean_square: of the samples, for `level`; computed if it is None.
        """
        if self.level:
            if mean_square is None:
                mean_square = _mean_square(samples)
            self._amplify(mean_square)
        self.features.compute(samples, size, begin, length)
        self.features.write(self._input)
        self._interpreter.invoke()
        return self._best()

    # A clip of higher level has the same features, apart from eps: so eps is divided instead.
    def _amplify(self, mean_square):
        rms = math.sqrt(mean_square) / _FULL
        gain = min(max(self.level / max(rms, 1e-6), 1.0), 128.0)
        self.features.set_eps(max(self.settings.eps / (gain * gain), 1e-12))

    def _best(self):
        scores = self.scores()
        best = max(scores)
        index = scores.index(best)
        probability = 1 / sum([math.exp(max(score - best, -80.0)) for score in scores])
        text = self.classes[index]
        if probability < self.threshold or text.startswith("_"):
            return None
        return Word(text, index, probability)


def _is_share(value):
    return isinstance(value, (int, float)) and 0 <= value <= 1


def _mean_square(samples):
    if not len(samples):
        raise InputError("the clip has no samples; pass some")
    total = 0.0
    for value in samples:
        total += value * value
    return total / len(samples)
