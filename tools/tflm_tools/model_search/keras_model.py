# tflm_tools: keras_model: converts an untrained Keras model to a fully quantized .tflite
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

from ..errors import ToolError
from ..extras import installing

_SAMPLES = 8  # random inputs for quantization; the ranges do not change the costs of a network


def int8_tflite(model):
    """Return the int8 .tflite (bytes) of a Keras model with one input, for a batch of 1.

    The representative data set is random, with a fixed seed. Raises ToolError without TensorFlow.
    """
    try:
        import tensorflow as tf
    except ImportError:
        raise ToolError(
            "build() returned a Keras model, and TensorFlow, which converts it, is not installed; "
            "return a tflm_tools.model_search.sketch.Network, or install it with: "
            f"{installing('convert')}"
        ) from None
    shape = (1, *model.input_shape[1:])
    if None in shape:
        raise ToolError(
            f"the Keras model has open dimensions {shape}; give its Input a fixed shape"
        )
    random = np.random.default_rng(0)

    def representative():
        for _ in range(_SAMPLES):
            yield [random.standard_normal(shape).astype(np.float32)]

    # Pass the variables as constants, because Keras 3's would stay variables in the .tflite.
    values = [[tf.constant(v.numpy()) for v in group] for group in
              (model.trainable_variables, model.non_trainable_variables)]  # fmt: skip

    @tf.function(input_signature=[tf.TensorSpec(shape, tf.float32, name="input")])
    def infer(x):
        return model.stateless_call(*values, x, training=False)[0]

    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [infer.get_concrete_function()], model
    )
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = representative
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()
