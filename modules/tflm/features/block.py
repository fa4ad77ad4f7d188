# tflm.features: Block: the base class of the blocks.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError
from . import samples as integers
from .scalars import ADD, MUL, Scalars
from .sink import Sink


class Block:
    """A block of signal processing: `compute(samples, target)`.

    size, shape: number and shape of the features. length, axes: samples of a window for each axis,
    and their number. rate: samples per second.
    """

    # A derived class reserves words of the work memory, calls _allocate(), then sets constants.
    def __init__(self, settings):
        self.settings = settings
        self.shape = settings.shape
        self.size = self.shape[0] * (self.shape[1] if len(self.shape) > 1 else 1)
        self.length, self.axes, self.rate = settings.length, settings.axes, settings.rate
        self._words = 0
        self._constants = []
        self._samples = None
        self._kind = integers.INT16
        self._sink = None
        self._zero = self._constant(0)
        self._minus_three = self._constant(-3)
        self._free = self._reserve(11)

    # Return the position of some new words of the work memory.
    def _reserve(self, words):
        position = self._words
        self._words += words
        return position

    # Return the position of a float32 constant.
    def _constant(self, value):
        self._constants.append((self._reserve(1), value))
        return self._words - 1

    # Allocate the work memory and set the constants.
    def _allocate(self):
        self._work = bytearray(4 * self._words)
        self._scalars = Scalars(self._work)
        for position, value in self._constants:
            self._scalars.set(position, value)
        self._constants = None

    def compute(self, samples, target):
        """Compute the features of a window.

        samples: array or memoryview of int16 or float32, length * axes numbers, in the unit of the
            block's training data; the axes of a sample are neighbours.
        target: array("f") with `size` elements, or a Tensor, which gets quantized features.

        Allocates nothing, except for the first call with these buffers. Raises InputError for
        buffers of other types or sizes.
        """
        if samples is not self._samples:
            self._kind = self._kind_of(samples)
            self._samples = samples
        if self._sink is None or self._sink.target is not target:
            self._sink = Sink(target, self.size)
        self._compute(samples, self._kind, self._sink)

    # Return INT16 or FLOAT32; raise InputError for other samples.
    def _kind_of(self, samples):
        count = self.length * self.axes
        try:
            given = len(samples)
            item_bytes = len(bytes(memoryview(samples)[:1]))
        except TypeError:
            given = item_bytes = 0
        if given != count:
            raise InputError(
                "a window has %d samples of %d axes, got %s; pass an array of %d numbers"
                % (self.length, self.axes, given or type(samples).__name__, count)
            )
        if item_bytes == 4 and isinstance(samples[0], float):
            return integers.FLOAT32
        if item_bytes != 2:
            raise InputError("samples have %d bytes; pass array('h') or array('f')" % item_bytes)
        return integers.INT16

    # Load samples of an axis into the work memory; return the scale of the integers.
    def _load(self, at, samples, kind, axis):
        axes = self.axes
        count = self.length
        exponent = 0
        if kind:
            exponent = integers.largest(samples, axis, axes, count)
        integers.load(self._work, at, samples, kind, axis, axes, count, exponent)
        return integers.scale_of(kind, exponent)

    # Subtract the mean of integers, and use all their 28 bits; return the increase of the scale.
    # With more bits, the mean of small deviations from a large mean is exact.
    def _centre(self, at, count):
        work = self._work
        integers.add_constant(work, at, count, 1, 0 - integers.mean(work, at, count))
        shift = integers.normalize(work, at, count, 28)
        integers.add_constant(work, at, count, 1, 0 - integers.mean(work, at, count))
        return shift

    # Store the standard deviation, skewness and excess kurtosis of integers with a mean of 0 at
    # `target`. number: position of the float32 `count`.
    def _statistics(self, at, count, number, scale, target):
        work = self._work
        s = self._scalars
        free = self._free
        integers.moments(work, at, count, free)
        if not integers.integer_at(work, free) and not integers.integer_at(work, free + 1):
            s.copy(target, self._zero)
            s.copy(target + 1, self._zero)
            s.copy(target + 2, self._minus_three)
            return
        a = free + 8
        b = free + 9
        for k in range(3):  # the mean of the powers
            s.from_int(a, free + 2 * k)
            s.scale(a, 14)
            s.from_int(b, free + 2 * k + 1)
            s.combine(ADD, a, a, b)
            s.scale(a, -28)
            s.divide(free + 2 * k, a, number)
        m2 = free
        m3 = free + 2
        m4 = free + 4
        s.sqrt(target, m2)
        s.combine(MUL, a, m2, target)
        s.divide(target + 1, m3, a)
        s.combine(MUL, a, m2, m2)
        s.divide(target + 2, m4, a)
        s.combine(ADD, target + 2, target + 2, self._minus_three)
        s.scale(target, 28 - scale)
