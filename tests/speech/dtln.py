# Builds networks of DTLN's kind, which suppress noise, with random weights
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.inputs import generator

# Names of the gates in the order in which Keras stores them.
_CURVES = ("LOGISTIC", "LOGISTIC", "TANH", "LOGISTIC")


class Dtln:
    """One of the two halves of DTLN, as TensorFlow converts it: one block, states as inputs.

    half: 1 masks the bins of a spectrum, 2 masks features of a block of sound. size: bins, or
    samples of the block. units: of both LSTM layers. features: of half 2. is_hybrid: weights of
    int8 and activations of float32 (dynamic range).

    Source: Westhausen and Meyer, Dual-Signal Transformation LSTM Network (Interspeech 2020).
    """

    def __init__(self, half, size=None, units=128, features=256, is_hybrid=False):
        self.builder, self.units, self.is_hybrid = ModelBuilder(f"dtln {half}"), units, is_hybrid
        self.random = generator(f"dtln {half} {size} {units}")
        self.size = size or (257, 512)[half - 1]
        self.block = self.tensor((1, 1, self.size), name="block")
        self.states = self.tensor((1, 2, units, 2), name="states")
        x = self.block if half == 1 else self._conv(self.block, self.size, features)
        width, coded = (self.size, None) if half == 1 else (features, x)
        if coded is not None:
            x = self._norm(x, features)
        x, kept = self.reshaped(x, (1, width)), []
        for layer in range(2):
            x, *state = self._lstm(x, units if layer else width, layer)
            kept.append(state)
        mask = self.add("LOGISTIC", [self._dense(x, units, width, True)], (1, width))
        output = mask = self.reshaped(mask, (1, 1, width))
        if coded is not None:
            output = self.add("MUL", [mask, coded], (1, 1, width))
            output = self._conv(output, width, self.size)
        self.builder.io([self.block, self.states], [output, self._joined(kept)])

    def tensor(self, shape, data=None, dtype="float32", **options):
        return self.builder.tensor(shape, dtype, data, **options)

    def add(self, name, inputs, shape, **options):
        output = self.tensor(shape)
        self.builder.operator(name, inputs, [output], **options)
        return output

    def numbers(self, *values):
        return self.tensor((len(values),), values, "int32")

    def reshaped(self, x, shape):
        return self.add("RESHAPE", [x, self.numbers(*shape)], shape)

    def row(self, size, mean=0.0):
        return self.tensor((size,), self.random.normal(mean, 0.1, size))

    def weights(self, shape):
        values = self.random.normal(0, shape[-1] ** -0.5, shape)
        if not self.is_hybrid:
            return self.tensor(shape, values)
        # CONV_2D has a scale for each filter, FULLY_CONNECTED one for all.
        axes = tuple(range(1, len(shape))) if len(shape) == 4 else None
        scale = np.abs(values).max(axis=axes, keepdims=True) / 127
        return self.tensor(
            shape, np.round(values / scale), "int8", scale=scale.reshape(-1), zero_point=0,
        )  # fmt: skip

    # Conv1D with a kernel of one sample.
    def _conv(self, x, size, filters):
        x = self.add("EXPAND_DIMS", [x, self.tensor((), 1, "int32")], (1, 1, 1, size))
        inputs = [
            x,
            self.weights((filters, 1, 1, size)),
            self.tensor((filters,), np.zeros(filters)),
        ]
        x = self.add(
            "CONV_2D", inputs, (1, 1, 1, filters), stride_h=1, stride_w=1, padding="VALID"
        )
        return self.add("SQUEEZE", [x], (1, 1, filters), squeeze_dims=[1])

    # The norm over the channels of a block.
    def _norm(self, x, size):
        def mean(y):
            return self.add("MEAN", [y, self.numbers(-1)], (1, 1, 1), keep_dims=True)

        shape = 1, 1, size
        x = self.add("SUB", [x, mean(x)], shape)
        variance = mean(self.add("SQUARE", [x], shape))
        variance = self.add("ADD", [variance, self.tensor((), 1e-7)], (1, 1, 1))
        x = self.add("DIV", [x, self.add("SQRT", [variance], (1, 1, 1))], shape)
        x = self.add("MUL", [x, self.row(size, 1.0)], shape)
        return self.add("ADD", [x, self.row(size)], shape)

    def _dense(self, x, size, units, has_bias=False):
        inputs = [x, self.weights((units, size)), self.row(units) if has_bias else None]
        return self.add(
            "FULLY_CONNECTED", inputs, (1, units), asymmetric_quantize_inputs=self.is_hybrid
        )

    # Number `i` of the states of a layer.
    def _slice(self, layer, i):
        numbers = (0, layer, 0, i), (0, layer + 1, 0, i + 1), (1, 1, 1, 1)
        inputs = [self.states, *(self.numbers(*each) for each in numbers)]
        return self.add(
            "STRIDED_SLICE", inputs, (1, self.units), begin_mask=5, end_mask=5,
            shrink_axis_mask=10,
        )  # fmt: skip

    # (output, state, cell) of an unrolled LSTM of one step.
    def _lstm(self, x, size, layer):
        units = self.units
        state, cell = (self._slice(layer, i) for i in range(2))
        gates = [self._dense(x, size, 4 * units), self._dense(state, units, 4 * units)]
        gates = self.add("ADD", gates, (1, 4 * units))
        gates = self.add("ADD", [gates, self.row(4 * units)], (1, 4 * units))
        split = [self.tensor((1, units)) for _ in range(4)]
        axis = self.tensor((), 1, "int32")
        self.builder.operator("SPLIT", [axis, gates], split, num_splits=4)
        opened, kept, new, shown = (
            self.add(name, [gate], (1, units)) for name, gate in zip(_CURVES, split, strict=True)
        )
        products = [self.add("MUL", each, (1, units)) for each in ((kept, cell), (opened, new))]
        cell = self.add("ADD", products, (1, units))
        output = self.add("MUL", [shown, self.add("TANH", [cell], (1, units))], (1, units))
        return output, output, cell

    # The states of both layers, as the next block reads them.
    def _joined(self, kept):
        units, found = self.units, []
        for states in zip(*kept, strict=True):
            packed = self.add("PACK", states, (2, 1, units), values_count=2, axis=0)
            found.append(self.reshaped(packed, (1, 2, units)))
        return self.add("PACK", found, (1, 2, units, 2), values_count=2, axis=3)

    def build(self):
        return self.builder.build()

    def blocks(self, count):
        """Return the blocks of `count` runs."""
        return [self.random.normal(0, 1, (1, 1, self.size)).astype("f") for _ in range(count)]
