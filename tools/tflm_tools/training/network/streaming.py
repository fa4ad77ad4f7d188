# tflm_tools: training: the trained network as a streaming .tflite, int8
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

from .shape import CHANNELS, FIRST, STRIDE


# Weights and bias of a convolution with the batch normalization behind it.
def _folded(model, name, norm):
    kernel = model.get_layer(name).get_weights()[0]
    layer = model.get_layer(norm)
    gamma, beta, mean, variance = layer.get_weights()
    factor = gamma / np.sqrt(variance + layer.epsilon)
    return (kernel * factor).astype(np.float32), (beta - mean * factor).astype(np.float32)


def streaming(model, shape):
    """A tf.Module whose `function` takes [1, 3, 40] and remembers in variables what was before."""
    import tensorflow as tf

    first = _folded(model, "first", "first_norm")
    wide = [_folded(model, f"wide{i}", f"norm{i}") for i in range(len(shape))]
    deep = [
        [model.get_layer(f"deep{i}_{k}").get_weights()[0] for k in range(len(sizes))]
        for i, (_, sizes) in enumerate(shape)
    ]
    last, bias = model.get_layer("last").get_weights()
    module = tf.Module()
    module.kept = [tf.Variable(tf.zeros((1, FIRST - STRIDE, 1, CHANNELS)))]
    for i, (_, sizes) in enumerate(shape):
        channels = deep[i][0].shape[2] * len(sizes)
        module.kept.append(tf.Variable(tf.zeros((1, max(sizes) - 1, 1, channels))))

    # What was kept and what is new; of that, the newest is kept.
    def remember(variable, x):
        x = tf.concat([variable, x], 1)
        variable.assign(x[:, x.shape[1] - variable.shape[1] :])
        return x

    def run(input_audio):
        x = remember(module.kept[0], tf.reshape(input_audio, (1, STRIDE, 1, CHANNELS)))
        x = tf.nn.conv2d(x, first[0], [1, STRIDE, 1, 1], "VALID")
        x = tf.nn.relu(x + first[1])
        for i, (_, sizes) in enumerate(shape):
            x = remember(module.kept[i + 1], x)
            parts = tf.split(x, len(sizes), 3) if len(sizes) > 1 else [x]
            mixed = [
                tf.nn.depthwise_conv2d(
                    part[:, max(sizes) - size :] if size < max(sizes) else part,
                    kernel, [1, 1, 1, 1], "VALID",
                )
                for part, size, kernel in zip(parts, sizes, deep[i], strict=True)
            ]  # fmt: skip
            x = tf.concat(mixed, 3) if len(mixed) > 1 else mixed[0]
            x = tf.nn.relu(tf.nn.conv2d(x, wide[i][0], 1, "VALID") + wide[i][1])
        return tf.sigmoid(tf.reshape(x, (1, -1)) @ last[0, 0] + bias)

    spec = tf.TensorSpec((1, STRIDE, CHANNELS), tf.float32, name="input_audio")
    module.function = tf.function(run, input_signature=[spec])
    return module


def convert(module, samples, folder):
    """The int8 .tflite of streaming(), bytes: int8 in, uint8 out, int8 variables."""
    import tensorflow as tf

    tf.saved_model.save(module, folder, signatures=module.function.get_concrete_function())
    converter = tf.lite.TFLiteConverter.from_saved_model(folder)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: samples
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.experimental_enable_resource_variables = True
    converter._experimental_variable_quantization = True  # variables are int8, too
    converter.inference_input_type = tf.int8
    converter.inference_output_type = tf.uint8
    return converter.convert()
