# tflm: ADD and SUB, int8, with a table for one input: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .broadcast import check_broadcast
from .common import REQUANTIZE, requantize_table
from .lanes import IN_PLACE

TABLE = (
    "input1",
    "input2",
    "output",
    "lookup",  # for each byte of input 2 a word: its part of the sum
    "unused",
    "factor",  # of input 1
) + REQUANTIZE

_WORK = 12  # of an element, in multiply-accumulates


# Emit the operator with the `inputs`, `fields` and `output` multiplier of add.py. Return False if
# the inputs do not have the output's shape.
def emit(context, node, inputs, fields, output, low, high):
    target = node.output(0)
    check_broadcast(node, inputs, target)
    elements = target.elements()
    if not elements or context.packing.get(node.index) == IN_PLACE:
        return False
    if any([tensor.shape != target.shape for tensor in inputs]):
        return False
    zero1, zero2 = inputs[0].zero_point(), inputs[1].zero_point()
    words = []
    for byte in range(256):
        value = (byte ^ 0x80) - 0x80
        value = ((value - zero2) * fields["multiplier"] + 0x400) >> 11
        e = fields["shift"]
        if e:
            value = ((value - (value < 0)) >> (e - 1)) + 1 >> 1
        words.append(value * fields["factor2"] - zero1 * fields["factor1"])
    context.emit(
        "add_table.eval_int8",
        TABLE,
        elements,
        elements * _WORK,
        table=requantize_table([output]),
        input1=inputs[0],
        input2=inputs[1],
        output=target,
        lookup=context.constant(struct.pack("<256i", *words)),
        unused=0,
        factor=fields["factor1"],
        output_zero_point=target.zero_point(),
        activation_min=low,
        activation_max=high,
        per_channel=0,
        channels=1,
    )
    return True
