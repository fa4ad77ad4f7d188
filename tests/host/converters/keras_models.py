# Trains the models of test_convert.py: python keras_models.py FOLDER DIGITS.npz
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import layers

_DATA = np.random.default_rng(2)


# Save a model with its outputs as targets, so that each error is an error of quantization.
def _save(folder, name, model, x):
    model.save(folder / f"{name}.keras")
    np.savez(folder / f"{name}.npz", x=x, y=model.predict(x, verbose=0))


# Train a model for the digits, and save it with its accuracy in Keras.
def _digits(folder, data):
    x, y = data["x"].astype("float32"), data["y"]
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.Rescaling(1 / 16),
            layers.Conv2D(16, 3, padding="same"),
            layers.BatchNormalization(),
            layers.ReLU(),
            layers.MaxPooling2D(4),
            layers.Flatten(),
            layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy")
    model.fit(x, y, epochs=40, verbose=0)
    for name in ("digits.keras", "digits.h5"):
        model.save(folder / name)
    model.save_weights(folder / "weights.weights.h5")
    np.savez(folder / "digits.npz", x=x, y=y)
    right = model.predict(x, verbose=0).argmax(1) == y
    (folder / "accuracy.txt").write_text(str(right.mean()))


# A model whose inputs and outputs are not in alphabetical order.
def _two_inputs(folder):
    a, b = keras.Input((4,), name="zeta"), keras.Input((6,), name="alpha")
    both = layers.Concatenate()([a, b])
    first, last = layers.Dense(2, name="z"), layers.Dense(7, name="a")
    model = keras.Model([a, b], [first(both), last(both)])
    weights = np.zeros((10, 2), "float32")  # the outputs are a[:2] - b[:2]
    weights[0, 0] = weights[1, 1] = 1
    weights[4, 0] = weights[5, 1] = -1
    first.set_weights([weights, np.zeros(2)])
    model.save(folder / "two.keras")
    keras.Model({"zeta": a, "alpha": b}, {"z": first(both)}).save(folder / "dict.keras")


@keras.saving.register_keras_serializable()
class Own(layers.Layer):
    def call(self, x):
        return x * 2


class Erfinv(layers.Layer):
    def call(self, x):
        return tf.math.erfinv(x)


def main(folder, digits):
    folder = Path(folder)
    keras.utils.set_random_seed(2026)
    with np.load(digits) as data:
        _digits(folder, data)
    _two_inputs(folder)
    bidirectional = layers.Bidirectional(layers.LSTM(3))
    lstm = keras.Sequential([keras.Input((4, 5)), bidirectional, layers.Dense(3)])
    _save(folder, "lstm", lstm, _DATA.normal(size=(60, 4, 5)))
    embedding = keras.Sequential(
        [keras.Input((7,), dtype="int32"), layers.Embedding(20, 8), layers.Flatten(),
         layers.Dense(4, activation="sigmoid")]
    )  # fmt: skip
    _save(folder, "embedding", embedding, _DATA.integers(0, 20, (100, 7)))
    saved = keras.Sequential([keras.Input((12,)), Own(), layers.Dense(3, activation="tanh")])
    _save(folder, "saved", saved, _DATA.normal(size=(80, 12)))
    saved.export(folder / "saved", verbose=False)
    keras.Sequential([keras.Input((4,)), Erfinv()]).export(folder / "erfinv", verbose=False)
    keras.Sequential([layers.Dense(3)]).save(folder / "shapeless.keras")
    keras.Sequential([keras.Input((4,)), Own()]).save(folder / "custom.keras")
    image = keras.Input((None, None, 3), name="image")
    pooled = layers.GlobalAveragePooling2D()(layers.Conv2D(4, 3)(image))
    keras.Model(image, pooled).save(folder / "open.keras")
    keras.Sequential([keras.Input((4, 4, 4, 1)), layers.Conv3D(2, 2)]).save(
        folder / "conv3d.keras"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
