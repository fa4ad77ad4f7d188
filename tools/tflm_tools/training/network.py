# tflm_tools: training: the child process that trains the network and writes its streaming .tflite
# MIT license; Copyright (c) 2026 the tflm authors

# It imports nothing of ours: any Python that has TensorFlow runs it, as a file, with the job (see
# train.py) as its argument. On standard output it tells how far it is, a line of JSON each time;
# what TensorFlow prints goes to standard error.

import json
import os
import sys

import numpy as np

# Must be set before TensorFlow loads: oneDNN reorders float sums from one CPU to the next.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["KERAS_BACKEND"] = "tensorflow"

CHANNELS = 40
STRIDE = 3  # features of an inference
LOUDEST = 26.0  # what the input holds at most
_STEP = 0.0390625  # of the features in the files
_FIRST = 5  # features that the first layer sees
_WIDTH = 32  # channels of the first layer
# Blocks: channels, and how many inferences back each of their parts hears. The last one is made
# so long that the phrase fits.
_BLOCKS = ((64, (5,)), (64, (7, 11)), (64, (9, 15)))
_LEAST_LAST = 5
_BATCH = 48
_OUTPUTS = 64  # inferences that count in an example
_RATE = 0.003
_DECAY = 0.01
_EACH = 50  # steps between checkpoints, at most
_CALIBRATE = 1500  # inferences that set the ranges

# Hops from the end of the phrase: it counts as just heard from the first to the second one. Near
# to that nothing is asked.
_HEARD = (-2, 36)
_UNCLEAR = (-25, 60)
# Shares of examples with the phrase, and with what sounds near it; false alarms are mostly such.
_SHARES = (0.4, 0.3)
_PHRASE, _NEAR = 1, 2  # of the words in the files
_STRETCH = 0.06  # of the frequencies: so much shorter or longer is another speaker's throat
_QUIET = 9  # how much more what is heard where nothing was said weighs in the end


