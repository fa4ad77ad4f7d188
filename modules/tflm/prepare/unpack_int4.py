# tflm: weights of int4 for kernels of int8: unpacked to a scratch buffer at each run, as in TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes

LAYOUT = ("input", "output")


# What takes the place of the packed tensor: the same one as int8, with its data in scratch.
class UnpackedTensor:
    def __init__(self, packed, operand):
        self._packed = packed
        self.word = operand.word  # what context.emit() takes as an operand
        self.dtype = dtypes.INT8

    # The rest is as it was: shape and quantization.
    def __getattr__(self, name):
        return getattr(self._packed, name)

    def nbytes(self):
        return self._packed.elements()

    def is_constant(self):
        return False

    def __str__(self):
        return str(self._packed)


# The node as it is with weights of int8, which a record unpacks first.
def unpack_weights(context, node):
    packed = node.input(1)
    size = packed.elements()
    weights = UnpackedTensor(packed, context.request_scratch_buffer(size))
    context.emit("unpack_int4.eval_int4", LAYOUT, size, size, input=packed, output=weights)
    return node.with_inputs([node.inputs[0], weights] + list(node.inputs[2:]))
