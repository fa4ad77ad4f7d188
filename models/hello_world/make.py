# Train the sine model of TFLM's hello_world: x in 0..2*pi to sin(x), float and int8
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parent))

import numpy as np  # noqa: E402
from training import convert, describe, oracle, save  # noqa: E402
from training.convert import tf  # noqa: E402

SEED = 2026
EPOCHS = 300
MAX_MEAN_ERROR = 0.02  # of an output in -1..1; int8 adds about 0.002
TEST_X = np.linspace(0, 2 * np.pi, 1000, dtype=np.float32)[:, None]


def build():
    """Return the network, with two hidden layers of 16 neurons.

    The kinks of the first ReLUs are spread evenly over the interval; with zero biases all of
    them would be at x = 0.
    """
    layers = tf.keras.layers
    first = layers.Dense(16, activation="relu")
    model = tf.keras.Sequential(
        [tf.keras.Input((1,)), first, layers.Dense(16, activation="relu"), layers.Dense(1)]
    )
    kinks = np.linspace(0, 2 * np.pi, 16, dtype=np.float32)
    first.bias.assign(-first.kernel[0] * kinks)
    return model


def train(model, x):
    """Fit the model to random points; the learning rate falls to zero along a cosine."""
    batch = 64
    steps = EPOCHS * -(-len(x) // batch)
    rate = tf.keras.optimizers.schedules.CosineDecay(0.005, steps)
    model.compile(optimizer=tf.keras.optimizers.Adam(rate), loss="mse")
    model.fit(x, np.sin(x), batch_size=batch, epochs=EPOCHS, verbose=0)


def errors(model):
    """Return the mean and the largest absolute error over the test points, with TFLM."""
    difference = np.abs(oracle.invoke_all(model, TEST_X) - np.sin(TEST_X))
    return float(difference.mean()), float(difference.max())


def main():
    """Train, measure, and save both models unless one of them has too large an error."""
    convert.fix_seeds(SEED)
    x = np.random.RandomState(SEED).uniform(0, 2 * np.pi, (1000, 1)).astype(np.float32)
    x[0], x[1] = 0, 2 * np.pi  # the quantized input must reach both ends
    model = build()
    train(model, x)
    files = {
        "hello_world_float.tflite": convert.to_float(model),
        "hello_world_int8.tflite": convert.to_int8(model, x[:200]),
    }
    print(f"{'file':26} {'mean error':>10} {'max error':>10}")
    worst = 0.0
    for name, data in files.items():
        mean, largest = errors(data)
        worst = max(worst, mean)
        print(f"{name:26} {mean:10.4f} {largest:10.4f}  {describe.summary(data)}")
    if worst > MAX_MEAN_ERROR:
        print(f"hello_world: mean error {worst:.4f} is above {MAX_MEAN_ERROR}; nothing was saved.")
        return 1
    for name, data in files.items():
        save.save(_HERE / name, data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
