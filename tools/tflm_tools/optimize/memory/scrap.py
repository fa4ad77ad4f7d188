# tflm_tools: Scrap: tensors that no graph knows of, for a look at what runs in bands
# MIT license; Copyright (c) 2026 the tflm authors

from contextlib import contextmanager
from math import inf

from tflm.tflite.graph import Tensor

from ...model.graph import copy_quantization

_FIRST = 1 << 24  # of their numbers


class TakesLong(Exception):
    """A search has looked at as much as it may."""


class Scrap:
    """Makes tensors: called with name, dtype and shape, and a tensor that is quantized alike.

    made: how many there are by now, which tells how much has been looked at.
    """

    def __init__(self):
        self.made, self._most = 0, inf

    def __call__(self, name, dtype, shape, like):
        tensor = Tensor(_FIRST + self.made, name, dtype, tuple(shape))
        self.made += 1
        if like.is_quantized:
            copy_quantization(like, tensor)
        return tensor

    def check(self):
        """Raise TakesLong where at_most() does not allow more."""
        if self.made > self._most:
            raise TakesLong

    @contextmanager
    def at_most(self, made):
        """So many tensors may be made, before inside and behind; then check() raises TakesLong."""
        before, self._most = self._most, made
        try:
            yield
        finally:
            self._most = before
