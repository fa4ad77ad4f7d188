# Tests of shapes that the file lacks, and of shapes computed in several steps, against LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support import litert
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator

cases = Cases()


def _add(name, model, **more):
    cases.add(name, model.build(), expected=litert.outputs, rtol=1e-5, atol=1e-6, **more)


# A model of quantization-aware training: the converter omitted the shapes of constants that it did
# not fold, and of the uint8 between them.
def _simulated(source):
    model = ModelBuilder()
    random = generator("simulated")
    x = model.tensor((2, 4), "float32")
    weights = model.tensor((3, 4), "float32", random.normal(0, 1, (3, 4)))
    bytes_ = [
        model.tensor(shape, source, scale=0.02, zero_point=131 if source == "uint8" else 3)
        for shape in ((), (2, 4))
    ]
    halves = [model.tensor((), "float32"), model.tensor((2, 4), "float32")]
    y = model.tensor((2, 3), "float32")
    for number, tensor in enumerate((weights, x)):
        model.operator("QUANTIZE", [tensor], [bytes_[number]])
        model.operator("DEQUANTIZE", [bytes_[number]], [halves[number]])
    model.operator("FULLY_CONNECTED", [halves[1], halves[0], -1], [y])
    model.io([x], [y])
    return model


for dtype in ("uint8", "int8"):
    _add(f"no shape {dtype}", _simulated(dtype))


# A scalar without a shape in the file remains a scalar.
model = ModelBuilder()
tensors = [model.tensor((), "float32") for _ in range(3)]
model.operator("ADD", tensors[:2], tensors[2:], fused_activation_function="NONE")
model.io(tensors[:2], tensors[2:])
_add("scalars", model)


# Paddings of a dilated convolution for an image of open size: [2, 2] from two lists, cut by a
# STRIDED_SLICE.
def _paddings():
    model = ModelBuilder()
    x = model.tensor((1, 5, 4, 2), "float32", shape_signature=(-1, -1, -1, 2))
    sizes = model.tensor((4,), "int32")
    model.operator("SHAPE", [x], [sizes], out_type=2)

    def number(values):
        return model.tensor(np.shape(values), "int32", values)

    rows = []
    for i in (1, 2):
        size, rest, more = [model.tensor((), "int32") for _ in range(3)]
        bounds = [number([i]), number([i + 1]), number([1])]
        model.operator("STRIDED_SLICE", [sizes, *bounds], [size], shrink_axis_mask=1)
        model.operator("FLOOR_MOD", [size, number(3)], [rest])
        model.operator("SUB", [number(3), rest], [more], fused_activation_function="NONE")
        rows.append(model.tensor((2,), "int32"))
        model.operator("PACK", [number(0), more], [rows[-1]], values_count=2, axis=0)
    both, cut = model.tensor((2, 2), "int32"), model.tensor((2, 2), "int32")
    model.operator("PACK", rows, [both], values_count=2, axis=0)
    bounds = [number([0, 0]), number([2, 2]), number([1, 1])]
    model.operator("STRIDED_SLICE", [both, *bounds], [cut])
    # Transposed twice: rows and columns are in their original order.
    turned, back = model.tensor((2, 2), "int32"), model.tensor((2, 2), "int32")
    bounds = [number([-1, 0]), number([-3, 2]), number([-1, 1])]
    model.operator("STRIDED_SLICE", [cut, *bounds], [turned], end_mask=0)
    model.operator("STRIDED_SLICE", [turned, *bounds], [back])
    y = model.tensor((1, 1, 1, 2), "float32", shape_signature=(-1, -1, -1, 2))
    model.operator("SPACE_TO_BATCH_ND", [x, number([3, 3]), back], [y])
    model.io([x], [y])
    return model


_add("paddings", _paddings())


# A size of 0 in RESHAPE copies the size of the input, as in ONNX: EQUAL, WHERE and SPARSE_TO_DENSE
# insert it into the list.
def _sizes():
    model = ModelBuilder()
    x = model.tensor((2, 3, 4), "float32", shape_signature=(-1, 3, 4))

    def number(values, dtype="int64"):
        return model.tensor(np.shape(values), dtype, values)

    sizes = model.tensor((3,), "int64")
    model.operator("SHAPE", [x], [sizes], out_type=4)
    wanted, zero = number([0, 3, -1]), number(0)
    is_kept, positions = model.tensor((3,), "bool"), model.tensor((1, 1), "int64")
    model.operator("EQUAL", [wanted, zero], [is_kept])
    model.operator("WHERE", [is_kept], [positions])
    flat, kept, more, added = [
        model.tensor((n,), "int64", shape_signature=(-1,)) for n in (1, 1, 3, 3)
    ]
    model.operator("RESHAPE", [positions, number([-1], "int32")], [flat])
    model.operator("GATHER", [sizes, flat], [kept], axis=0)
    model.operator("SPARSE_TO_DENSE", [positions, number([3]), kept, zero], [more])
    model.operator("ADD", [wanted, more], [added], fused_activation_function="NONE")
    shape = model.tensor((3,), "int32")
    model.operator("CAST", [added], [shape], in_data_type=4, out_data_type=2)
    y = model.tensor((1, 1, 1), "float32", shape_signature=(-1, -1, -1))
    model.operator("RESHAPE", [x, shape], [y])
    model.io([x], [y])
    return model


_add("sizes", _sizes())


@litert.needs_litert
@cases.parametrize
def test_shape_values(case):
    case.check()
