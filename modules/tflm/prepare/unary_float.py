# tflm: unary operators of float32: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .common import FLOAT_WORK, check

UNARY = ("input", "output")
ACTIVATIONS = UNARY + ("low", "high")
LEAKY_RELU = UNARY + ("alpha",)
HARD_SWISH = UNARY + ("three", "zero", "six")

_THREE, _SIX = 0x40400000, 0x40C00000
_INFINITY = 0x7F800000


# Write the record of an elementwise operator; `steps` is the work of an element in
# multiply-accumulates.
def emit_unary(context, node, kernel, steps, layout=UNARY, **fields):
    source, target = node.input(0), node.output(0)
    check(
        source.elements() == target.elements(),
        node,
        "%s and %s differ in their number of elements" % (source, target),
    )
    context.emit(
        kernel + ".eval_float32",
        layout,
        source.elements(),
        source.elements() * steps * FLOAT_WORK,
        input=source,
        output=target,
        **fields,
    )


# LOGISTIC.
def emit_logistic(context, node):
    emit_unary(context, node, "logistic_float", 3)


# TANH.
def emit_tanh(context, node):
    emit_unary(context, node, "tanh_float", 3)


# RELU, or RELU6, which has an upper limit.
def emit_relu(context, node, relu6):
    emit_clamp(context, node, 0, _SIX if relu6 else _INFINITY)


# An activation with two limits, bits of float32.
def emit_clamp(context, node, low, high):
    emit_unary(context, node, "activations_float", 1, ACTIVATIONS, low=low, high=high)


# LEAKY_RELU; `alpha` is the bits of a float32.
def emit_leaky_relu(context, node, alpha):
    emit_unary(context, node, "leaky_relu_float", 2, LEAKY_RELU, alpha=alpha)


# HARD_SWISH.
def emit_hard_swish(context, node):
    fields = {"three": _THREE, "zero": 0, "six": _SIX}
    emit_unary(context, node, "hard_swish_float", 5, HARD_SWISH, **fields)
