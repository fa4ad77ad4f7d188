# Train the anomaly autoencoder, convert it to int8, measure it with TFLM, and save it if good
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent)]

import features  # noqa: E402
import machines  # noqa: E402
import numpy as np  # noqa: E402
from training import convert, describe, oracle, save  # noqa: E402
from training.convert import tf  # noqa: E402

SEED = 2026
EPOCHS = 60
MIN_AREA = 0.93  # under the ROC curve, for the fault with the smallest area
QUIET = 0.995  # share of the seconds of healthy machines below the threshold
MODEL_FILE = _HERE / "anomaly_int8.tflite"


def build():
    """Return the network. Normal vibration depends on load and speed, hence the two numbers."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((features.BANDS,)),
            layers.Dense(16, activation="relu"),
            layers.Dense(2),
            layers.Dense(16, activation="relu"),
            layers.Dense(features.BANDS),
        ]
    )


def train(model, x):
    rate = tf.keras.optimizers.schedules.CosineDecay(0.004, EPOCHS * -(-len(x) // 64))
    model.compile(optimizer=tf.keras.optimizers.Adam(rate), loss="mse")
    model.fit(x, x, batch_size=64, epochs=EPOCHS, verbose=0)


def scores(model, x):
    """Return the mean squared error of each row, with TFLM."""
    return ((oracle.invoke_all(model, x) - x) ** 2).mean(1)


def main():
    convert.fix_seeds(SEED)
    heard = [machines.heard(seed, 80, ())["well"] for seed in machines.TRAINING]
    x = np.concatenate(heard).astype(np.float32)
    model = build()
    train(model, x)
    data = convert.to_int8(model, x[::10])
    well = [machines.heard(seed, 80, ())["well"] for seed in machines.VALIDATION]
    limit = round(float(np.quantile(scores(data, np.concatenate(well)), QUIET)), 4)
    data = save.with_metadata(data, "anomaly.threshold", b"%.4f" % limit)

    print(f"{describe.summary(data)}; threshold {limit:.4f}")
    held_out = machines.held_out()
    found = {name: scores(data, each) for name, each in held_out.items()}
    print(f"{'well':10} {np.mean(found['well'] > limit):7.2%} above the threshold")
    areas = []
    for name in machines.FAULTS:
        areas.append(machines.area(found["well"], found[name]))
        plain = [(held_out[each] ** 2).mean(1) for each in ("well", name)]
        share = np.mean(found[name] > limit)
        print(
            f"{name:10} {share:7.2%} above the threshold, area under the ROC curve "
            f"{areas[-1]:.4f}; without a model {machines.area(*plain):.4f}"
        )
    if min(areas) < MIN_AREA:
        print(f"anomaly: an area of {min(areas):.4f} is under {MIN_AREA}; nothing saved.")
        return 1
    save.save(MODEL_FILE, data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
