# Train the digits CNN, convert it to int8, measure it with TFLM, and save it if it is good
# MIT license; Copyright (c) 2026 the tflm authors

import io
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent)]

import data  # noqa: E402
import numpy as np  # noqa: E402
from training import convert, describe, oracle, save  # noqa: E402
from training.convert import tf  # noqa: E402

SEED = 2026
EPOCHS = 80
BATCH = 32
MIN_ACCURACY = 0.97
MODEL_FILE = _HERE / "digits_int8.tflite"


# A convolution whose bias and activation come from batch normalization; the converter folds it.
def _normalized(layer):
    return [layer, tf.keras.layers.BatchNormalization(), tf.keras.layers.ReLU()]


def build():
    """Return the network: 8x8 images in two stages of separable convolutions to 10 classes.

    The first batch normalization also scales the pixels, 0 to 16.
    """
    layers = tf.keras.layers
    same = {"padding": "same", "use_bias": False}
    return tf.keras.Sequential(
        [
            tf.keras.Input((8, 8, 1)),
            *_normalized(layers.Conv2D(16, 3, **same)),
            *_normalized(layers.DepthwiseConv2D(3, **same)),
            *_normalized(layers.Conv2D(24, 1, **same)),
            layers.MaxPooling2D(2),
            *_normalized(layers.DepthwiseConv2D(3, **same)),
            *_normalized(layers.Conv2D(32, 1, **same)),
            layers.MaxPooling2D(2),
            layers.Reshape((2 * 2 * 32,)),
            layers.Dropout(0.2),
            layers.Dense(10),
            layers.Softmax(),
        ]
    )


def augment(images, random):
    """Return the images moved by up to one pixel, with noise; the data set is small."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    moved = np.empty_like(images)
    for i, (row, column) in enumerate(random.choice(3, (len(images), 2), p=(0.2, 0.6, 0.2))):
        moved[i] = padded[i, row : row + 8, column : column + 8]
    noise = random.normal(0, 0.7, images.shape)
    return np.clip(moved + noise, 0, 16).astype(np.float32)


def train(model, x, y):
    """Fit the model; each epoch augments the images again, the learning rate falls to zero."""
    random = np.random.RandomState(SEED)
    rate = tf.keras.optimizers.schedules.CosineDecay(0.004, EPOCHS * -(-len(x) // BATCH))
    loss = tf.keras.losses.SparseCategoricalCrossentropy()
    model.compile(optimizer=tf.keras.optimizers.Adam(rate), loss=loss)
    for _ in range(EPOCHS):
        model.fit(augment(x, random), y, batch_size=BATCH, verbose=0)


def accuracy(model, x, y):
    """Return the share of images that are classified correctly, with TFLM."""
    return float(np.mean(oracle.invoke_all(model, x).argmax(1) == y))


def pack_test(x, y):
    """Return the held-out images as the bytes of an .npz file."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, x=x, y=y)
    return buffer.getvalue()


def main():
    """Train, measure, and save the model and the held-out images."""
    convert.fix_seeds(SEED)
    train_x, train_y, test_x, test_y = data.load()
    model = build()
    train(model, train_x.astype(np.float32), train_y)
    float_model = convert.to_float(model)
    int8_model = save.with_labels(convert.to_int8(model, train_x[:300]), data.LABELS)

    print(f"{'model':6} {'training':>9} {'held out':>9}")
    for name, candidate in (("float", float_model), ("int8", int8_model)):
        seen = accuracy(candidate, train_x, train_y)
        held_out = accuracy(candidate, test_x, test_y)
        print(f"{name:6} {seen:9.2%} {held_out:9.2%}  {describe.summary(candidate)}")
    if held_out < MIN_ACCURACY:
        print(f"digits: int8 accuracy {held_out:.2%} is under {MIN_ACCURACY:.0%}; nothing saved.")
        return 1
    save.save(MODEL_FILE, int8_model)
    save.save(data.TEST_FILE, pack_test(test_x, test_y))
    return 0


if __name__ == "__main__":
    sys.exit(main())
