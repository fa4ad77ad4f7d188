# tflm: details of tensors, as LiteRT tells them; what the file knows of those in between
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from . import arrays


def _details(index, name, shape, signature, dtype, scales, zero_points, dimension=0):
    is_one = len(scales) == 1
    return {
        "name": name,
        "index": index,
        "shape": arrays.vector(shape, "int32"),
        "shape_signature": arrays.vector(signature or shape, "int32"),
        "dtype": arrays.dtype(dtype),
        "quantization": (scales[0], zero_points[0]) if is_one else (0.0, 0),
        "quantization_parameters": {
            "scales": arrays.vector(scales, "float32"),
            "zero_points": arrays.vector(zero_points, "int32"),
            "quantized_dimension": dimension,
        },
        "sparsity_parameters": {},
    }


# Shapes with -1 for dimensions that the file leaves open; () where it has none.
def _signature(model, index):
    return model.subgraphs[0].signature(index) if hasattr(model, "subgraphs") else ()


# Details of inputs or outputs: their numbers in the file, and as Tensors.
def of_tensors(model, indices, tensors):
    found = []
    for index, tensor in zip(indices, tensors):
        scales = [tensor.scale] if tensor.scale else []
        zero_points = [tensor.zero_point for _ in scales]
        signature = _signature(model, index)
        found.append(
            _details(
                index, tensor.name, tensor.shape, signature, tensor.dtype, scales, zero_points
            )
        )
    return found


# Details of all tensors of a .tflite by their numbers; `known` are those of inputs and outputs.
def of_all(model, known):
    known = {each["index"]: each for each in known}
    if not hasattr(model, "subgraphs"):
        return [known[index] for index in sorted(known)]
    found = []
    for index in range(model.subgraphs[0].tensors_length()):
        found.append(known[index] if index in known else _of_file(model, index))
    return found


def _of_file(model, index):
    tensor = model.subgraphs[0].tensor(index)
    scales = tensor.quantization()[0]
    channels = range(tensor.scales_length())
    return _details(
        index,
        tensor.name,
        tensor.shape,
        _signature(model, index),
        dtypes.name(tensor.dtype),
        [scales.number(i, "f") for i in channels],
        [tensor.zero_point(i) for i in channels],
        tensor.quantized_dimension,
    )


# A constant of a .tflite: (elements, its tensor); None for other tensors.
def constant(model, index):
    if not hasattr(model, "subgraphs"):
        return None
    if not 0 <= index < model.subgraphs[0].tensors_length():
        return None
    tensor = model.subgraphs[0].tensor(index)
    if tensor.data is None:
        return None
    return arrays.elements(tensor.data, dtypes.name(tensor.dtype)), tensor
