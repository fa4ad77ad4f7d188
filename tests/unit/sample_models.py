# Small models for the tests of the runtime: a classifier, a model with state, a custom operator
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.single_op import Tensor, single_op


# int8 classifier: FULLY_CONNECTED with RELU, FULLY_CONNECTED, SOFTMAX; `width` hidden values.
def classifier(width=20, inputs=12, outputs=4, seed=20, batch=1):
    rng = np.random.default_rng(seed)
    model = ModelBuilder()

    def weights(*shape):
        return model.tensor(
            shape, "int8", rng.integers(-127, 128, shape), scale=0.01, zero_point=0
        )

    def bias(count, scale):
        values = rng.integers(-500, 500, count)
        return model.tensor((count,), "int32", values, scale=scale, zero_point=0)

    x = model.tensor((batch, inputs), "int8", scale=0.02, zero_point=-5, name="x")
    hidden = model.tensor((batch, width), "int8", scale=0.03, zero_point=-128)
    logits = model.tensor((batch, outputs), "int8", scale=0.05, zero_point=0)
    y = model.tensor((batch, outputs), "int8", scale=1 / 256, zero_point=-128, name="y")
    relu = {"fused_activation_function": "RELU"}
    model.operator(
        "FULLY_CONNECTED", [x, weights(width, inputs), bias(width, 2e-4)], [hidden], **relu
    )
    last = [hidden, weights(outputs, width), bias(outputs, 3e-4)]
    model.operator("FULLY_CONNECTED", last, [logits])
    model.operator("SOFTMAX", [logits], [y], beta=1.0)
    model.io([x], [y])
    return model.build()


# A model with state: a variable of `count` int32 adds up its inputs; the output is the sum.
def counter(count=5):
    model = ModelBuilder()
    x = model.tensor((count,), "int32", name="x")
    total = model.tensor((count,), "int32", variable=True, name="total")
    y = model.tensor((count, 1), "int32", name="y")
    model.operator("ADD", [x, total], [total])
    model.operator("RESHAPE", [total], [y])
    model.io([x], [y])
    return model.build()


# A model of one custom operator, float32 in and out.
def custom(options=None, name="Atan", shape=(6,)):
    options = {"gain": 2.5, "names": ["a", "b"]} if options is None else options
    return single_op(name, [Tensor(shape, "float32")], [Tensor(shape, "float32")], custom=options)
