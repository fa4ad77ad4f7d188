# Train the gestures CNN, convert it to int8, measure it with TFLM, and save it if it is good
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent)]

import numpy as np  # noqa: E402
import wearers  # noqa: E402
from training import convert, describe, oracle, save  # noqa: E402
from training.convert import tf  # noqa: E402

SEED = 2026
TRAINING = range(10_000, 10_500)  # wearers, by their seeds
HELD_OUT = range(20_000, 20_100)
EACH = 12  # windows of each gesture of a wearer
EPOCHS = 30
BATCH = 64
MIN_ACCURACY = 0.95
MODEL_FILE = _HERE / "gestures_int8.tflite"


# A convolution over time whose bias and activation come from batch normalization.
def _step(filters, width, strides):
    layers = tf.keras.layers
    convolution = layers.Conv2D(filters, (width, 1), (strides, 1), padding="same", use_bias=False)
    return [convolution, layers.BatchNormalization(), layers.ReLU()]


def build():
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((wearers.LENGTH, 1, 3)),
            *_step(12, 5, 2),
            *_step(16, 5, 2),
            *_step(24, 5, 2),
            *_step(24, 3, 1),
            layers.GlobalAveragePooling2D(),
            layers.Dropout(0.2),
            layers.Dense(len(wearers.LABELS)),
            layers.Softmax(),
        ]
    )


def train(model, x, y):
    steps = EPOCHS * -(-len(x) // BATCH)
    rate = tf.keras.optimizers.schedules.CosineDecay(0.004, steps)
    loss = tf.keras.losses.CategoricalCrossentropy()
    model.compile(optimizer=tf.keras.optimizers.Adam(rate), loss=loss)
    model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, verbose=0)


def accuracy(model, x, y):
    """Return the accuracy by TFLM, for all windows and per gesture.

    Windows with half a gesture do not count.
    """
    x, y = x[y.max(axis=1) == 1], y[y.max(axis=1) == 1].argmax(axis=1)
    right = oracle.invoke_all(model, x).argmax(1) == y
    return float(right.mean()), [float(right[y == i].mean()) for i in range(len(wearers.LABELS))]


def main():
    convert.fix_seeds(SEED)
    x, y = wearers.windows(TRAINING, EACH)
    held_x, held_y = wearers.windows(HELD_OUT, EACH)
    model = build()
    train(model, x, y)
    some = np.random.RandomState(SEED).permutation(len(x))[:500]
    float_model = convert.to_float(model)
    int8_model = save.with_labels(convert.to_int8(model, x[some]), wearers.LABELS)

    print(f"{'model':6} {'held out':>9}  {' '.join(wearers.LABELS)}")
    for name, candidate in (("float", float_model), ("int8", int8_model)):
        held_out, each = accuracy(candidate, held_x, held_y)
        shares = " ".join(f"{share:.1%}" for share in each)
        print(f"{name:6} {held_out:9.2%}  {shares}  {describe.summary(candidate)}")
    if held_out < MIN_ACCURACY:
        print(
            f"gestures: int8 accuracy {held_out:.2%} is under {MIN_ACCURACY:.0%}; nothing saved."
        )
        return 1
    save.save(MODEL_FILE, int8_model)
    return 0


if __name__ == "__main__":
    sys.exit(main())
