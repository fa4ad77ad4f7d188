# Convert a Keras model to .tflite bytes, with fixed seeds and batch 1
# MIT license; Copyright (c) 2026 the tflm authors

import os

# Must be set before TensorFlow loads: oneDNN reorders float sums from one CPU to the next.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import tensorflow as tf


def fix_seeds(seed):
    """Fix all seeds and make TensorFlow deterministic; call it before building a model."""
    tf.keras.utils.set_random_seed(seed)
    tf.config.experimental.enable_op_determinism()


# Return a converter for `model` with an input of shape [1, ...], as boards invoke one sample at a
# time. The weights become constants; the variables of Keras 3 would stay variables.
def _converter(model):
    trained = [tf.constant(v.numpy()) for v in model.trainable_variables]
    other = [tf.constant(v.numpy()) for v in model.non_trainable_variables]
    shape = (1, *model.input_shape[1:])

    @tf.function(input_signature=[tf.TensorSpec(shape, tf.float32, name="input")])
    def infer(x):
        return model.stateless_call(trained, other, x, training=False)[0]

    return tf.lite.TFLiteConverter.from_concrete_functions([infer.get_concrete_function()], model)


def to_float(model):
    """Return the .tflite bytes of a Keras model with float32 weights and activations."""
    return _converter(model).convert()


def to_int8(model, samples):
    """Return the bytes of the fully quantized .tflite of a Keras model.

    Weights, activations, input and output are int8, weights per channel. `samples` is a float32
    array [n, ...]: the representative data set that sets the ranges of the activations.
    """

    def representative():
        for sample in samples:
            yield [sample[None].astype("float32")]

    converter = _converter(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = representative
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = tf.int8
    converter.inference_output_type = tf.int8
    return converter.convert()