def blocks(hops):
    """The blocks of a network that hears `hops` features at once, at least."""
    heard = 1 + sum(max(sizes) - 1 for _, sizes in _BLOCKS)
    last = max(_LEAST_LAST, -(-hops // STRIDE) - heard + 1)
    return (*_BLOCKS, (64, (last,)))


def build(shape, frames):
    """The Keras model: [batch, frames, 1, 40] to a logit for each inference that is complete."""
    import keras

    layers = keras.layers
    x = first = keras.Input((frames, 1, CHANNELS))
    x = layers.Conv2D(_WIDTH, (_FIRST, 1), strides=(STRIDE, 1), use_bias=False, name="first")(x)
    x = layers.ReLU()(layers.BatchNormalization(name="first_norm")(x))
    for i, (channels, sizes) in enumerate(shape):
        part = x.shape[-1] // len(sizes)
        mixed = []
        for k, size in enumerate(sizes):
            y = x[:, max(sizes) - size :, :, k * part : (k + 1) * part]
            mixed.append(layers.DepthwiseConv2D((size, 1), use_bias=False, name=f"deep{i}_{k}")(y))
        x = layers.Concatenate()(mixed) if len(mixed) > 1 else mixed[0]
        x = layers.Conv2D(channels, 1, use_bias=False, name=f"wide{i}")(x)
        x = layers.ReLU()(layers.BatchNormalization(name=f"norm{i}")(x))
    x = layers.Conv2D(1, 1, name="last")(x)
    return keras.Model(first, layers.Reshape((-1,))(x))


# Features [frames, 1, 40] as of somebody whose throat is shorter or longer.
def _stretched(x, random):
    at = np.arange(CHANNELS) * random.uniform(1 - _STRETCH, 1 + _STRETCH)
    at = np.minimum(at, CHANNELS - 1).astype(np.float32)
    below = at.astype(int)
    above = np.minimum(below + 1, CHANNELS - 1)
    return x[..., below] + (at - below) * (x[..., above] - x[..., below])


class Examples:
    """Stretches of sound with what is asked of each inference, drawn by a step's number."""

    def __init__(self, paths, heard):
        self._sounds, self._ends = [], {_PHRASE: [], _NEAR: []}
        for number, path in enumerate(paths):
            with np.load(path) as file:
                self._sounds.append(file["features"])
                words = file["words"]
            # A word that ends with a sample is whole in the feature that begins 20 ms before.
            for what, found in self._ends.items():
                ends = words[words[:, 0] == what][:, 2] // 160 - 2
                found += [(number, int(end)) for end in ends]
        self._by_sound = [
            np.array([end for n, end in self._ends[_PHRASE] if n == i]) for i in range(len(paths))
        ]
        self.frames = STRIDE * (heard + _OUTPUTS - 1) + _FIRST - STRIDE
        self._before = STRIDE * (heard - 1) + _FIRST - 1

    # Sound number and first feature.
    def _place(self, random):
        draw = random.uniform()
        ends = self._ends[_PHRASE if draw < _SHARES[0] else _NEAR]
        if draw < sum(_SHARES) and ends:
            number, end = ends[random.randint(len(ends))]
            at = end - self._before - random.randint(STRIDE * _OUTPUTS)
        else:
            number = random.randint(len(self._sounds))
            at = random.randint(max(1, len(self._sounds[number]) - self.frames))
        return number, max(0, min(at, len(self._sounds[number]) - self.frames))

    # 1 where the phrase was just said, and which inferences count.
    def _labels(self, number, at):
        hops = at + self._before + STRIDE * np.arange(_OUTPUTS)
        y, counts = np.zeros(_OUTPUTS, np.float32), np.ones(_OUTPUTS, np.float32)
        for end in self._by_sound[number]:
            since = hops - end
            y[(since >= _HEARD[0]) & (since <= _HEARD[1])] = 1
            counts[(since >= _UNCLEAR[0]) & (since <= _UNCLEAR[1])] = 0
        return y, np.maximum(counts, y)

    def stretch(self, number, at, frames):
        """float32 [frames, 1, 40]: features as the model takes them."""
        x = self._sounds[number][at : at + frames].astype(np.float32) * _STEP
        return np.minimum(x, LOUDEST)[:, None, :]

    def batch(self, seed, step):
        """x, y and what counts, the same for the same step."""
        random = np.random.RandomState((seed * 1_000_003 + step) % (1 << 32))
        rows = []
        for _ in range(_BATCH):
            number, at = self._place(random)
            x = _stretched(self.stretch(number, at, self.frames), random)
            if random.uniform() < 0.4:  # bands are missing now and then
                band = random.randint(CHANNELS)
                x[:, :, band : band + random.randint(1, 6)] = 0
            rows.append((x, *self._labels(number, at)))
        return [np.stack(column) for column in zip(*rows, strict=True)]

    def calibration(self, seed):
        """Inferences in a row, [1, 3, 40] each; the first one has the extremes."""
        random = np.random.RandomState(seed)
        count = 0
        while count < _CALIBRATE:
            number, at = self._place(random)
            x = self.stretch(number, at, self.frames)[:, 0]
            for begin in range(0, len(x) - STRIDE + 1, STRIDE):
                row = x[None, begin : begin + STRIDE].copy()
                if count == 0:
                    row[0, 0, :2] = 0, LOUDEST
                yield [row]
                count += 1


# Save or load what training has reached: weights, and what the optimizer remembers.
def _save(path, step, model, optimizer):
    arrays = [v.numpy() for v in [*model.variables, *optimizer.variables]]
    with open(path + ".part", "wb") as file:
        np.savez(file, step=step, **{f"a{i}": array for i, array in enumerate(arrays)})
    os.replace(path + ".part", path)


def _load(path, model, optimizer):
    if not os.path.exists(path):
        return 0
    with np.load(path) as file:
        for i, variable in enumerate([*model.variables, *optimizer.variables]):
            variable.assign(file[f"a{i}"])
        return int(file["step"])


def train(job, tell):
    """The trained Keras model; goes on from job["checkpoint"] where there is one."""
    import keras
    import tensorflow as tf

    keras.utils.set_random_seed(job["seed"])
    tf.config.experimental.enable_op_determinism()
    shape = blocks(job["hops"])
    heard = 1 + sum(max(sizes) - 1 for _, sizes in shape)
    examples = Examples(job["pieces"], heard)
    model = build(shape, examples.frames)
    optimizer = keras.optimizers.AdamW(_RATE, weight_decay=_DECAY, clipnorm=1.0)
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
    each = min(_EACH, -(-steps // 2))
    for step in range(_load(job["checkpoint"], model, optimizer), steps):
        x, y, counts = examples.batch(job["seed"], step)
        done = step / steps
        optimizer.learning_rate.assign(_RATE * (0.5 + 0.5 * np.cos(np.pi * done)))
        # What is heard where nothing was said weighs more and more.
        loss = learn(x, y, counts * np.where(y > 0, 1, 1 + _QUIET * done).astype(np.float32))
        if (step + 1) % each == 0 or step + 1 == steps:
            _save(job["checkpoint"], step + 1, model, optimizer)
            tell(done=step + 1, total=steps, loss=float(loss))
    return model, shape, examples


# Weights and bias of a convolution with the batch normalization behind it.
def _folded(model, name, norm):
    kernel = model.get_layer(name).get_weights()[0]
    layer = model.get_layer(norm)
    gamma, beta, mean, variance = layer.get_weights()
    factor = gamma / np.sqrt(variance + layer.epsilon)
    return (kernel * factor).astype(np.float32), (beta - mean * factor).astype(np.float32)


def streaming(model, shape):
    """A tf.Module whose `function` takes [1, 3, 40] and remembers in variables what was before."""
    import tensorflow as tf

    first = _folded(model, "first", "first_norm")
    wide = [_folded(model, f"wide{i}", f"norm{i}") for i in range(len(shape))]
    deep = [
        [model.get_layer(f"deep{i}_{k}").get_weights()[0] for k in range(len(sizes))]
        for i, (_, sizes) in enumerate(shape)
    ]
    last, bias = model.get_layer("last").get_weights()
    module = tf.Module()
    module.kept = [tf.Variable(tf.zeros((1, _FIRST - STRIDE, 1, CHANNELS)))]
    for i, (_, sizes) in enumerate(shape):
        channels = deep[i][0].shape[2] * len(sizes)
        module.kept.append(tf.Variable(tf.zeros((1, max(sizes) - 1, 1, channels))))

    # What was kept and what is new; of that, the newest is kept.
    def remember(variable, x):
        x = tf.concat([variable, x], 1)
        variable.assign(x[:, x.shape[1] - variable.shape[1] :])
        return x

    def run(input_audio):
        x = remember(module.kept[0], tf.reshape(input_audio, (1, STRIDE, 1, CHANNELS)))
        x = tf.nn.conv2d(x, first[0], [1, STRIDE, 1, 1], "VALID")
        x = tf.nn.relu(x + first[1])
        for i, (_, sizes) in enumerate(shape):
            x = remember(module.kept[i + 1], x)
            parts = tf.split(x, len(sizes), 3) if len(sizes) > 1 else [x]
            mixed = [
                tf.nn.depthwise_conv2d(
                    part[:, max(sizes) - size :] if size < max(sizes) else part,
                    kernel, [1, 1, 1, 1], "VALID",
                )
                for part, size, kernel in zip(parts, sizes, deep[i], strict=True)
            ]  # fmt: skip
            x = tf.concat(mixed, 3) if len(mixed) > 1 else mixed[0]
            x = tf.nn.relu(tf.nn.conv2d(x, wide[i][0], 1, "VALID") + wide[i][1])
        return tf.sigmoid(tf.reshape(x, (1, -1)) @ last[0, 0] + bias)

    spec = tf.TensorSpec((1, STRIDE, CHANNELS), tf.float32, name="input_audio")
    module.function = tf.function(run, input_signature=[spec])
    return module


def convert(module, samples, folder):
    """The int8 .tflite of streaming(), bytes: int8 in, uint8 out, int8 variables."""
    import tensorflow as tf

    tf.saved_model.save(module, folder, signatures=module.function.get_concrete_function())
    converter = tf.lite.TFLiteConverter.from_saved_model(folder)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: samples
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.experimental_enable_resource_variables = True
    converter._experimental_variable_quantization = True  # variables are int8, too
    converter.inference_input_type = tf.int8
    converter.inference_output_type = tf.uint8
    return converter.convert()


def main():
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(**what):
        print(json.dumps(what), file=replies, flush=True)

    with open(sys.argv[1]) as file:
        job = json.load(file)
    model, shape, examples = train(job, tell)
    samples = examples.calibration(job["seed"])
    data = convert(streaming(model, shape), samples, job["saved_model"])
    with open(job["output"] + ".part", "wb") as file:
        file.write(data)
    os.replace(job["output"] + ".part", job["output"])


if __name__ == "__main__":
    main()
