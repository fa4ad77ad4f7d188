# tflm: the shape of each operator's outputs for the shapes of its inputs, for shapes.py
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import ModelError, UnsupportedError
from ..prepare.broadcast import broadcast_shape
from ..prepare.common import positive_axis, product
from ..prepare.convolution import window_of
from ..prepare.strided_slice import elements_along
from .shape_values import integers


# A shape like that of input 0, which ever operator of elements it is.
def _same(node):
    return [node.input(0).shape]


# Shapes by numpy's rules.
def _broadcast(node):
    shape = broadcast_shape([t.shape for t in node.inputs])
    if shape is None:
        raise ModelError("the inputs do not fit together")
    return [shape]


# The numbers of an input that must be known.
def _numbers(node, i):
    found = integers(node.input(i))
    if found is None:
        raise UnsupportedError(
            "the shape of its output depends on %s, which is known at run time only; convert the "
            "model with fixed shapes" % node.input(i).name
        )
    return found


# CONV_2D, DEPTHWISE_CONV_2D and pools: the fields of stride, window and dilation differ.
def _windows(node, padding, strides, window, dilation, channels):
    source = node.input(0).shape
    sides = [
        window_of(node, padding, source[1 + k], window[k], strides[k], dilation[k])[0]
        for k in (0, 1)
    ]
    return [(source[0], sides[0], sides[1], channels)]


def _conv(node):
    o, weights = node.options(1), node.input(1).shape
    strides, dilation = (o.get(2, "i"), o.get(1, "i")), (o.get(5, "i", 1), o.get(4, "i", 1))
    return _windows(node, o.get(0, "b"), strides, weights[1:3], dilation, weights[0])


def _depthwise_conv(node):
    o, weights = node.options(2), node.input(1).shape
    strides, dilation = (o.get(2, "i"), o.get(1, "i")), (o.get(6, "i", 1), o.get(5, "i", 1))
    return _windows(node, o.get(0, "b"), strides, weights[1:3], dilation, weights[3])


def _pool(node):
    o = node.options(5)
    strides, window = (o.get(2, "i"), o.get(1, "i")), (o.get(4, "i"), o.get(3, "i"))
    return _windows(node, o.get(0, "b"), strides, window, (1, 1), node.input(0).shape[3])


