# An example: the custom operator Atan, y = atan(x + offset), in plain Python
# MIT license; Copyright (c) 2026 the tflm authors

import math

import tflm


# What the resolver gets: an object with the functions of the operator.
class Atan:
    # Once, first of all: `options` is what the converter wrote; the result becomes node.data.
    def init(self, context, options):
        return (options or {}).get("offset", 0.0)

    # Once, when shapes and types are known: check them, ask for memory.
    def prepare(self, context, node):
        x, y = node.inputs[0], node.outputs[0]
        if x.dtype != tflm.dtypes.FLOAT32 or y.dtype != x.dtype or x.shape != y.shape:
            raise tflm.UnsupportedError("Atan needs float32 of one shape; convert without int8")

    # In each invoke().
    def invoke(self, context, node):
        x, y = node.inputs[0].data, node.outputs[0].data
        offset = node.data
        for i in range(len(x)):
            y[i] = math.atan(x[i] + offset)

    # When the interpreter is freed: `data` is what init returned.
    def free(self, context, data):
        pass


# `tflm flatten --custom atan.py` calls this, and so may your program.
def register(resolver):
    resolver.add_custom("Atan", Atan())
