# tflm_tools: counts and limits how many schedules a search examines, by the tensors that it makes
# MIT license; Copyright (c) 2026 the tflm authors

from contextlib import contextmanager
from math import inf

from tflm.tflite.graph import Tensor

from ....model.graph import copy_quantization

_FIRST_NUMBER = 1 << 24  # larger than all numbers of tensors in a model


class SearchLimitReached(Exception):
    """A search has examined as much as it may."""


class TemporaryTensors:
    """Makes tensors that belong to no graph, for chains that are written only to be measured.

    count: how many there are by now, a measure of the work done.
    """

    def __init__(self):
        self.count = 0

    def __call__(self, name, dtype, shape, like):
        """Return a new tensor with the quantization of `like`."""
        tensor = Tensor(_FIRST_NUMBER + self.count, name, dtype, tuple(shape))
        self.count += 1
        if like.is_quantized:
            copy_quantization(like, tensor)
        return tensor


class SearchBudget:
    """Limits the number of TemporaryTensors of a search. There is no limit at first."""

    def __init__(self):
        self.tensors = TemporaryTensors()
        self._limit = inf

    def check(self):
        """Raise SearchLimitReached if more tensors exist than limited_to() allows."""
        if self.tensors.count > self._limit:
            raise SearchLimitReached

    @contextmanager
    def limited_to(self, count):
        """Allow `count` tensors, the existing ones included, within the with statement."""
        before, self._limit = self._limit, count
        try:
            yield
        finally:
            self._limit = before
