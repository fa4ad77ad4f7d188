# tflm: operators that Prepare splits into several, for which kernels exist
# MIT license; Copyright (c) 2026 the tflm authors


# A tensor in a scratch buffer, with the quantization of another tensor.
class ScratchTensor:
    # operand: of the scratch buffer. dtype: by default the other tensor's.
    def __init__(self, like, shape, operand, dtype=None):
        self._tensor = with_shape(like, shape)
        self._tensor.data = None
        if dtype is not None:
            self._tensor.dtype = dtype
        self.word = operand.word

    def __getattr__(self, name):
        return getattr(self._tensor, name)

    def __str__(self):
        return str(self._tensor)


# Some numbers of a vector of scales or zero points.
class _Numbers:
    def __init__(self, vector, first, count):
        self._vector, self._first, self._count = vector, first, count

    def __len__(self):
        return self._count

    def number(self, i, kind):
        return self._vector.number(self._first + i, kind)


# Return a copy of a node with other inputs, another output and default options.
def sub_node(node, inputs, target):
    sub = node.with_inputs(inputs)
    sub.outputs = [target]
    sub.clamp = node.clamp
    return sub


# Return a tensor with the same bytes and quantization.
def with_shape(tensor, shape):
    own = tensor.with_shape(shape)
    own.is_variable = tensor.is_variable
    if tensor.is_quantized:
        own.set_quantization(*tensor.quantization())
    return own


# Return a constant tensor with other bytes and the same quantization.
def with_data(tensor, shape, data):
    own = with_shape(tensor, shape)
    own.data = data
    return own


# Return `count` channels of constant weights or of a bias, along its first dimension.
def channels_of(tensor, first, count):
    size = tensor.nbytes() // tensor.shape[0]
    data = bytes(memoryview(tensor.data)[first * size : (first + count) * size])
    own = with_data(tensor, (count,) + tuple(tensor.shape[1:]), data)
    if tensor.is_quantized:
        scales, zero_points, dimension = tensor.quantization()
        if len(scales) > 1:
            scales = _Numbers(scales, first, count)
        if zero_points and len(zero_points) > 1:
            zero_points = _Numbers(zero_points, first, count)
        own.set_quantization(scales, zero_points, dimension)
    return own
