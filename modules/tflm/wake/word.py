# tflm.wake: WakeWord: one model that hears one phrase, and its sliding window
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError, ModelError
from ..interpreter import Interpreter
from . import features

_LIMITS = {"int8": (-128, 127), "uint8": (0, 255)}
_MOST_RUNS = 255  # of a sliding window

# What scales are: those of features are some 0.1, of probabilities 1 / 256.
_LEAST = 1e-6
_MOST = 1e6

# What a limit of a sum may be off: a cutoff is a number of a few decimals, which a board keeps in
# single precision.
_TOLERANCE = 1e-3


# A setting that is a whole number.
def _whole(name, value, least, most):
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(
            "%s is %r; take a whole number from %d to %d" % (name, value, least, most)
        )
    return value


class WakeWord:
    """A microWakeWord model: features in, 40 each 10 ms; out a probability each few of them.

    model: of `tflm.load`: one int8 or uint8 input [1, stride, 40], one int8 or uint8 output.
    A phrase is heard when the mean of the last `sliding_window_size` probabilities is above
    `probability_cutoff`, and then for `refractory_ms` no more; with 0 it is heard at each run
    that is above, as pymicro-wakeword has it. Both can be set at any time. arena: as for
    Interpreter. Raises ModelError for a model of another kind.
    """

    def __init__(
        self,
        model,
        wake_word="",
        probability_cutoff=0.9,
        sliding_window_size=5,
        feature_step_size=10,
        refractory_ms=1000,
        arena=None,
    ):
        self.wake_word = wake_word
        self.feature_step_size = _whole("feature_step_size", feature_step_size, 1, 30)
        self.refractory_ms = _whole("refractory_ms", refractory_ms, 0, 60000)
        self._interpreter = Interpreter(model, arena)
        self._input, self._output = self._check()
        self.stride = self._input.shape[1]
        self._image = self._input.raw
        self._probability = self._output.raw
        self._table = features.table(
            self._input.scale, self._input.zero_point, _LIMITS[self._input.dtype]
        )
        # The input's place in the arena is used by others during a run, and a shared arena's by
        # other models: features wait here.
        self._waiting = bytearray(len(self._image))
        # The window's bytes count from the least value of the type on.
        self._window = bytearray(_whole("sliding_window_size", sliding_window_size, 1, _MOST_RUNS))
        self._flip = 0x80 if self._output.dtype == "int8" else 0
        self._zero = self._output.zero_point + self._flip
        self.probability_cutoff = probability_cutoff
        self.reset()

    def _check(self):
        interp = self._interpreter
        if interp.inputs_size() == 1 and interp.outputs_size() == 1:
            x, y = interp.input(0), interp.output(0)
            shape = x.shape
            if (
                len(shape) == 3
                and shape[0] == 1
                and shape[1] > 0
                and shape[2] == features.CHANNELS
                and x.dtype in _LIMITS
                and _LEAST < x.scale < _MOST
                and len(y.raw) == 1
                and y.dtype in _LIMITS
                and _LEAST < y.scale < _MOST
            ):
                return x, y
            what = "%s %s to %s %s" % (x.dtype, list(shape), y.dtype, list(y.shape))
        else:
            what = "%d inputs and %d outputs" % (interp.inputs_size(), interp.outputs_size())
        raise ModelError(
            "this is no wake word model: it has %s; microWakeWord's have int8 [1, stride, 40] "
            "to uint8 [1, 1], both with a scale of the usual size" % what
        )

    @property
    def probability_cutoff(self):
        """What the mean probability must be above, 0..1."""
        return self._cutoff

    @probability_cutoff.setter
    def probability_cutoff(self, cutoff):
        if (
            isinstance(cutoff, bool)
            or not isinstance(cutoff, (int, float))
            or not 0 <= cutoff <= 1
        ):
            raise InputError("probability_cutoff is %r; take a number from 0 to 1" % (cutoff,))
        self._cutoff = cutoff
        # Probabilities are added up as the model gives them, without scale and zero point.
        count = len(self._window)
        self._limit = int(cutoff * count / self._output.scale + _TOLERANCE) + count * self._zero

    @property
    def sliding_window_size(self):
        """How many probabilities the mean is of."""
        return len(self._window)

    @property
    def probability(self):
        """The mean of the last `sliding_window_size` probabilities; 0.0 while there are less."""
        if self._missing:
            return 0.0
        count = len(self._window)
        return (self._sum - count * self._zero) * self._output.scale / count

    @property
    def arena_used_bytes(self):
        """Bytes of the model's arena."""
        return self._interpreter.arena_used_bytes()

    def reset(self):
        """Forget all that was heard."""
        self._interpreter.reset()
        for i in range(len(self._window)):
            self._window[i] = 0
        self._at = 0  # bytes of features that wait
        self._place = 0  # where in the window the oldest is
        self._missing = len(self._window)
        self._sum = 0
        self._pause = 0  # hops until it may be heard again
        self.is_active = False  # the mean of the last run is above the cutoff
        self.detected = False  # the last hop made it so, and the phrase was not heard just before

    def free(self):
        """Let the arena go; the word can be used no more."""
        self._interpreter.free()

    # Take in the features of one hop, int16 as raw bytes. Allocates nothing.
    def hear(self, raw):
        if self._pause:
            self._pause -= 1
        self.detected = False
        features.look_up(self._table, len(self._table) - 1, raw, self._waiting, self._at)
        self._at += features.CHANNELS
        if self._at < len(self._waiting):
            return
        self._at = 0
        self._run()
        self.is_active = not self._missing and self._sum > self._limit
        self.detected = self.is_active and not self._pause

    # The phrase was heard, and is not to be heard again for a while.
    def rest(self):
        self._pause = self.refractory_ms // self.feature_step_size

    def _run(self):
        features.copy_words(self._image, 0, self._waiting, 0, len(self._waiting) // 4)
        self._interpreter.invoke()
        value = self._probability[0] ^ self._flip
        self._sum += value - self._window[self._place]
        self._window[self._place] = value
        self._place = (self._place + 1) % len(self._window)
        if self._missing:
            self._missing -= 1
