# Tests of sparse constants: after DENSIFY against LiteRT, as weights, and invalid ones
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support import litert
from support.builder import ModelBuilder, schema
from support.check import Cases
from support.inputs import generator
from tflm.errors import ModelError, UnsupportedError
from tflm_tools.flat.flatten import flatten

cases = Cases()
_VECTORS = {
    "i": (schema.SparseIndexVector.Int32Vector, schema.Int32VectorT, np.int32),
    "H": (schema.SparseIndexVector.Uint16Vector, schema.Uint16VectorT, np.uint16),
    "B": (schema.SparseIndexVector.Uint8Vector, schema.Uint8VectorT, np.uint8),
}


def _vector(values, kind):
    number, table, dtype = _VECTORS[kind]
    vector = table()
    vector.values = np.array(values, dtype)
    return number, vector


# Return SparsityParameters of an array, and the values that it keeps. `blocks`: {dimension: size};
# `lists`: the levels with lists of indices. Other levels are dense.
def _sparsity(array, order, blocks, lists, kind):
    sides, insides = list(array.shape), list(blocks.items())
    for dimension, size in insides:
        sides[dimension] //= size
    shapes = [(side, blocks[d]) if d in blocks else (side,) for d, side in enumerate(sides)]
    whole = array.reshape([n for shape in shapes for n in shape])
    # Axes of `whole`: of blocks, then of the elements in a block.
    axes, outer, inner = 0, [], {}
    for dimension in range(array.ndim):
        outer.append(axes)
        axes += 1
        if dimension in blocks:
            inner[dimension] = axes
            axes += 1
    levels = whole.transpose([*(outer[d] for d in order), *(inner[d] for d, _ in insides)])
    parameters = schema.SparsityParametersT()
    parameters.traversalOrder = [*order, *range(array.ndim, array.ndim + len(insides))]
    parameters.blockMap = [dimension for dimension, _ in insides]
    parameters.dimMetadata = []
    steps = [()]
    for level, length in enumerate(levels.shape):
        metadata = schema.DimensionMetadataT()
        if level in lists:
            metadata.format = schema.DimensionType.SPARSE_CSR
            segments, indices, kept = [0], [], []
            for step in steps:
                found = [i for i in range(length) if np.any(levels[(*step, i)])]
                indices += found
                kept += [(*step, i) for i in found]
                segments.append(len(indices))
            metadata.arraySegmentsType, metadata.arraySegments = _vector(segments, kind)
            metadata.arrayIndicesType, metadata.arrayIndices = _vector(indices, kind)
            steps = kept
        else:
            metadata.format = schema.DimensionType.DENSE
            metadata.denseSize = length
            steps = [(*step, i) for step in steps for i in range(length)]
        parameters.dimMetadata.append(metadata)
    return parameters, np.array([levels[step] for step in steps], array.dtype)


def _weights(name, dtype, shape=(8, 12)):
    random = generator(name)
    values = random.integers(-9, 10, shape) * (random.random(shape) < 0.25)
    values[1, :] = 0
    return values.astype(dtype)


# A FULLY_CONNECTED with sparse weights, with or without DENSIFY.
def _model(weights, parameters, values, densify=True):
    model = ModelBuilder()
    dtype = str(weights.dtype)
    scales = [{"scale": s, "zero_point": 0} for s in (0.5, 0.1, 1.0)]
    given, inside, result = scales if dtype == "int8" else ({}, {}, {})
    x = model.tensor((2, weights.shape[1]), dtype, **given)
    sparse = model.tensor(weights.shape, dtype, raw=values.tobytes(), **inside)
    model.main.table.tensors[sparse].sparsity = parameters
    y = model.tensor((2, len(weights)), dtype, **result)
    if densify:
        dense = model.tensor(weights.shape, dtype, **inside)
        model.operator("DENSIFY", [sparse], [dense])
    model.operator("FULLY_CONNECTED", [x, dense if densify else sparse, -1], [y])
    model.io([x], [y])
    return model


# The FULLY_CONNECTED with dense weights.
def _plain(weights):
    model = _model(weights, None, weights, densify=False)
    return lambda _, runs: litert.outputs(model.build(), runs)


_LAYOUTS = [
    ((0, 1), {}, (1,), "B"),
    ((0, 1), {}, (0, 1), "H"),
    ((1, 0), {}, (1,), "i"),
    ((0, 1), {1: 4}, (1,), "H"),
    ((0, 1), {0: 2, 1: 3}, (0, 1), "B"),
    ((1, 0), {0: 4, 1: 2}, (1,), "i"),
]
for dtype in ("float32", "int8"):
    for number, (order, blocks, lists, kind) in enumerate(_LAYOUTS):
        name = f"{dtype} {number}"
        weights = _weights(name, dtype)
        parameters, values = _sparsity(weights, order, blocks, lists, kind)
        model = _model(weights, parameters, values).build()
        exact = {} if dtype == "int8" else {"rtol": 1e-5, "atol": 1e-5}
        cases.add(name, model, expected=litert.outputs, **exact)
        # LiteRT's own kernels for sparse weights do not support all of these.
        direct = _model(weights, parameters, values, densify=False).build()
        cases.add(f"{name} direct", direct, expected=_plain(weights), **exact)


@litert.needs_litert
@cases.parametrize
def test_sparse(case):
    case.check()


def _metadata(level, **fields):
    def change(parameters, _values):
        for name, value in fields.items():
            setattr(parameters.dimMetadata[level], name, value)

    return change


def _indices(change):
    def changed(parameters, _values):
        change(parameters.dimMetadata[1])

    return changed


def _huge(parameters, _values):
    parameters.blockMap = [0]
    parameters.traversalOrder = [0, 1, 2]


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda p, v: setattr(p, "traversalOrder", [0, 0]), "levels do not match"),
        (lambda p, v: setattr(p, "traversalOrder", [0, 1, 2]), "levels do not match"),
        (_huge, "levels do not match"),
        (lambda p, v: setattr(p, "dimMetadata", []), "levels do not match"),
        (_metadata(0, denseSize=7), "other dimensions"),
        (_metadata(1, format=schema.DimensionType.DENSE, denseSize=12), "number of elements"),
        (_metadata(1, arrayIndicesType=0, arrayIndices=None), "no indices"),
        (_indices(lambda m: m.arrayIndices.values.__setitem__(0, 12)), "outside its dimension"),
        (_indices(lambda m: m.arraySegments.values.__setitem__(1, 200)), "indices do not match"),
        (lambda p, v: v.pop(), "number of elements"),
    ],
)
def test_damaged(change, said):
    weights = _weights("damaged", "float32")
    parameters, values = _sparsity(weights, (0, 1), {}, (1,), "B")
    values = list(values)
    change(parameters, values)
    with pytest.raises(ModelError, match=f"is sparse, and .*{said}.*; the model is damaged"):
        flatten(_model(weights, parameters, np.array(values, np.float32)).build())


# A few bytes that would become hundreds of megabytes.
def test_huge_tensor_is_refused():
    weights = np.zeros((1, 1), np.float32)
    model = _model(weights, None, weights)
    tensor = model.main.table.tensors[1]
    tensor.shape = [1 << 14, 1 << 11]
    parameters, _ = _sparsity(weights, (0, 1), {}, (0,), "i")
    tensor.sparsity = parameters
    with pytest.raises(UnsupportedError, match="more than 67108864 bytes; convert"):
        flatten(model.build())
