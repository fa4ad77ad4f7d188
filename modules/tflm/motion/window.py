# tflm.motion: Window: the last samples of a source, for the input of a model.
# MIT license; Copyright (c) 2026 the tflm authors

import array

import micropython

from ..errors import InputError
from ..memoryview_cast import view_as

_MAX_FACTOR = 32767  # of an axis: its product with a sample has 31 bits
_LIMITS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767)}


# Move data from `begin` on to the start.
@micropython.viper
def _move_down(data: ptr16, begin: int, count: int):
    i = 0
    while i < count:
        data[i] = data[begin + i]
        i += 1


# Multiply samples by the factor of their axis and store bytes (or int16). settings: zero point,
# lowest, highest, 1 for int16, axes; then a factor and a shift for each axis.
@micropython.viper
def _quantize(target: ptr8, data: ptr16, count: int, settings: ptr32):
    wide = ptr16(target)
    sign = 0x20000000
    sign = sign << 3 >> 27  # 32 with 64-bit words, where loads zero-extend; 0 with 32-bit words
    zero = (settings[0] << sign) >> sign
    low = (settings[1] << sign) >> sign
    high = settings[2]
    axes = settings[4]
    axis = 0
    i = 0
    while i < count:
        shift = settings[6 + 2 * axis]
        value = ((data[i] ^ 0x8000) - 0x8000) * settings[5 + 2 * axis]
        value = ((value + (1 << shift - 1)) >> shift) + zero
        if value < low:
            value = low
        if value > high:
            value = high
        if settings[3]:
            wide[i] = value
        else:
            target[i] = value
        axis += 1
        if axis == axes:
            axis = 0
        i += 1


class Window:
    """The last `length` samples of a source, of which `step` are new each time.

    source: an MPU6050, LSM6DS, Analog, or any object with their readinto(), sample_bytes, axes,
        scale, turn_scale and overruns.
    length, step: numbers of samples; step: None for all.
    unit: the value of 1 g for the model (9.80665 for m/s2).

    data: the samples, int16, the oldest first. Raises InputError for an invalid length or step.
    """

    def __init__(self, source, length, step=None, unit=1.0):
        step = length if step is None else step
        if not isinstance(length, int) or not isinstance(step, int) or not 0 < step <= length:
            raise InputError(
                "a window of %r samples cannot have %r new ones; pass a step of 1 up to the length"
                % (length, step)
            )
        self._source = source
        size = source.sample_bytes
        raw = bytearray(length * size)
        self._whole = memoryview(raw)
        self._new = self._whole[(length - step) * size :]
        self.data = view_as(self._whole, "h", 2)
        self._step = step
        self._filled = False
        self._unit = unit
        self._settings = {}  # tensor: its settings for _quantize()

    def next(self):
        """Wait for `step` more samples, the first time for `length`; return data.

        Allocates nothing. A window has no gap: if samples were lost it is filled again.
        """
        source = self._source
        before = source.overruns
        if self._filled:
            kept = len(self.data) - self._step * source.axes
            _move_down(self.data, self._step * source.axes, kept)
            source.readinto(self._new)
            if source.overruns == before:
                return self.data
        while True:
            before = source.overruns
            source.readinto(self._whole)
            if source.overruns == before:
                self._filled = True
                return self.data

    def fill(self, tensor):
        """Store the samples in an input, as g and degrees a second.

        tensor: a Tensor with length * axes elements. For int8, uint8 and int16 it allocates
        nothing after the first time, and a value differs by at most one step from
        tensor.quantize(), which other types use. Raises InputError for another number of elements.
        """
        settings = self._settings.get(tensor)
        if settings is None:
            settings = self._settings[tensor] = self._settings_for(tensor)
        if settings:
            _quantize(tensor.kept.raw, self.data, len(self.data), settings)
        else:
            tensor.quantize(self._reals())

    def _reals(self):
        axes, units = self._source.axes, self._units()
        return [value * units[i % axes] for i, value in enumerate(self.data)]

    # Return what a step of each axis is in units of the model.
    def _units(self):
        source = self._source
        units = [source.scale * self._unit] * 3 + [source.turn_scale] * 3
        return units[: source.axes]

    # Return the settings of a tensor for _quantize(); () for other types.
    def _settings_for(self, tensor):
        kept, axes = tensor.kept, self._source.axes
        elements = len(kept.data)
        if elements != len(self.data):
            raise InputError(
                "the input '%s' has %d numbers, a window has %d samples of %d axes; use a "
                "window of %s"
                % (
                    tensor.name, elements, len(self.data) // axes, axes,
                    elements / axes if elements % axes else elements // axes,
                )
            )  # fmt: skip
        if kept.dtype not in _LIMITS or not kept.scale:
            return ()
        found = [kept.zero_point]
        found += _LIMITS[kept.dtype]
        found += [int(kept.dtype == "int16"), axes]
        for unit in self._units():
            factor, shift = unit / kept.scale, 0
            while shift < 30 and factor * 2 <= _MAX_FACTOR:
                factor, shift = factor * 2, shift + 1
            if not shift:
                return ()
            found += [int(factor + 0.5), shift]
        return array.array("i", found)
