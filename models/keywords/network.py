# The keyword network and its training
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

import numpy as np
from speech import LABELS

_HERE = Path(__file__).resolve().parent
sys.path.append(str(_HERE.parent))

from training.convert import tf  # noqa: E402
from windows import CHANNELS, FRAMES  # noqa: E402

_BATCH = 128
_CHUNK = 100 * _BATCH  # windows that are converted to floats at a time


# A layer with bias and activation from batch normalization, which the converter folds.
def _normalized(layer):
    return [layer, tf.keras.layers.BatchNormalization(), tf.keras.layers.ReLU()]


# A depthwise convolution over 5 frames, then a pointwise one.
def _separable(channels, stride=1):
    layers = tf.keras.layers
    depthwise = layers.DepthwiseConv2D((5, 1), strides=stride, use_bias=False)
    return [*_normalized(depthwise), *_normalized(layers.Conv2D(channels, 1, use_bias=False))]


def build():
    """Return the network: 49 frames of 40 features to LABELS.

    It convolves only over time, and the mel bands are channels. This takes a hundredth of the
    multiplications of a network over images of 49x40.
    """
    layers = tf.keras.layers
    first = layers.Conv2D(32, (3, 1), strides=(2, 1), use_bias=False)
    return tf.keras.Sequential(
        [
            tf.keras.Input((FRAMES, 1, CHANNELS)),
            *_normalized(first),
            *_separable(40),
            *_separable(48, stride=2),
            *_separable(48),
            layers.GlobalAveragePooling2D(),
            layers.Dropout(0.2),
            layers.Dense(len(LABELS)),
            layers.Softmax(),
        ]
    )


# Blank random bands of channels and change the loudness, so that the network uses all channels.
def _augment(x, random):
    x = x.astype(np.float32)
    moved = x + random.randint(-12, 13, (len(x), 1, 1, 1))
    for row in moved[random.uniform(size=len(x)) < 0.5]:
        first = random.randint(CHANNELS)
        row[:, :, first : first + random.randint(1, 7)] = -128
    return np.where(x == -128, x, np.clip(moved, -128, 127))


def train(model, x, y, validation, epochs, seed):
    """Fit the model; each epoch augments again, the learning rate falls to zero."""
    random = np.random.RandomState(seed)
    sizes = [min(_CHUNK, len(x) - begin) for begin in range(0, len(x), _CHUNK)]
    steps = epochs * sum(-(-size // _BATCH) for size in sizes)
    rate = tf.keras.optimizers.schedules.CosineDecay(0.003, steps)
    loss = tf.keras.losses.SparseCategoricalCrossentropy()
    optimizer = tf.keras.optimizers.AdamW(rate, weight_decay=0.002)
    model.compile(optimizer=optimizer, loss=loss, metrics=["accuracy"])
    for epoch in range(epochs):
        order = random.permutation(len(x))
        for begin in range(0, len(x), _CHUNK):
            chunk = order[begin : begin + _CHUNK]
            model.fit(_augment(x[chunk], random), y[chunk], batch_size=_BATCH, verbose=0)
        _, right = model.evaluate(*validation, batch_size=512, verbose=0)
        print(f"epoch {epoch + 1} of {epochs}: {100 * right:.2f} % of validation", flush=True)


def representative(x, seed, count=400):
    """Return float samples that set the ranges.

    One sample contains -128 and 127, so that the input has scale 1 and zero point 0.
    """
    chosen = x[np.random.RandomState(seed).permutation(len(x))[:count]].astype(np.float32)
    chosen[0, :2] = -128
    chosen[0, 2:4] = 127
    return chosen
