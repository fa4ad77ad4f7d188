# tflm_tools: normalization: reads from TFLite Metadata how images are normalized for a model
# MIT license; Copyright (c) 2026 the tflm authors

from math import isfinite

from tflm.errors import ModelError
from tflm.tflite.flatbuffer import Table, scalar

_NAME = "TFLITE_METADATA"

# Numbers of fields and of a union's type in metadata_schema.fbs of tflite-support.
_SUBGRAPHS = 3  # of ModelMetadata
_INPUTS = 2  # of SubGraphMetadata
_PROCESS_UNITS = 4  # of TensorMetadata
_TYPE, _OPTIONS = 0, 1  # of ProcessUnit
_NORMALIZATION = 1
_MEAN, _STD = 0, 1  # of NormalizationOptions


def pixels_of(metadata, count):
    """Return, for each of `count` inputs, the real numbers for black and white pixels.

    They are (0 - mean) / std and (255 - mean) / std: a pair of lists, with one number per channel
    or one for all channels. The result is None for an input without normalization, and for
    metadata that cannot be read.
    metadata: {name: bytes} of a model.
    """
    data = metadata.get(_NAME)
    if data is None:
        return [None] * count
    try:
        buffer = memoryview(bytes(data))
        subgraphs = Table(buffer, scalar(buffer, 0, "I")).vector(_SUBGRAPHS)
        inputs = subgraphs.table(0).vector(_INPUTS) if subgraphs else None
        found = [_pixels(inputs.table(i)) for i in range(len(inputs or ()))]
    except (ModelError, IndexError, ValueError):
        return [None] * count
    return found if len(found) == count else [None] * count


def _pixels(tensor):
    units = tensor.vector(_PROCESS_UNITS)
    for i in range(len(units or ())):
        unit = units.table(i)
        options = unit.table(_OPTIONS)
        if unit.get(_TYPE, "B") != _NORMALIZATION or options is None:
            continue
        means, deviations = options.numbers(_MEAN, "f"), options.numbers(_STD, "f")
        is_valid = all(map(isfinite, means + deviations)) and min(deviations, default=0) > 0
        if is_valid and len(means) == len(deviations):
            pairs = list(zip(means, deviations, strict=True))
            return [(0 - m) / d for m, d in pairs], [(255 - m) / d for m, d in pairs]
    return None
