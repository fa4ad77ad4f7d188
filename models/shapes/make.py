# Train the detector `shapes`, convert it to int8, measure it with TFLM, and save it if it is good
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent)]

import numpy as np  # noqa: E402
import pictures  # noqa: E402
from training import convert, describe, oracle, save  # noqa: E402
from training.convert import tf  # noqa: E402

SEED = 2026
TRAINING = range(10_000, 15_000)  # pictures, by their seeds
HELD_OUT = range(50_000, 51_000)
EPOCHS = 30
BATCH = 64
OBJECT_WEIGHT = 8  # of a cell with an object; 35 of 36 cells are background
MIN_F1 = 0.9
MODEL_FILE = _HERE / "shapes_int8.tflite"


# A convolution of each channel, then of each pixel.
def _separable(filters, strides):
    layers = tf.keras.layers
    return [
        layers.DepthwiseConv2D(3, strides, padding="same", use_bias=False),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.Conv2D(filters, 1, use_bias=False),
        layers.BatchNormalization(),
        layers.ReLU(),
    ]


def build():
    """Return the network: FOMO, a classifier of each cell of 8 x 8 pixels."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((pictures.SIDE, pictures.SIDE, 1)),
            layers.Conv2D(12, 3, 2, padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.ReLU(),
            *_separable(24, 2),
            *_separable(32, 2),
            *_separable(48, 1),
            layers.Conv2D(1 + len(pictures.LABELS), 1),
            layers.Softmax(),
        ]
    )


def _loss(wanted, found):
    weights = 1 + (OBJECT_WEIGHT - 1) * (1 - wanted[..., 0])
    return tf.reduce_mean(weights * tf.keras.losses.categorical_crossentropy(wanted, found))


def train(model, x, y):
    """Train with Adam and a rate that falls like a cosine."""
    steps = EPOCHS * -(-len(x) // BATCH)
    rate = tf.keras.optimizers.schedules.CosineDecay(0.004, steps)
    model.compile(optimizer=tf.keras.optimizers.Adam(rate), loss=_loss)
    model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, verbose=0)


def f1(model, x, y):
    """Return (F1, F1 of each class) of cells with objects, by TFLM; the threshold is 0.5."""
    found = oracle.invoke_all(model, x).reshape(y.shape) >= 0.5
    wanted = y >= 0.5
    right = (found & wanted)[..., 1:].sum(axis=(0, 1, 2))
    total = found[..., 1:].sum(axis=(0, 1, 2)) + wanted[..., 1:].sum(axis=(0, 1, 2))
    return float(2 * right.sum() / total.sum()), list(2 * right / total)


def main():
    convert.fix_seeds(SEED)
    x, y = pictures.examples(TRAINING)
    held_x, held_y = pictures.examples(HELD_OUT)
    model = build()
    train(model, x, y)
    some = np.random.RandomState(SEED).permutation(len(x))[:300]
    float_model = convert.to_float(model)
    int8_model = save.with_labels(convert.to_int8(model, x[some]), pictures.LABELS)

    print(f"{'model':6} {'F1':>6}  {' '.join(pictures.LABELS)}")
    for name, candidate in (("float", float_model), ("int8", int8_model)):
        score, each = f1(candidate, held_x, held_y)
        shares = " ".join(f"{share:.3f}" for share in each)
        print(f"{name:6} {score:6.3f}  {shares}  {describe.summary(candidate)}")
    if score < MIN_F1:
        print(f"shapes: F1 {score:.3f} is under {MIN_F1}; nothing saved.")
        return 1
    save.save(MODEL_FILE, int8_model)
    return 0


if __name__ == "__main__":
    sys.exit(main())
