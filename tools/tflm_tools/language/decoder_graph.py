# tflm_tools: decoder_graph: writes a Llama-type model as a .tflite that computes one token a run
# MIT license; Copyright (c) 2026 the tflm authors

import math

import numpy as np
from tflm.text import vocabulary as layout

from .decoder import rotations
from .tflite_writer import TfliteWriter

INT8, FLOAT32, DYNAMIC = "int8", "float32", "dynamic"
TOKEN, POSITION, LOGITS = "token", "position", "logits"

# A wider residual stream stays in float32: the int8 form of L2_NORMALIZATION has 128 steps up to
# 1, and each of n normalized values is about 1 / sqrt(n).
_MAX_INT8_DIM = 96
_LARGEST_FALL = 24  # a score this far below the best, in nats, has a weight of 0 anyway
_LOWEST_SILU = -0.2785
_FLOAT_MASK = -1e9
_FLOAT = None  # the quantization of a float32 tensor


def build(checkpoint, ranges, precision, positions, vocabulary):
    """Return the bytes of the .tflite of a Checkpoint.

    The model has two inputs, the number of a token and its position, and one output, the logits of
    the next token. Keys and values of earlier tokens are resource variables. Operators are
    standard ones:
    1. GATHER reads the embedding and the rotation of the position.
    2. Each layer normalizes (L2_NORMALIZATION; the gain is a factor of the weights after it),
       computes queries and keys (FULLY_CONNECTED) and rotates them (BATCH_MATMUL of pairs).
    3. DYNAMIC_UPDATE_SLICE writes the key and the value into the variables. BATCH_MATMUL,
    SELECT_V2    with a mask of the positions, SOFTMAX and BATCH_MATMUL are the attention.
    4. The feed-forward network, and at the end the classifier, are FULLY_CONNECTED.

    ranges: the Ranges of the tensors, for INT8. precision: INT8, FLOAT32 or DYNAMIC (int8 weights,
    float32 activations). positions: the longest text. vocabulary: Tokens.pack().
    """
    return _DecoderGraph(checkpoint, ranges, precision, positions).build(vocabulary)


def cache_bytes(checkpoint, precision, positions):
    """Return the bytes of the keys and values of a model with this number of positions."""
    width = 1 if precision == INT8 else 4
    kv = checkpoint.kv_heads * _cache_size(checkpoint.head_dim, precision)
    return 2 * checkpoint.layers * _cache_size(positions, precision) * kv * width


# The head size and the number of positions of caches. The int8 step that ends attention at the
# position reads words of four.
def _cache_size(size, precision):
    return (size + 3) // 4 * 4 if precision == INT8 else size


# The rows of a matrix with `size` rows for each head; the additional ones are zeros.
def _with_head_size(weights, heads, size):
    rows = weights.reshape(heads, -1, weights.shape[-1])
    rows = np.pad(rows, ((0, 0), (0, size - rows.shape[1]), (0, 0)))
    return rows.reshape(heads * size, -1)


