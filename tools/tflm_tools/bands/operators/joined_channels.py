# tflm_tools: copies channels that were computed separately beside the others of their pixels
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from math import prod

from tflm import dtypes
from tflm.prepare.strided import STRIDED

from ...model.schema import BuiltinOperator
from .partial_operator import PartialOperator


class JoinedChannels(PartialOperator):
    """One input of a CONCATENATION along the last dimension, which is copied by itself.

    inputs: the channels, and the output if other copies wrote to it before: these bytes stay.
    first: the number of the first channel. The record has the same number of words for any number
    of rows, so bands can share it.
    """

    def __init__(self, whole, inputs, outputs, first):
        super().__init__(whole, inputs, outputs)
        self.builtin_code = BuiltinOperator.CONCATENATION
        self.first = first

    def prepare(self, context):
        """Write the record of the copy."""
        source, target = self.inputs[0], self.outputs[0]
        item = dtypes.itemsize(source.dtype)
        size, step = source.shape[-1] * item, target.shape[-1] * item
        pixels = prod(source.shape[:-1])
        context.emit(
            "strided_copy.eval", STRIDED, pixels, pixels * (2 + size),
            table=struct.pack("<6i", pixels, size, step, 1, 0, 0),
            input=source, output=target, input_offset=0, output_offset=self.first * item,
            size=size, loops=2,
        )  # fmt: skip
