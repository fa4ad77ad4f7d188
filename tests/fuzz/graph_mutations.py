# Changes shapes, types, operands and options of a .tflite: the file is valid, the graph is not
# MIT license; Copyright (c) 2026 the tflm authors

import random
import struct

import flatbuffers
from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

_NUMBERS = (
    0, 1, -1, 2, 3, 5, 7, 8, 16, 127, 128, 255, 256, 1000, 32767, 65535, 65536, 1 << 20,
    (1 << 28) + 1, (1 << 30) - 1, 1 << 30, (1 << 31) - 1, -2, -128, -32768, -(1 << 31),
)  # fmt: skip
_FLOATS = (0.0, -1.0, 1e-45, 1e-9, 0.5, 1.0, 1e9, 3e38, float("inf"), float("-inf"), float("nan"))
_TYPES = 19  # tensor types of the schema
_BUILTINS = 210


def unpack(data):
    """Return the object tree of a .tflite."""
    return schema.ModelT.InitFromPackedBuf(bytearray(data), 0)


def pack(tree):
    """Return the .tflite of an object tree."""
    builder = flatbuffers.Builder(4096)
    builder.Finish(tree.Pack(builder), b"TFL3")
    return bytes(builder.Output())


# A list of ints for a list of the object tree, which may be None or a numpy array.
def _ints(values):
    return [] if values is None else [int(value) for value in values]


def _change_list(values, rng, numbers):
    values = _ints(values)
    kind = rng.randrange(5)
    if kind == 0 and values:
        del values[rng.randrange(len(values))]
    elif kind == 1 or not values:
        values.insert(rng.randrange(len(values) + 1), rng.choice(numbers))
    elif kind == 2:
        rng.shuffle(values)
    else:
        values[rng.randrange(len(values))] = rng.choice(numbers)
    return values


def _shape(model, graph, rng):
    tensor = rng.choice(graph.tensors)
    tensor.shape = _change_list(tensor.shape, rng, _NUMBERS)


# Small changes pass more checks than wild ones.
def _nudge_shape(model, graph, rng):
    tensor = rng.choice(graph.tensors)
    shape = _ints(tensor.shape)
    if shape:
        i = rng.randrange(len(shape))
        shape[i] += rng.choice((-1, 1, 1, 2, shape[i]))
        tensor.shape = shape


def _type(model, graph, rng):
    rng.choice(graph.tensors).type = rng.randrange(_TYPES)


def _quantization(model, graph, rng):
    quantization = rng.choice(graph.tensors).quantization
    if quantization is None:
        return
    kind = rng.randrange(3)
    if kind == 0:
        scales = [] if quantization.scale is None else [float(s) for s in quantization.scale]
        if scales and rng.random() < 0.8:
            scales[rng.randrange(len(scales))] = rng.choice(_FLOATS)
        else:
            scales = scales[1:] if rng.random() < 0.5 else [*scales, rng.choice(_FLOATS)]
        quantization.scale = scales
    elif kind == 1:
        quantization.zeroPoint = _change_list(quantization.zeroPoint, rng, _NUMBERS)
    else:
        quantization.quantizedDimension = rng.choice(_NUMBERS)


