# Writes tests/beyond/models/*.tflite with TensorFlow's converter: `python make_models.py` (2.21)
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

import numpy as np
import tensorflow as tf

_MODELS = Path(__file__).with_name("models")
_SEED = 2026
_keras, _layers = tf.keras, tf.keras.layers


# Return a model of layers for inputs of `shape`; the batch is open by default.
def _model(shape, *layers, batch=None):
    return _keras.Sequential([_keras.Input(shape, batch_size=batch), *layers])


def _image():
    return _model(
        (8, 8, 3),
        _layers.Conv2D(12, 3, padding="same", activation="relu"),
        _layers.MaxPool2D(),
        _layers.DepthwiseConv2D(3, padding="same"),
        _layers.Flatten(),
        _layers.Dense(10, activation="softmax"),
    )


# Dynamic range quantization makes weights of 1024 elements and more int8.
def _hybrid():
    return _model(
        (6, 6, 4),
        _layers.Conv2D(32, 3, padding="same", activation="relu"),
        _layers.DepthwiseConv2D(6, depth_multiplier=1),
        _layers.Flatten(),
        _layers.Dense(40),
    )


def _reshapes():
    return _model(
        (12,),
        _layers.Dense(24),
        _layers.Reshape((4, 6)),
        _layers.Conv1D(8, 3, padding="same"),
        _layers.Permute((2, 1)),
        _layers.Reshape((32,)),
        _layers.Dense(3),
    )


def _attention():
    start = _keras.Input((6, 16))
    x = _layers.MultiHeadAttention(2, 8)(start, start)
    x = _layers.LayerNormalization()(x + start)
    return _keras.Model(start, _layers.Dense(4, activation="gelu")(x))


def _upsampling():
    return _model(
        (4, 4, 3),
        _layers.UpSampling2D(2, interpolation="bilinear"),
        _layers.Conv2DTranspose(4, 3, strides=2, padding="same"),
    )


def _recurrent(layer, batch=1):
    return _model((3, 5), layer, _layers.Dense(3), batch=batch)


# name: (model, quantizations, shape of an input)
_KERAS = {
    "image": (_image, ("float16", "int8"), (8, 8, 3)),
    "hybrid": (_hybrid, ("dynamic",), (6, 6, 4)),
    "reshapes": (_reshapes, ("float", "int8"), (12,)),
    "attention": (_attention, ("float", "int8"), (6, 16)),
    "upsampling": (_upsampling, ("int8",), (4, 4, 3)),
    "lstm": (lambda: _recurrent(_layers.LSTM(6)), ("float",), (3, 5)),
    "gru": (lambda: _recurrent(_layers.GRU(6)), ("float",), (3, 5)),
    "gru_sequences": (
        lambda: _recurrent(_layers.GRU(6, return_sequences=True)),
        ("float",),
        (3, 5),
    ),
    "bidirectional": (
        lambda: _recurrent(_layers.Bidirectional(_layers.LSTM(4))),
        ("float",),
        (3, 5),
    ),
    "lstm_unrolled": (
        lambda: _recurrent(_layers.LSTM(6, unroll=True), None),
        ("float", "int8"),
        (3, 5),
    ),
    "gru_unrolled": (
        lambda: _recurrent(_layers.GRU(6, unroll=True), None),
        ("float", "int8"),
        (3, 5),
    ),
}


# Functions of tensors with open shapes.
def _functions():
    shape = tf.shape
    return {
        "reshape": (lambda x: tf.reshape(x, [shape(x)[0] * 2, -1, 3]) * 2.0, (None, 4, 6)),
        "transposed": (
            lambda x: (
                1.0
                + tf.reshape(tf.transpose(x, [0, 2, 1]), [shape(x)[0], shape(x)[2] * shape(x)[1]])
            ),
            (None, None, 6),
        ),
        "tile": (lambda x: tf.tile(x[:, None, :], [1, shape(x)[1], 1]), (None, 6)),
        "zeros": (lambda x: x + tf.zeros([shape(x)[0], 6]), (None, 6)),
        "range": (lambda x: x + tf.cast(tf.range(shape(x)[1]), tf.float32), (None, 6)),
        "one_hot": (lambda x: tf.one_hot(tf.argmax(x, -1), 6), (None, 6)),
        "top_k": (lambda x: tf.math.top_k(x, 3), (None, 6)),
        "broadcast": (lambda x: tf.broadcast_to(x, [3, shape(x)[0], 6]), (None, 6)),
        "half": (lambda x: x[:, : shape(x)[1] // 2] * 2.0, (None, None)),
        "concat": (lambda x: tf.concat([x, tf.ones([shape(x)[0], 1])], -1), (None, 6)),
    }


# Write a converted model to a file.
def _save(name, converter):
    (_MODELS / f"{name}.tflite").write_bytes(converter.convert())


def _convert(name, model, quantization, shape):
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    if quantization != "float":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if quantization == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if quantization == "int8":
        random = np.random.default_rng(_SEED)
        samples = [random.standard_normal((1, *shape)).astype("f") for _ in range(8)]
        converter.representative_dataset = lambda: [[sample] for sample in samples]
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = tf.int8
    _save(f"{name}_{quantization}", converter)


def main():
    """Write all models; the weights depend on the seed only."""
    for name, (build, quantizations, shape) in _KERAS.items():
        _keras.utils.set_random_seed(_SEED)
        model = build()
        # Biases other than zero.
        random = np.random.default_rng(_SEED)
        weights = [
            w if w.ndim > 1 else random.normal(0, 0.3, w.shape) for w in model.get_weights()
        ]
        model.set_weights(weights)
        for quantization in quantizations:
            _convert(name, model, quantization, shape)
    for name, (function, shape) in _functions().items():
        spec = tf.TensorSpec(shape, tf.float32)
        concrete = tf.function(function).get_concrete_function(spec)
        converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
        _save(f"shape_{name}", converter)


if __name__ == "__main__":
    main()
