# tflm.wake: WakeWord: a model that detects one phrase, and its sliding window.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError, ModelError
from ..interpreter import Interpreter
from . import features

_LIMITS = {"int8": (-128, 127), "uint8": (0, 255)}
_MAX_WINDOW = 255  # probabilities of a sliding window

# The range of plausible scales: features have some 0.1, probabilities 1 / 256.
_MIN_SCALE = 1e-6
_MAX_SCALE = 1e6

# Added to the limit of the sum: a board stores the cutoff, which has a few decimals, in single
# precision.
_TOLERANCE = 1e-3


# Return a setting; raise InputError unless it is an int in a range.
def _int_setting(name, value, least, most):
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError("%s is %r; pass an int from %d to %d" % (name, value, least, most))
    return value


class WakeWord:
    """A microWakeWord model, which computes a probability from features.

    model: of `tflm.load`, with an int8 or uint8 input [1, stride, 40] and an int8 or uint8 output
        of one element. It gets 40 features each `feature_step_size` ms and runs each `stride`
        steps.
    wake_word: the phrase. arena: as for Interpreter.

    The phrase is detected if the mean of the last `sliding_window_size` probabilities is above
    `probability_cutoff`, but not within `refractory_ms` after the last time. With refractory_ms=0
    each run above the cutoff detects it, as in pymicro-wakeword. probability_cutoff and
    refractory_ms may be changed at any time. Raises ModelError for another kind of model,
    InputError for invalid settings.
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
        self.feature_step_size = _int_setting("feature_step_size", feature_step_size, 1, 30)
        self.refractory_ms = _int_setting("refractory_ms", refractory_ms, 0, 60000)
        self._interpreter = Interpreter(model, arena)
        self._input, self._output = self._check()
        self.stride = self._input.shape[1]
        self._image = self._input.raw
        self._probability = self._output.raw
        self._table = features.table(
            self._input.scale, self._input.zero_point, _LIMITS[self._input.dtype]
        )
        # Features are collected here: the memory of the input is used by other tensors during a
        # run, and in a shared arena by other models.
        self._waiting = bytearray(len(self._image))
        # The bytes of the window count from the least value of the type.
        self._window = bytearray(
            _int_setting("sliding_window_size", sliding_window_size, 1, _MAX_WINDOW)
        )
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
                and shape[2] == features.CHANNELS
                and 0 < len(x.raw) == shape[1] * features.CHANNELS
                and x.dtype in _LIMITS
                and _MIN_SCALE < x.scale < _MAX_SCALE
                and len(y.raw) == 1
                and y.dtype in _LIMITS
                and _MIN_SCALE < y.scale < _MAX_SCALE
            ):
                return x, y
            what = "%s %s to %s %s" % (x.dtype, list(shape), y.dtype, list(y.shape))
        else:
            what = "%d inputs and %d outputs" % (interp.inputs_size(), interp.outputs_size())
        raise ModelError(
            "this is no wake word model: it has %s; use one with int8 [1, stride, 40] to uint8 "
            "[1, 1] and usual scales" % what
        )

    @property
    def probability_cutoff(self):
        """The mean probability above which the phrase is detected, 0 to 1."""
        return self._cutoff

    @probability_cutoff.setter
    def probability_cutoff(self, cutoff):
        if (
            isinstance(cutoff, bool)
            or not isinstance(cutoff, (int, float))
            or not 0 <= cutoff <= 1
        ):
            raise InputError("probability_cutoff is %r; pass a number from 0 to 1" % (cutoff,))
        self._cutoff = cutoff
        # The sum is of the model's integers, without scale and zero point.
        count = len(self._window)
        self._limit = int(cutoff * count / self._output.scale + _TOLERANCE) + count * self._zero

    @property
    def sliding_window_size(self):
        """The number of probabilities of a mean."""
        return len(self._window)

    @property
    def probability(self):
        """The mean of the last `sliding_window_size` probabilities; 0.0 until there are enough."""
        if self._missing:
            return 0.0
        count = len(self._window)
        return (self._sum - count * self._zero) * self._output.scale / count

    @property
    def arena_used_bytes(self):
        """The bytes of the model's arena in use."""
        return self._interpreter.arena_used_bytes()

    def reset(self):
        """Forget all features and probabilities."""
        self._interpreter.reset()
        for i in range(len(self._window)):
            self._window[i] = 0
        self._at = 0  # bytes of collected features
        self._oldest = 0  # index of the oldest probability in the window
        self._missing = len(self._window)
        self._sum = 0
        self._pause = 0  # hops until the phrase may be detected again
        self.is_active = False  # the last mean was above the cutoff
        self.detected = False  # the last hop detected the phrase

    def free(self):
        """Release the arena; the WakeWord cannot be used afterwards."""
        self._interpreter.free()

    # Process the features of one hop, int16 as raw bytes. Allocates nothing.
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

    # Do not detect the phrase again for refractory_ms.
    def rest(self):
        self._pause = self.refractory_ms // self.feature_step_size

    def _run(self):
        features.copy_words(self._image, 0, self._waiting, 0, len(self._waiting) // 4)
        self._interpreter.invoke()
        value = self._probability[0] ^ self._flip
        self._sum += value - self._window[self._oldest]
        self._window[self._oldest] = value
        self._oldest = (self._oldest + 1) % len(self._window)
        if self._missing:
            self._missing -= 1
