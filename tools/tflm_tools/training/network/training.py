# tflm_tools: training: builds the network in Keras and trains it, with checkpoints
# MIT license; Copyright (c) 2026 the tflm authors

import os

import numpy as np

from .examples import Examples
from .shape import CHANNELS, FIRST, STRIDE, WIDTH, blocks, receptive_field

_LEARNING_RATE = 0.003
_WEIGHT_DECAY = 0.01
_MAX_CHECKPOINT_STEPS = 50  # between two checkpoints
_NEGATIVE_WEIGHT = 9  # added to the weight of inferences without phrase by the end of training


def build(shape, frames):
    """Return the Keras model: features [batch, frames, 1, 40] to a logit for each inference."""
    import keras

    layers = keras.layers
    x = first = keras.Input((frames, 1, CHANNELS))
    x = layers.Conv2D(WIDTH, (FIRST, 1), strides=(STRIDE, 1), use_bias=False, name="first")(x)
    x = layers.ReLU()(layers.BatchNormalization(name="first_norm")(x))
    for i, (channels, sizes) in enumerate(shape):
        group = x.shape[-1] // len(sizes)
        mixed = []
        for k, size in enumerate(sizes):
            y = x[:, max(sizes) - size :, :, k * group : (k + 1) * group]
            mixed.append(layers.DepthwiseConv2D((size, 1), use_bias=False, name=f"deep{i}_{k}")(y))
        x = layers.Concatenate()(mixed) if len(mixed) > 1 else mixed[0]
        x = layers.Conv2D(channels, 1, use_bias=False, name=f"wide{i}")(x)
        x = layers.ReLU()(layers.BatchNormalization(name=f"norm{i}")(x))
    x = layers.Conv2D(1, 1, name="last")(x)
    return keras.Model(first, layers.Reshape((-1,))(x))


# Save the step, the weights and the optimizer's variables.
def _save(path, step, model, optimizer):
    arrays = [v.numpy() for v in [*model.variables, *optimizer.variables]]
    with open(path + ".part", "wb") as file:
        np.savez(file, step=step, **{f"a{i}": array for i, array in enumerate(arrays)})
    os.replace(path + ".part", path)


# Load a checkpoint if there is one; return its step, or 0.
def _load(path, model, optimizer):
    if not os.path.exists(path):
        return 0
    with np.load(path) as file:
        for i, variable in enumerate([*model.variables, *optimizer.variables]):
            variable.assign(file[f"a{i}"])
        return int(file["step"])


def train(job, report):
    """Train the network; return (Keras model, its blocks, Examples).

    job: see train.py; a checkpoint at job["checkpoint"] is continued. report: called with done,
    total and loss after each checkpoint.
    """
    import keras
    import tensorflow as tf

    keras.utils.set_random_seed(job["seed"])
    tf.config.experimental.enable_op_determinism()
    shape = blocks(job["hops"])
    examples = Examples(job["recordings"], receptive_field(shape))
    model = build(shape, examples.frames)
    optimizer = keras.optimizers.AdamW(_LEARNING_RATE, weight_decay=_WEIGHT_DECAY, clipnorm=1.0)
    optimizer.build(model.trainable_variables)

    @tf.function
    def learn(x, y, weights):
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            losses = tf.nn.sigmoid_cross_entropy_with_logits(y, logits)
            loss = tf.reduce_sum(losses * weights) / tf.reduce_sum(weights)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    steps = job["steps"]
    each = min(_MAX_CHECKPOINT_STEPS, -(-steps // 2))
    for step in range(_load(job["checkpoint"], model, optimizer), steps):
        x, y, counts = examples.batch(job["seed"], step)
        done = step / steps
        optimizer.learning_rate.assign(_LEARNING_RATE * (0.5 + 0.5 * np.cos(np.pi * done)))
        # The weight of inferences without phrase increases, which reduces false alarms.
        loss = learn(
            x, y, counts * np.where(y > 0, 1, 1 + _NEGATIVE_WEIGHT * done).astype(np.float32)
        )
        if (step + 1) % each == 0 or step + 1 == steps:
            _save(job["checkpoint"], step + 1, model, optimizer)
            report(done=step + 1, total=steps, loss=float(loss))
    return model, shape, examples
