# Run a .tflite in TFLM (the tflite-micro wheel), to measure its accuracy
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from tflite_micro import runtime


# Return a sample of real numbers in the type of the input tensor, quantized if necessary.
def _quantize(sample, details):
    if details["dtype"] == np.float32:
        return sample.astype(np.float32)
    scale = details["quantization_parameters"]["scales"][0]
    zero_point = details["quantization_parameters"]["zero_points"][0]
    limits = np.iinfo(details["dtype"])
    steps = np.round(sample / scale) + zero_point
    return np.clip(steps, limits.min, limits.max).astype(details["dtype"])


# Return the output tensor as real numbers.
def _dequantize(output, details):
    if details["dtype"] == np.float32:
        return output
    scale = details["quantization_parameters"]["scales"][0]
    zero_point = details["quantization_parameters"]["zero_points"][0]
    return (output.astype(np.float32) - zero_point) * scale


def invoke_all(model, samples):
    """Invoke `model` (.tflite bytes, one input, one output) on each sample.

    samples: real numbers, [n, ...] without the batch dimension. Return real numbers, float32
    [n, ...]. Raises the exception of TFLM if it lacks an operator.
    """
    interpreter = runtime.Interpreter.from_bytes(model)
    input_details = interpreter.get_input_details(0)
    output_details = interpreter.get_output_details(0)
    outputs = []
    for sample in samples:
        interpreter.set_input(_quantize(sample[None], input_details), 0)
        interpreter.invoke()
        outputs.append(_dequantize(interpreter.get_output(0)[0], output_details))
    return np.array(outputs)
