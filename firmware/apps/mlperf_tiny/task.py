# App mlperf_tiny: the model, and what bytes of the runner are to it
# MIT license; Copyright (c) 2026 the tflm authors

import os
from array import array

import micropython
import settings
import tflm

_SIGNED, _UNSIGNED, _FLOAT = range(3)  # int8; uint8 of an int8 model; float32 of an int8 model

# By shape of the input: the benchmark's name, what its data set has, and whether the result is
# the mean squared error of the output against the input (an autoencoder).
_TASKS = {
    (1, 49, 10, 1): ("kws01", _SIGNED, False),
    (1, 32, 32, 3): ("ic01", _UNSIGNED, False),
    (1, 96, 96, 3): ("vww01", _UNSIGNED, False),
    (1, 640): ("ad01", _FLOAT, True),
    (1, 30, 1, 40): ("sww01", _SIGNED, False),
}
_OTHER = ("custom", _SIGNED, False)
# ic02 has the input of ic01, and a model of 470 KB where that has 90.
_LARGER = {"ic01": "ic02"}
_LARGE = 200_000  # bytes
_STREAM = "sww01"


# Bytes go down by `by`, and `last` comes behind them.
@micropython.viper
def _append(target: ptr8, count: int, last: ptr8, by: int):
    i = 0
    while i < count - by:
        target[i] = target[i + by]
        i += 1
    while i < count:
        target[i] = last[i - count + by]
        i += 1


@micropython.viper
def _to_signed(target: ptr8, source: ptr8, count: int):
    for i in range(count):
        target[i] = source[i] ^ 0x80


class Task:
    """A model of the benchmark, or any other with one input and one output."""

    def __init__(self, path):
        self._interpreter = tflm.Interpreter(tflm.load(path), cores=settings.CORES)
        self._interpreter.allocate_tensors()
        self._input = self._interpreter.input(0)
        self._output = self._interpreter.output(0)
        name, form, self._is_autoencoder = _TASKS.get(self._input.shape, _OTHER)
        # A model that is not int8 takes its own bytes.
        self._form = form if self._input.dtype == "int8" else _SIGNED
        if os.stat(path)[6] > _LARGE:
            name = _LARGER.get(name, name)
        self.name = settings.MODEL or name
        # What invoke() shows the model: the arena reuses the place of an input.
        self._staged = bytearray(len(self._input.raw))
        self._real = array("f", bytes(4 * len(self._staged))) if self._is_autoencoder else None

    @property
    def is_stream(self):
        """Whether it hears sound, rows of features, all the time."""
        types = self._input.dtype, self._output.dtype
        return self.name == _STREAM and types == ("int8", "int8")

    @property
    def scale(self):
        """Scale of the input."""
        return self._input.scale

    @property
    def zero_point(self):
        """Zero point of the input."""
        return self._input.zero_point

    @property
    def element_bytes(self):
        """Bytes of an element of what the runner sends."""
        return 4 if self._form == _FLOAT else 1

    @property
    def elements(self):
        """Elements that the runner has to send; bytes for a model of the user's."""
        return len(self._staged)

    def set_input(self, data):
        """Take `elements * element_bytes` bytes as the input of each invoke() to come."""
        if self._form == _UNSIGNED:
            _to_signed(self._staged, data, len(self._staged))
        elif self._form == _FLOAT:
            self._quantize(array("f", bytes(data)))
        else:
            self._staged[:] = data
        if self._is_autoencoder:
            self._real = array("f", bytes(data))

    def clear(self):
        """Zeros (of int8) as the input of each invoke() to come."""
        for i in range(len(self._staged)):
            self._staged[i] = 0

    def append(self, row):
        """Take bytes behind those of the input, whose first ones go."""
        _append(self._staged, len(self._staged), row, len(row))

    # To the nearest int8, halves away from zero; quotients are float32 as in the reference, on
    # a machine with longer floats, too.
    def _quantize(self, values):
        quotient = array("f", [0])
        scale = self._input.scale
        zero_point = self._input.zero_point
        for i, value in enumerate(values):
            quotient[0] = value / scale
            value = quotient[0]
            value = min(max(value, -512), 512) if value == value else 0  # NaN
            whole = int(value)
            rest = value - whole
            if rest >= 0.5:
                whole += 1
            elif rest <= -0.5:
                whole -= 1
            self._staged[i] = min(max(whole + zero_point, -128), 127) & 0xFF

    def invoke(self):
        """Run the model once on its input."""
        self._input.raw[:] = self._staged
        self._interpreter.invoke()

    def first_output(self):
        """The first output, int8."""
        return (self._output.raw[0] ^ 0x80) - 0x80

    def results(self):
        """List of floats: the outputs, or the error of an autoencoder."""
        values = self._output.dequantize()
        if not self._is_autoencoder:
            return values
        total = 0.0
        for value, wanted in zip(values, self._real):
            total += (value - wanted) * (value - wanted)
        return [total / len(self._real)]
