# tflm_tools: training: converts the trained network to a streaming int8 .tflite
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

from .shape import CHANNELS, FIRST, STRIDE


# Weights and bias of a convolution, with the batch normalization after it folded in.
def _folded(model, name, norm):
    kernel = model.get_layer(name).get_weights()[0]
    layer = model.get_layer(norm)
    gamma, beta, mean, variance = layer.get_weights()
    factor = gamma / np.sqrt(variance + layer.epsilon)
    return (kernel * factor).astype(np.float32), (beta - mean * factor).astype(np.float32)


def streaming(model, shape):
    """Return a tf.Module with a `function` of new features [1, 3, 40]; variables keep old ones."""
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

    # Return the kept values followed by the new ones, and keep the newest of them.
    def with_history(variable, x):
        x = tf.concat([variable, x], 1)
        variable.assign(x[:, x.shape[1] - variable.shape[1] :])
        return x

    def run(input_audio):
        x = with_history(module.kept[0], tf.reshape(input_audio, (1, STRIDE, 1, CHANNELS)))
        x = tf.nn.conv2d(x, first[0], [1, STRIDE, 1, 1], "VALID")
        x = tf.nn.relu(x + first[1])
        for i, (_, sizes) in enumerate(shape):
            x = with_history(module.kept[i + 1], x)
            groups = tf.split(x, len(sizes), 3) if len(sizes) > 1 else [x]
            mixed = [
                tf.nn.depthwise_conv2d(
                    group[:, max(sizes) - size :] if size < max(sizes) else group,
                    kernel, [1, 1, 1, 1], "VALID",
                )
                for group, size, kernel in zip(groups, sizes, deep[i], strict=True)
            ]  # fmt: skip
            x = tf.concat(mixed, 3) if len(mixed) > 1 else mixed[0]
            x = tf.nn.relu(tf.nn.conv2d(x, wide[i][0], 1, "VALID") + wide[i][1])
        return tf.sigmoid(tf.reshape(x, (1, -1)) @ last[0, 0] + bias)

    spec = tf.TensorSpec((1, STRIDE, CHANNELS), tf.float32, name="input_audio")
    module.function = tf.function(run, input_signature=[spec])
    return module


def convert(module, samples, folder):
    """Return the int8 .tflite (bytes) of a module of streaming(); its output is uint8.

    samples: inputs for calibration. folder: for a SavedModel.
    """
    import tensorflow as tf

    tf.saved_model.save(module, folder, signatures=module.function.get_concrete_function())
    converter = tf.lite.TFLiteConverter.from_saved_model(folder)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: samples
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.experimental_enable_resource_variables = True
    converter._experimental_variable_quantization = True  # int8 variables
    converter.inference_input_type = tf.int8
    converter.inference_output_type = tf.uint8
    return converter.convert()