class _DecoderGraph:
    """Builds the graph. A quantization is (scale, zero point), or None for float32."""

    def __init__(self, checkpoint, ranges, precision, positions):
        self.model, self.ranges, self.precision = checkpoint, ranges, precision
        self.positions = _cache_size(positions, precision)
        self.head_size = _cache_size(checkpoint.head_dim, precision)
        self.is_int8 = precision == INT8
        self.is_wide = checkpoint.dim > _MAX_INT8_DIM
        self.file = TfliteWriter("language model written by tflm convert")
        self.quantization = {}  # of the tensors
        self._integers = {}  # constants of int32 by their values
        self._norm_floor = None  # a constant

    def build(self, vocabulary):
        self.token = self.file.tensor([1], "int32", TOKEN)
        self.position = self.file.tensor([1], "int32", POSITION)
        self._prepare_positions()
        x = self._embedded()
        for layer in range(self.model.layers):
            x = self._attention(x, layer)
            x = self._feed_forward(x, layer)
        h = self._norm(x, "final", 0)
        weights = self.model.classifier * self._gain(self.model.weights["final_norm"])
        logits = self._dense(h, weights, LOGITS, self._symmetric("logits"))
        return self.file.finish([self.token, self.position], [logits], {layout.NAME: vocabulary})

    # Tensors.

    # The quantization of a tensor without zero point; `factor` multiplies its values.
    def _symmetric(self, name, layer=0, factor=1.0):
        return (self.ranges.largest(name, layer) * factor / 127, 0) if self.is_int8 else _FLOAT

    def _tensor(self, shape, name, quantization, data=None):
        if quantization is _FLOAT:
            tensor = self.file.tensor(shape, "float32", name, data=data)
        else:
            tensor = self.file.tensor(shape, "int8", name, *quantization, data=data)
        self.quantization[tensor] = quantization
        return tensor

    # A constant, quantized without zero point if `scale` is given.
    def _constant(self, values, name, scale=None):
        if scale is None:
            return self._tensor(values.shape, name, _FLOAT, values)
        steps = np.clip(np.round(values / scale), -127, 127)
        return self._tensor(values.shape, name, (scale, 0), steps)

    def _int32(self, *values):
        if values not in self._integers:
            name = "integers_" + "_".join(map(str, values[:4]))
            shape = [len(values)]
            self._integers[values] = self.file.tensor(shape, "int32", name, data=values)
        return self._integers[values]

    # Add an operator with one output; returns the output.
    def _add(self, name, inputs, shape, quantization, label, table=None, **options):
        output = self._tensor(shape, label, quantization)
        self.file.operator(name, inputs, [output], table=table, **options)
        return output

    def _reshaped(self, x, shape, label):
        inputs = [x, self._int32(*shape)]
        return self._add(
            "RESHAPE", inputs, shape, self.quantization[x], label, "ReshapeOptions", newShape=shape
        )

    def _converted(self, x, shape, quantization, label):
        if self.quantization[x] == quantization:
            return x
        name = "DEQUANTIZE" if quantization is _FLOAT else "QUANTIZE"
        return self._add(name, [x], shape, quantization, label)

    # FULLY_CONNECTED with weights [outputs, inputs], which have a scale for each output.
    def _dense(self, x, weights, label, quantization):
        if self.precision == FLOAT32:
            constant = self._constant(weights, label + "_weights")
        else:
            scales = np.maximum(np.abs(weights).max(1), 1e-9) / 127
            steps = np.clip(np.round(weights / scales[:, None]), -127, 127)
            constant = self.file.tensor(
                weights.shape, "int8", label + "_weights", scales, data=steps
            )
        output = self._tensor([1, len(weights)], label, quantization)
        self.file.operator(
            "FULLY_CONNECTED",
            [x, constant, None],
            [output],
            version=4 if self.is_int8 else 9 if self.precision == DYNAMIC else 1,
            table="FullyConnectedOptions",
            keepNumDims=True,
        )
        return output

    def _products(self, left, right, shape, quantization, label):
        return self._add(
            "BATCH_MATMUL",
            [left, right],
            shape,
            quantization,
            label,
            "BatchMatMulOptions",
            adjY=True,
        )

    # Factors of the weights after a norm: the gain, and sqrt(dim), because L2_NORMALIZATION
    # divides by the root of the sum instead of the mean.
    def _gain(self, gain):
        return gain[None] * np.float32(math.sqrt(self.model.dim))

    # Layers.

    # The rotation, mask and places of keys and values for the position.
    def _prepare_positions(self):
        zero, model, count = self._int32(0), self.model, self.positions
        self.key_begin = self.file.tensor([3], "int32", "key_begin")
        self.value_begin = self.file.tensor([3], "int32", "value_begin")
        concatenation = {"table": "ConcatenationOptions", "axis": 0}
        self.file.operator(
            "CONCATENATION", [zero, self.position, zero], [self.key_begin], **concatenation
        )
        self.file.operator(
            "CONCATENATION",
            [self._int32(0, 0), self.position],
            [self.value_begin],
            **concatenation,
        )
        half = self.head_size // 2
        frequencies = model.theta ** -(np.arange(half) * 2 / model.head_dim)
        cos, sin = rotations(frequencies, 0, count)
        table = np.stack([cos, -sin, sin, cos], -1).reshape(count, -1)
        table = self._constant(table, "rotations", 1 / 127 if self.is_int8 else None)
        rotation = self._gathered(table, self.position, 4 * half, "rotation_row")
        self.rotation = self._reshaped(rotation, [half, 2, 2], "rotation")
        numbers = self.file.tensor([1, 1, count], "int32", "positions", data=np.arange(count))
        self.is_past = self.file.tensor([1, 1, count], "bool", "is_past")
        self.file.operator("LESS_EQUAL", [numbers, self.position], [self.is_past])

    def _gathered(self, table, index, width, label):
        return self._add(
            "GATHER", [table, index], [1, width], self.quantization[table], label, "GatherOptions"
        )

    def _embedded(self):
        values = self.model.weights["embedding"]
        scale = None if self.precision == FLOAT32 else float(np.abs(values).max() / 127)
        table = self._constant(values, "embedding", scale)
        x = self._gathered(table, self.token, self.model.dim, "embedded")
        if self.is_int8 and not self.is_wide:
            return x
        return self._converted(x, [1, self.model.dim], _FLOAT, "embedded_float")

    # The value that keeps the root of a norm away from 0.
    def _floor(self):
        if self._norm_floor is None:
            value = math.sqrt(self.model.dim * self.model.epsilon)
            self._norm_floor = self._constant(np.array([[value]]), "norm_floor")
        return self._norm_floor

    # x / sqrt(the sum of its squares + dim * epsilon). In float32 x has one value more during the
    # norm, sqrt(dim * epsilon). In int8 that is less than a step of x, or few.
    def _norm(self, x, name, layer):
        shape, label = [1, self.model.dim], f"{name}_{layer}_norm"
        if self.quantization[x]:
            return self._add("L2_NORMALIZATION", [x], shape, (1 / 128, 0), label, "L2NormOptions")
        y, longer = self._floor(), [1, self.model.dim + 1]
        options = {"table": "ConcatenationOptions", "axis": 1}
        y = self._add("CONCATENATION", [x, y], longer, _FLOAT, label + "_longer", **options)
        y = self._add("L2_NORMALIZATION", [y], longer, _FLOAT, label + "_all", "L2NormOptions")
        inputs = [y, self._int32(0, 0), self._int32(*shape)]
        y = self._add("SLICE", inputs, shape, _FLOAT, label, "SliceOptions")
        if not self.is_int8:
            return y
        quantization = self._symmetric(name, layer, 1 / math.sqrt(self.model.dim))
        return self._converted(y, shape, quantization, label + "_int8")

    def _sum(self, x, y, label):
        shape, quantization = [1, self.model.dim], _FLOAT
        if self.is_int8 and not self.is_wide:
            quantization = self.ranges.largest_of_all("residual") / 127, 0
        y = self._converted(y, shape, quantization, label + "_float") if self.is_wide else y
        return self._add("ADD", [x, y], shape, quantization, label, "AddOptions")

    def _attention(self, x, layer):
        model, w = self.model, self.model.weights
        kv, group, head = model.kv_heads, model.heads // model.kv_heads, self.head_size
        label = f"layer_{layer}_"
        h = self._norm(x, "attention_input", layer)
        gain = self._gain(w["attention_norm"][layer])
        # Queries get the range of keys, so that both are one tensor; SOFTMAX's beta undoes this.
        factor = 1.0
        if self.is_int8:
            factor = self.ranges.largest("key", layer) / self.ranges.largest("query", layer)
        beta = 1 / (factor * math.sqrt(model.head_dim))
        weights = np.concatenate([w["query"][layer] * np.float32(factor), w["key"][layer]]) * gain
        heads, like = model.heads + kv, self._symmetric("key", layer)
        weights = _with_head_size(weights, heads, head)
        weights = weights.reshape(heads, head // 2, 2, -1).swapaxes(0, 1).reshape(heads * head, -1)
        qk = self._dense(h, weights, label + "query_key", like)
        qk = self._reshaped(qk, [head // 2, heads, 2], label + "pairs")
        # The rotation is the left matrix: BATCH_MATMUL is faster with few long rows.
        qk = self._products(self.rotation, qk, [head // 2, 2, heads], like, label + "rotated")
        inputs = [qk, self._int32(2, 0, 1)]
        qk = self._add("TRANSPOSE", inputs, [heads, head // 2, 2], like, label + "heads")
        qk = self._reshaped(qk, [heads, head], label + "query_key_heads")
        q, k = (
            self._tensor([n, head], label + each, like)
            for n, each in ((model.heads, "q"), (kv, "k"))
        )
        self.file.operator(
            "SPLIT_V",
            [qk, self._int32(model.heads, kv), self._int32(0)],
            [q, k],
            version=2,
            table="SplitVOptions",
            numSplits=2,
        )
        q = self._reshaped(q, [kv, group, head], label + "query")
        k = self._reshaped(k, [kv, 1, head], label + "key")
        weights = _with_head_size(w["value"][layer] * gain, kv, head)
        v = self._dense(h, weights, label + "v", self._symmetric("value", layer))
        v = self._reshaped(v, [kv, head, 1], label + "value")
        keys = self._kept(k, [kv, self.positions, head], self.key_begin, label + "keys")
        values = self._kept(v, [kv, head, self.positions], self.value_begin, label + "values")
        scores = self._scores(q, keys, beta, layer, label)
        weights = (1 / 256, -128) if self.is_int8 else _FLOAT
        shape = [kv, group, self.positions]
        scores = self._add(
            "SOFTMAX", [scores], shape, weights, label + "weights", "SoftmaxOptions", beta=beta
        )
        like = self._symmetric("mixed", layer)
        mixed = self._products(scores, values, [kv, group, head], like, label + "mixed_heads")
        mixed = self._reshaped(mixed, [1, model.heads * head], label + "mixed")
        like = self._symmetric("attention", layer)
        weights = _with_head_size(w["output"][layer].T, model.heads, head).T
        y = self._dense(mixed, weights, label + "attention", like)
        return self._sum(x, y, label + "attended")

    # The variable `label` with `update` written at `begin`; returns its new value.
    def _kept(self, update, shape, begin, label):
        handle = self.file.tensor([1], "resource", label + "_handle")
        options = {"container": "", "sharedName": label}
        self.file.operator("VAR_HANDLE", [], [handle], table="VarHandleOptions", **options)
        like = self.quantization[update]
        old = self._add("READ_VARIABLE", [handle], shape, like, label + "_before")
        new = self._add("DYNAMIC_UPDATE_SLICE", [old, update, begin], shape, like, label)
        self.file.operator("ASSIGN_VARIABLE", [handle, new], [])
        return new

    # The scores of all positions, which are the lowest value where nothing is written yet.
    def _scores(self, q, keys, beta, layer, label):
        shape = [self.model.kv_heads, self.model.heads // self.model.kv_heads, self.positions]
        like, lowest = _FLOAT, _FLOAT_MASK
        if self.is_int8:
            low, high = self.ranges.limits("scores", layer)
            low = max(low, high - _LARGEST_FALL)
            scale = (high - low) / beta * 1.1 / 255
            like = scale, int(np.clip(round(127 - high / beta * 1.05 / scale), -128, 127))
            lowest = -128
        scores = self._products(q, keys, shape, like, label + "products")
        mask = self._tensor([1], label + "lowest", like, [lowest])
        inputs = [self.is_past, scores, mask]
        return self._add("SELECT_V2", inputs, shape, like, label + "scores")

    def _feed_forward(self, x, layer):
        w, label = self.model.weights, f"layer_{layer}_"
        shape = [1, self.model.hidden]
        h = self._norm(x, "feed_input", layer)
        gain = self._gain(w["feed_norm"][layer])
        gate, up = (
            self._dense(h, w[name][layer] * gain, label + name, self._symmetric(name, layer))
            for name in ("gate", "up")
        )
        like, product = (1 / 256, -128) if self.is_int8 else _FLOAT, _FLOAT
        sigmoid = self._add("LOGISTIC", [gate], shape, like, label + "sigmoid")
        if self.is_int8:
            low, high = self.ranges.limits("silu", layer)
            low = min(low, _LOWEST_SILU)
            scale = (high - low) / 255
            product = scale, int(round(-128 - low / scale))
        silu = self._add("MUL", [gate, sigmoid], shape, product, label + "silu", "MulOptions")
        like = self._symmetric("product", layer)
        y = self._add("MUL", [silu, up], shape, like, label + "product", "MulOptions")
        y = self._dense(y, w["down"][layer], label + "feed", self._symmetric("feed", layer))
        return self._sum(x, y, label + "fed")
