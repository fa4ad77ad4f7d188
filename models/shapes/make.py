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
EPOCHS = 30
BATCH = 32
MIN_F1 = 0.85
MODEL_FILE = _HERE / "shapes_int8.tflite"


# A convolution whose bias and activation come from batch normalization; the converter folds it.
def _normalized(layer):
    return [layer, tf.keras.layers.BatchNormalization(), tf.keras.layers.ReLU()]


# A convolution of each channel, then of each pixel.
def _separable(filters, strides):
    layers = tf.keras.layers
    depthwise = layers.DepthwiseConv2D(3, strides, padding="same", use_bias=False)
    return [*_normalized(depthwise), *_normalized(layers.Conv2D(filters, 1, use_bias=False))]


def build():
    """Return the network: FOMO, a classifier of each cell of 8 x 8 pixels."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((pictures.SIDE, pictures.SIDE, 1)),
            *_normalized(layers.Conv2D(8, 3, 2, padding="same", use_bias=False)),
            *_separable(16, 2),
            *_separable(32, 2),
            *_separable(48, 1),
            *_separable(48, 1),
            *_separable(48, 1),
            layers.Conv2D(1 + len(pictures.LABELS), 1),
            layers.Softmax(),
        ]
    )


def train(model, x, y):
    """Train with Adam and a learning rate that falls to zero."""
    steps = EPOCHS * -(-len(x) // BATCH)
    rate = tf.keras.optimizers.schedules.CosineDecay(0.004, steps)
    loss = tf.keras.losses.CategoricalCrossentropy()
    model.compile(optimizer=tf.keras.optimizers.Adam(rate), loss=loss)
    model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, verbose=0)


def f1(model, x, y):
    """Return (F1 of all cells with objects, F1 of each class), by TFLM; the threshold is 0.5."""
    found = oracle.invoke_all(model, x).reshape(y.shape)[..., 1:] >= 0.5
    wanted = y[..., 1:] >= 0.5
    right = (found & wanted).sum(axis=(0, 1, 2))
    total = (found.sum(axis=(0, 1, 2)) + wanted.sum(axis=(0, 1, 2))) / 2
    return float(right.sum() / total.sum()), list(right / total)


def main():
    convert.fix_seeds(SEED)
    x, y = pictures.examples(pictures.TRAINING)
    held_x, held_y = pictures.examples(pictures.HELD_OUT)
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
