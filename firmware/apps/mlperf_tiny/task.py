# App mlperf_tiny: loads a model of the benchmark and converts the runner's bytes to its input
# MIT license; Copyright (c) 2026 the tflm authors

import os
from array import array

import micropython
import settings
import tflm

# Types of the runner's data: int8, or uint8 or float32 for an int8 model.
_SIGNED, _UNSIGNED, _FLOAT = range(3)

# {shape of the input: (the benchmark's name, type of its data set, whether the result is the mean
# squared error between output and input, for an autoencoder)}.
_TASKS = {
    (1, 49, 10, 1): ("kws01", _SIGNED, False),
    (1, 32, 32, 3): ("ic01", _UNSIGNED, False),
    (1, 96, 96, 3): ("vww01", _UNSIGNED, False),
    (1, 640): ("ad01", _FLOAT, True),
    (1, 30, 1, 40): ("sww01", _SIGNED, False),
}
_OTHER = ("custom", _SIGNED, False)
# ic02 has the same input as ic01, but a model of 470 KB instead of 90 KB.
_NAME_OF_LARGE_MODEL = {"ic01": "ic02"}
_LARGE = 200_000  # bytes
_STREAM = "sww01"


# Move `count` bytes down by `by`, and write `last` after them.
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
        name, data_type, self._is_autoencoder = _TASKS.get(self._input.shape, _OTHER)
        # For a model that is not int8 the data are copied unchanged.
        self._data_type = data_type if self._input.dtype == "int8" else _SIGNED
        if os.stat(path)[6] > _LARGE:
            name = _NAME_OF_LARGE_MODEL.get(name, name)
        self.name = settings.MODEL or name
        # The input for each invoke(): the model overwrites its input tensor.
        self._staged = bytearray(len(self._input.raw))
        self._real = array("f", bytes(4 * len(self._staged))) if self._is_autoencoder else None

    @property
    def is_stream(self):
        """Whether the model processes rows of features of a sound stream."""
        types = self._input.dtype, self._output.dtype
        return self.name == _STREAM and types == ("int8", "int8")

    @property
    def scale(self):
        """The scale of the input."""
        return self._input.scale

    @property
    def zero_point(self):
        """The zero point of the input."""
        return self._input.zero_point

    @property
    def element_bytes(self):
        """The bytes of an element of the runner's data."""
        return 4 if self._data_type == _FLOAT else 1

    @property
    def elements(self):
        """The number of elements that the runner sends; bytes for a custom model."""
        return len(self._staged)

    def set_input(self, data):
        """Set the input for the next calls of invoke(), `elements * element_bytes` bytes."""
        if self._data_type == _UNSIGNED:
            _to_signed(self._staged, data, len(self._staged))
        elif self._data_type == _FLOAT:
            self._quantize(array("f", bytes(data)))
        else:
            self._staged[:] = data
        if self._is_autoencoder:
            self._real = array("f", bytes(data))

    def clear(self):
        """Set the input for the next calls of invoke() to int8 zeros."""
        for i in range(len(self._staged)):
            self._staged[i] = 0

    def append(self, row):
        """Remove the first bytes of the input and append `row`."""
        _append(self._staged, len(self._staged), row, len(row))

    # Round to the nearest int8, halves away from zero. Quotients are rounded to float32, as in the
    # reference, also on machines with longer floats.
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
        """Return the first output, int8."""
        return (self._output.raw[0] ^ 0x80) - 0x80

    def results(self):
        """Return a list of floats: the outputs, or the error of an autoencoder."""
        values = self._output.dequantize()
        if not self._is_autoencoder:
            return values
        total = 0.0
        for value, real in zip(values, self._real):
            total += (value - real) * (value - real)
        return [total / len(self._real)]
