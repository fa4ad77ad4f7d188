# tflm_tools: training: trains a recognizer of words or a voice detector, and converts it
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

from .clips import Voice, Words

_LEARNING_RATE = 0.002
_WEIGHT_DECAY = 0.02
_SMOOTHING = 0.05  # of the labels of words
_REPORTS = 50  # progress is reported after this number of steps

# Channels of the first layer, then of the blocks, which halve the number of columns; the kernel
# of the blocks in columns.
_SHAPES = {"words": (40, (48, 64, 80), 7), "voice": (24, (24, 32), 3)}


def _block(x, channels, kernel, keras):
    layers = keras.layers
    short = layers.Conv2D(channels, 1, strides=(2, 1), use_bias=False)(x)
    short = layers.BatchNormalization()(short)
    for strides in (2, 1):
        x = layers.Conv2D(
            channels, (kernel, 1), strides=(strides, 1), padding="same", use_bias=False
        )(x)
        x = layers.BatchNormalization()(x)
        if strides == 2:
            x = layers.ReLU()(x)
    return layers.ReLU()(layers.Add()([x, short]))


def build(task, frames, channels, classes):
    """Return the Keras model: features [batch, frames, 1, channels] to logits.

    It is a TC-ResNet (arXiv 1904.03814): convolutions over time, mel bands are channels.
    """
    import keras

    layers = keras.layers
    width, blocks, kernel = _SHAPES[task]
    x = first = keras.Input((frames, 1, channels))
    x = layers.Conv2D(width, (3, 1), padding="same", use_bias=False)(x)
    x = layers.ReLU()(layers.BatchNormalization()(x))
    for each in blocks:
        x = _block(x, each, kernel, keras)
    if task == "words":
        x = layers.GlobalAveragePooling2D()(x)
        x = layers.Dropout(0.2)(x)
    else:
        x = layers.Flatten()(x)
    return keras.Model(first, layers.Dense(classes)(x))


def train(job, report):
    """Train a network; return (Keras model, its examples). job: see speech_training.py."""
    import keras
    import tensorflow as tf

    keras.utils.set_random_seed(job["seed"])
    tf.config.experimental.enable_op_determinism()
    task = job["task"]
    examples = (Words if task == "words" else Voice)(job["recordings"])
    model = build(task, examples.frames, examples.channels, examples.classes)
    optimizer = keras.optimizers.AdamW(_LEARNING_RATE, weight_decay=_WEIGHT_DECAY, clipnorm=1.0)
    optimizer.build(model.trainable_variables)

    def loss_of(y, logits):
        if task == "voice":
            y = tf.cast(y, tf.float32)
            return tf.nn.sigmoid_cross_entropy_with_logits(y, logits[:, 0])
        wanted = tf.one_hot(y, examples.classes, 1 - _SMOOTHING, _SMOOTHING / examples.classes)
        return tf.nn.softmax_cross_entropy_with_logits(wanted, logits)

    @tf.function
    def learn(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(loss_of(y, model(x, training=True)))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    steps = job["steps"]
    for step in range(steps):
        done = step / steps
        rate = min(1, step / 100) * (0.5 + 0.5 * np.cos(np.pi * done))
        optimizer.learning_rate.assign(_LEARNING_RATE * rate)
        loss = learn(*examples.batch(job["seed"], step))
        if (step + 1) % _REPORTS == 0 or step + 1 == steps:
            report(done=step + 1, total=steps, loss=float(loss))
    return model, examples


def convert(model, examples, seed, folder):
    """Return the int8 .tflite (bytes) of a trained model. folder: for a SavedModel."""
    import tensorflow as tf

    model.export(folder, verbose=False)
    converter = tf.lite.TFLiteConverter.from_saved_model(folder)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: examples.calibration(seed)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = tf.int8
    converter.inference_output_type = tf.int8
    return converter.convert()
