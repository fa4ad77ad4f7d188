# tflm.features: Block: the base class of the blocks.
# MIT license; Copyright (c) 2026 the tflm authors

import micropython

from ..errors import InputError
from . import samples as integers
from . import statistics
from .scalars import ADD, EACH, MUL, Scalars, combine, copy, div, scale_by, sqrt
from .sink import Sink


class Block:
    """A block of signal processing: `compute(samples, target)`.

    size, shape: number and shape of the features. length, axes: samples of a window for each axis,
    and their number. rate: samples per second.
    """

    # Methods with many variables and arguments are native: the virtual machine allocates heap for
    # the state of such a function at each call, and frees it.

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
        # The standard deviation, skewness and kurtosis of a constant signal.
        self._of_constant = self._constant(0)
        self._constant(0)
        self._constant(-3)
        self._free = self._reserve(6)

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
        if self._sink is None or self._sink.target is not target:
            self._sink = Sink(target, self.size)
        self.compute_into(samples, self._sink)

    def compute_into(self, samples, sink):
        """Compute the features of a window; sink: has the method write() of a Sink."""
        if samples is not self._samples:
            self._kind = self._kind_of(samples)
            self._samples = samples
        self._compute(samples, self._kind, sink)

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
    @micropython.native
    def _load(self, at, samples, kind, axis):
        axes = self.axes
        count = self.length
        exponent = 0
        if kind:
            exponent = integers.largest(samples, axis, axes, count)
        integers.load(self._work, at, samples, kind, axis, axes, count, exponent)
        return integers.scale_of(kind, exponent)

    # Store the standard deviation, skewness and excess kurtosis of integers with a mean of 0 at
    # `target`.
    @micropython.native
    def _statistics(self, at, count, scale, target):
        work = self._work
        root = self._free
        m2 = root + 1
        if not statistics.moments(work, at, count, m2):
            copy(work, target, self._of_constant, 3, 1)
            return
        sqrt(work, work, root << 4, m2 << 4, 1)
        # m2 * root and m2 * m2 divide m3 and m4.
        divisors = root + 4
        combine(work, work, divisors << 4, m2 << 4, root << 4, 2, 1 | 1 << 20, MUL)
        div(work, work, target + 1 << 4, root + 2 << 4, divisors << 4, 2, EACH)
        three = self._of_constant + 2
        combine(work, work, target + 2 << 4, target + 2 << 4, three << 4, 1, EACH, ADD)
        copy(work, target, root, 1, 1)
        scale_by(work, target, 1, 28 - scale)
