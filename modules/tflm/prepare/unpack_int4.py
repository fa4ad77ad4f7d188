# tflm: weights of int4 for int8 kernels: unpacked to a scratch buffer in each invoke, as in TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes

LAYOUT = ("input", "output")


# Replaces the packed tensor: the same tensor as int8, with its data in scratch.
class UnpackedTensor:
    def __init__(self, packed, operand):
        self._packed = packed
        self.word = operand.word  # operand of context.emit()
        self.dtype = dtypes.INT8

    # Shape and quantization are the same as in the packed tensor.
    def __getattr__(self, name):
        return getattr(self._packed, name)

    def nbytes(self):
        return self._packed.elements()

    def is_constant(self):
        return False

    def __str__(self):
        return str(self._packed)


# Return the node with weights of int8, which a record unpacks first.
def unpack_weights(context, node):
    weights = unpacked(context, node.input(1))
    return node.with_inputs([node.inputs[0], weights] + list(node.inputs[2:]))


# Return a packed tensor as int8 in scratch memory, which a record unpacks.
def unpacked(context, packed):
    size = packed.elements()
    tensor = UnpackedTensor(packed, context.request_scratch_buffer(size))
    context.emit("unpack_int4.eval_int4", LAYOUT, size, size, input=packed, output=tensor)
    return tensor
