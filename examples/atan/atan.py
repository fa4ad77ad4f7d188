# Example of a custom operator: Atan, y = atan(x + offset), in plain Python
# MIT license; Copyright (c) 2026 the tflm authors

import math

import tflm


class Atan:
    """The registration of the operator, for OpResolver.add_custom()."""

    def init(self, context, options):
        """Return node.data. Called first; `options` come from the model."""
        return (options or {}).get("offset", 0.0)

    def prepare(self, context, node):
        """Check shapes and types, request memory. Called once."""
        x, y = node.inputs[0], node.outputs[0]
        if x.dtype != tflm.dtypes.FLOAT32 or y.dtype != x.dtype or x.shape != y.shape:
            raise tflm.UnsupportedError("Atan needs float32 of one shape; convert without int8")

    def invoke(self, context, node):
        """Compute the output. Called by each invoke()."""
        x, y = node.inputs[0].data, node.outputs[0].data
        offset = node.data
        for i in range(len(x)):
            y[i] = math.atan(x[i] + offset)

    def free(self, context, data):
        """Release what init() returned. Called by Interpreter.free()."""


def register(resolver):
    """Add the operator to a resolver; `tflm flatten --custom atan.py` calls this, too."""
    resolver.add_custom("Atan", Atan())
