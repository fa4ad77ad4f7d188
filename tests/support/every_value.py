# Test support: a unary operator on every value of an 8-bit type, with many quantizations at once
# MIT license; Copyright (c) 2026 the tflm authors

from collections.abc import Sequence
from typing import Any

import numpy as np

from .builder import ModelBuilder

# (input scale, input zero point, output scale, output zero point)
Quantization = tuple[float, int, float, int]


# A model with one operator for each quantization.
def every_value_model(
    name: str,
    quantizations: Sequence[Quantization],
    input_type: str = "int8",
    output_type: str = "int8",
    **options: Any,
) -> bytes:
    """Return a model whose inputs and outputs have 256 elements, one of each a quantization."""
    model = ModelBuilder(name)
    inputs, outputs = [], []
    for scale_in, zero_in, scale_out, zero_out in quantizations:
        inputs.append(model.tensor((256,), input_type, scale=scale_in, zero_point=zero_in))
        outputs.append(model.tensor((256,), output_type, scale=scale_out, zero_point=zero_out))
        model.operator(name, inputs[-1:], outputs[-1:], **options)
    model.io(inputs, outputs)
    return model.build()


# The inputs of a model of every_value_model().
def every_value(quantizations: Sequence[Quantization], low: int = -128) -> list[list[np.ndarray]]:
    """Return one run: all values of the type from `low` on, for each input."""
    return [[np.arange(low, low + 256)] * len(quantizations)]


# Quantizations with scales over many orders of magnitude and zero points up to the limits.
def random_quantizations(
    seed: int,
    count: int,
    scales: tuple[float, float] = (1e-3, 1.0),
    ratios: tuple[float, float] = (0.1, 10.0),
) -> list[Quantization]:
    """Return `count` quantizations; input scales and output/input ratios are log-uniform."""
    random = np.random.default_rng(seed)
    result = []
    for _ in range(count):
        scale = np.exp(random.uniform(*np.log(scales)))
        ratio = np.exp(random.uniform(*np.log(ratios)))
        zeros = random.choice([-128, 127, 0, *random.integers(-128, 128, 3)], 2)
        result.append((float(scale), int(zeros[0]), float(scale * ratio), int(zeros[1])))
    return result
