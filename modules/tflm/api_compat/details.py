# tflm: Tensor details in LiteRT's format.
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


# Return the shape with -1 for open dimensions; () if the file does not give one.
def _signature(model, index):
    return model.subgraphs[0].signature(index) if hasattr(model, "subgraphs") else ()


# Return the details of inputs or outputs; `indices`: their numbers in the file.
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


# Return the details of all tensors of a .tflite, by number. `known`: of inputs and outputs.
def of_all(model, known):
    known = {each["index"]: each for each in known}
    if not hasattr(model, "subgraphs"):
        return [known[index] for index in sorted(known)]
    found = []
    for index in range(model.subgraphs[0].tensors_length()):
        found.append(known[index] if index in known else _of_file(model, index))
    return found


# Return the details of a tensor from the file.
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


# Return (elements, tensor) of a constant of a .tflite; None for other tensors.
def constant(model, index):
    if not hasattr(model, "subgraphs"):
        return None
    if not 0 <= index < model.subgraphs[0].tensors_length():
        return None
    tensor = model.subgraphs[0].tensor(index)
    if tensor.data is None:
        return None
    return arrays.elements(tensor.data, dtypes.name(tensor.dtype)), tensor
