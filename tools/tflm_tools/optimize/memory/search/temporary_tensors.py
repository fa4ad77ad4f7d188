# tflm_tools: TemporaryTensors: tensors of measured schedules, whose number limits a search
# MIT license; Copyright (c) 2026 the tflm authors

from math import inf

from tflm.tflite.graph import Tensor

from ....model.graph import copy_quantization

_FIRST_NUMBER = 1 << 24  # larger than all numbers of tensors in a model


class SearchLimitReached(Exception):
    """A search has made as many TemporaryTensors as it may."""


class TemporaryTensors:
    """Makes tensors that belong to no graph, for chains that are written only to be measured.

    count: how many there are by now, a measure of the work done. limit: how many there may be.
    """

    def __init__(self):
        self.count, self.limit = 0, inf

    def __call__(self, name, dtype, shape, like):
        """Return a new tensor with the quantization of `like`.

        Raises SearchLimitReached if there are more than `limit` tensors.
        """
        if self.count > self.limit:
            raise SearchLimitReached
        tensor = Tensor(_FIRST_NUMBER + self.count, name, dtype, tuple(shape))
        self.count += 1
        if like.is_quantized:
            copy_quantization(like, tensor)
        return tensor