def _fully_connected(node):
    source, weights = node.input(0).shape, node.input(1).shape
    if node.options(8).get(2, "B"):
        return [source[:-1] + (weights[0],)]
    return [(product(source) // weights[1], weights[0])]


# The shape is input 1 or an option; one -1 in it stands for what is left. Where it is known at
# run time only, that of the file must do.
def _reshape(node):
    source, target = node.input(0), node.output(0)
    given = node.optional_input(1)
    if given is None:
        shape = list(node.options(17).numbers(0, "i")) or list(target.shape)
    elif integers(given) is None and target.elements() == source.elements():
        shape = list(target.shape)
    else:
        shape = _numbers(node, 1)
    if -1 in shape:
        rest = product([d for d in shape if d != -1])
        shape[shape.index(-1)] = source.elements() // rest if rest else 0
    if min(shape, default=0) < 0 or product(shape) != source.elements():
        raise ModelError("%s cannot have the shape %s" % (source, shape))
    return [shape]


def _squeeze(node):
    shape = node.input(0).shape
    axes = [a + len(shape) if a < 0 else a for a in node.options(30).numbers(0, "i")]
    return [[d for i, d in enumerate(shape) if not (i in axes if axes else d == 1)]]


def _expand_dims(node):
    shape = list(node.input(0).shape)
    shape.insert(positive_axis(node, _numbers(node, 1)[0], len(shape) + 1), 1)
    return [shape]


def _concatenation(node):
    shape = list(node.input(0).shape)
    axis = positive_axis(node, node.options(10).get(0, "i"), len(shape))
    shape[axis] = sum([t.shape[axis] for t in node.inputs])
    return [shape]


def _pack(node):
    shape = list(node.input(0).shape)
    axis = positive_axis(node, node.options(59).get(1, "i"), len(shape) + 1)
    shape.insert(axis, len(node.inputs))
    return [shape]


def _unpack(node):
    shape = list(node.input(0).shape)
    del shape[positive_axis(node, node.options(64).get(1, "i"), len(shape))]
    return [shape] * len(node.outputs)


def _split(node):
    shape = list(node.input(1).shape)
    axis = positive_axis(node, _numbers(node, 0)[0], len(shape))
    if shape[axis] % len(node.outputs):
        raise ModelError("%d elements cannot be split evenly" % shape[axis])
    shape[axis] //= len(node.outputs)
    return [shape] * len(node.outputs)


def _split_v(node):
    shape, sizes = list(node.input(0).shape), _numbers(node, 1)
    axis = positive_axis(node, _numbers(node, 2)[0], len(shape))
    if -1 in sizes:
        sizes[sizes.index(-1)] = shape[axis] - sum(sizes) - 1
    return [shape[:axis] + [size] + shape[axis + 1 :] for size in sizes]


def _transpose(node):
    return [[node.input(0).shape[i] for i in _numbers(node, 1)]]


def _slice(node):
    shape, size = node.input(0).shape, _numbers(node, 2)
    begin = _numbers(node, 1) if min(size, default=0) < 0 else ()
    return [[shape[i] - begin[i] if size[i] < 0 else size[i] for i in range(len(shape))]]


# One mask's bit `i` is for dimension `i`; what has no entry is taken whole.
def _strided_slice(node):
    shape, options, taken = node.input(0).shape, node.options(32), []
    begin, end, stride = [_numbers(node, i) for i in (1, 2, 3)]
    masks = [options.get(k, "i") for k in (0, 1, 4)]
    if options.get(2, "i") or options.get(3, "i"):
        return None
    for i in range(len(shape)):
        bits = [mask >> i & 1 for mask in masks]
        if i >= len(begin):
            taken.append(shape[i])
        elif not bits[2]:
            taken.append(elements_along(node, shape[i], begin[i], end[i], stride[i], bits)[1])
    return [taken]


def _gather(node):
    shape, indices, options = node.input(0).shape, node.input(1).shape, node.options(23)
    axis, batch = positive_axis(node, options.get(0, "i"), len(shape)), options.get(1, "i")
    return [shape[:axis] + indices[batch:] + shape[axis + 1 :]]


def _gather_nd(node):
    shape, indices = node.input(0).shape, node.input(1).shape
    return [indices[:-1] + shape[indices[-1] :]]


# Reductions and ARG_MAX: the options say whether reduced dimensions stay as 1.
def _reduce(node):
    shape = node.input(0).shape
    axes = [positive_axis(node, a, len(shape)) for a in _numbers(node, 1)]
    if node.options(27).get(0, "B"):
        return [[1 if i in axes else d for i, d in enumerate(shape)]]
    return [[d for i, d in enumerate(shape) if i not in axes]]


def _arg(node):
    shape = list(node.input(0).shape)
    del shape[positive_axis(node, _numbers(node, 1)[0], len(shape))]
    return [shape]


def _pad(node):
    shape, padding = node.input(0).shape, _numbers(node, 1)
    return [[d + padding[2 * i] + padding[2 * i + 1] for i, d in enumerate(shape)]]


def _resize(node):
    shape = node.input(0).shape
    return [shape[:1] + tuple(_numbers(node, 1)) + shape[3:]]


def _tile(node):
    return [[d * n for d, n in zip(node.input(0).shape, _numbers(node, 1))]]


# FILL: the numbers themselves; BROADCAST_TO, TRANSPOSE_CONV alike, at another input.
def _given(i):
    return lambda node: [_numbers(node, i)]


def _batch_matmul(node):
    left, right, options = node.input(0).shape, node.input(1).shape, node.options(101)
    rows = left[-1] if options.get(0, "b") else left[-2]
    columns = right[-2] if options.get(1, "b") else right[-1]
    batch = broadcast_shape([left[:-2], right[:-2]]) if len(left) + len(right) > 4 else ()
    return [tuple(batch) + (rows, columns)]


def _range(node):
    start, limit, delta = [_numbers(node, i)[0] for i in (0, 1, 2)]
    return [(max(0, (limit - start + delta - (1 if delta > 0 else -1)) // delta),)]


def _one_hot(node):
    shape, axis = list(node.input(0).shape), node.options(61).get(0, "i")
    shape.insert(len(shape) if axis == -1 else axis, _numbers(node, 1)[0])
    return [shape]


def _topk(node):
    shape = node.input(0).shape[:-1] + (_numbers(node, 1)[0],)
    return [shape, shape]


def _lstm(node):
    return [node.input(0).shape[:-1] + node.output(0).shape[-1:]]


def _depth_to_space(node):
    shape, size = node.input(0).shape, node.options(94).get(0, "i")
    return [(shape[0], shape[1] * size, shape[2] * size, shape[3] // size // size)]


def _space_to_depth(node):
    shape, size = node.input(0).shape, node.options(19).get(0, "i")
    return [(shape[0], shape[1] // size, shape[2] // size, shape[3] * size * size)]


_RULES = (
    (_same, (8, 11, 14, 19, 20, 21, 25, 28, 47, 50, 51, 53, 59, 66, 73, 75, 76, 6, 87, 92, 93)),
    (_same, (98, 101, 104, 105, 108, 111, 112, 114, 116, 117, 128, 150, 151, 152)),
    (_same, (158,)),
    (_broadcast, (0, 18, 41, 42, 54, 55, 57, 58, 61, 62, 63, 64, 71, 72, 78, 84, 86, 90, 95)),
    (_broadcast, (99, 106, 123)),
    (_conv, (3,)),
    (_depthwise_conv, (4,)),
    (_pool, (1, 12, 17)),
    (_fully_connected, (9,)),
    (_reshape, (22,)),
    (_squeeze, (43,)),
    (_expand_dims, (70,)),
    (_concatenation, (2,)),
    (_pack, (83,)),
    (_unpack, (88,)),
    (_split, (49,)),
    (_split_v, (102,)),
    (_transpose, (39,)),
    (_slice, (65,)),
    (_strided_slice, (45,)),
    (_gather, (36,)),
    (_gather_nd, (107,)),
    (_reduce, (40, 74, 81, 82, 89, 91, 140)),
    (_arg, (56, 79)),
    (_pad, (34, 60, 100)),
    (_resize, (23, 97)),
    (_tile, (69,)),
    (_given(0), (67, 94)),
    (_given(1), (130,)),
    (_batch_matmul, (126,)),
    (_range, (96,)),
    (_one_hot, (85,)),
    (_topk, (48,)),
    (_lstm, (44,)),
    (_depth_to_space, (5,)),
    (_space_to_depth, (26,)),
)


# The rule of a builtin operator: a function of a node that gives a shape for each output, None
# where that cannot be told. None for operators without a rule.
def rule_of(code):
    for rule, codes in _RULES:
        if code in codes:
            return rule
    return None