# Change the bytes of a constant: other numbers (axes, indices, sizes), fewer or more numbers.
def _constant(model, graph, rng):
    buffer = model.buffers[rng.randrange(len(model.buffers))]
    data = b"" if buffer.data is None else bytes(bytearray(buffer.data))
    if not data:
        return
    kind = rng.randrange(4)
    if kind == 0:
        data = data[: rng.randrange(len(data))]
    elif kind == 1:
        data += bytes(rng.choice((1, 4, 16)))
    else:
        size = rng.choice((1, 4, 4, 8))
        if len(data) >= size:
            at = rng.randrange(len(data) // size) * size
            number = rng.choice(_NUMBERS) & ((1 << 8 * size) - 1)
            data = data[:at] + number.to_bytes(size, "little") + data[at + size :]
    buffer.data = list(data)


def _operands(model, graph, rng):
    operator = rng.choice(graph.operators)
    most = len(graph.tensors)
    numbers = (*range(most), -1, -1, most, -2, 1 << 30)
    if rng.random() < 0.5:
        operator.inputs = _change_list(operator.inputs, rng, numbers)
    else:
        operator.outputs = _change_list(operator.outputs, rng, numbers)


def _model_io(model, graph, rng):
    numbers = (*range(len(graph.tensors)), -1, len(graph.tensors))
    if rng.random() < 0.5:
        graph.inputs = _change_list(graph.inputs, rng, numbers)
    else:
        graph.outputs = _change_list(graph.outputs, rng, numbers)


# Change a field of an operator's options.
def _options(model, graph, rng):
    operator = rng.choice(graph.operators)
    options = operator.builtinOptions
    if options is None or not vars(options):
        operator.builtinOptionsType = rng.randrange(130)
        return
    name = rng.choice(sorted(vars(options)))
    value = getattr(options, name)
    if isinstance(value, bool):
        setattr(options, name, not value)
    elif isinstance(value, float):
        setattr(options, name, rng.choice(_FLOATS))
    elif isinstance(value, int):
        small = rng.random() < 0.5
        number = rng.randrange(8) if small else rng.choice(_NUMBERS)
        setattr(options, name, number)
    else:
        try:
            setattr(options, name, _change_list(value, rng, _NUMBERS))
        except (TypeError, ValueError):
            setattr(options, name, None)


def _no_options(model, graph, rng):
    operator = rng.choice(graph.operators)
    operator.builtinOptions = None
    operator.builtinOptionsType = 0


def _custom_options(model, graph, rng):
    for operator in graph.operators:
        if operator.customOptions is not None and len(operator.customOptions):
            data = bytearray(operator.customOptions)
            for _ in range(rng.randrange(1, 4)):
                data[rng.randrange(len(data))] = rng.choice((0, 1, 4, 0x7F, 0xFF, 36, 40))
            operator.customOptions = list(data)


# Replace the operator and keep its operands.
def _code(model, graph, rng):
    code = rng.choice(model.operatorCodes)
    code.builtinCode = rng.randrange(_BUILTINS)
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)


def _buffer(model, graph, rng):
    tensor = rng.choice(graph.tensors)
    tensor.buffer = rng.choice((*range(len(model.buffers)), len(model.buffers), 1 << 31))


def _variable(model, graph, rng):
    tensor = rng.choice(graph.tensors)
    tensor.isVariable = not tensor.isVariable


# Reorder, repeat or remove operators.
def _order(model, graph, rng):
    kind = rng.randrange(3)
    if kind == 0:
        rng.shuffle(graph.operators)
    elif kind == 1:
        graph.operators.append(rng.choice(graph.operators))
    else:
        del graph.operators[rng.randrange(len(graph.operators))]


def _sub_graph(model, graph, rng):
    if rng.random() < 0.5:
        model.subgraphs.append(rng.choice(model.subgraphs))
    else:
        rng.shuffle(model.subgraphs)


_CHANGES = (
    _shape, _nudge_shape, _nudge_shape, _type, _quantization, _quantization, _constant, _constant,
    _operands, _operands, _model_io, _options, _options, _options, _no_options, _custom_options,
    _code, _buffer, _variable, _order, _sub_graph,
)  # fmt: skip


def mutated(data, rng):
    """Return a copy of a .tflite with one to three changes of its graph."""
    for _ in range(20):
        tree = unpack(data)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            graph = rng.choice(tree.subgraphs)
            if graph.operators and graph.tensors:
                rng.choice(_CHANGES)(tree, graph, rng)
        try:
            return pack(tree)
        except (struct.error, TypeError, OverflowError, AttributeError, ValueError):
            continue  # a value that the schema cannot hold
    return data


def mutated_copies(data, seed, count):
    """Return `count` mutated copies, the same in each call."""
    rng = random.Random(seed)
    return [mutated(data, rng) for _ in range(count)]
