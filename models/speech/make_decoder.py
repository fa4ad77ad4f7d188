# Make the decoder and the encoder of spoken clips: speak, analyze, train, quantize, measure
# MIT license; Copyright (c) 2026 the tflm authors

# Needs espeak-ng and the extra wake-train. The encoder is linear: 8 frames of 5 ms become 16 int8,
# every 20 ms. The decoder is a network of three convolutions.

import tempfile
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from tflm_tools import files
from tflm_tools.speech.analysis import analyze
from tflm_tools.training import voices
from tflm_tools.training.word_recordings import other_words

_HERE = Path(__file__).resolve().parent
_SEED = 2026
_TRAIN, _TEST = 150, 24  # utterances
_WORDS = 5  # of an utterance
_VALUES, _CODES = 60, 16
_STEP, _SPAN = 4, 8  # frames from code to code, frames that a code is made of
_TILE, _MARGIN = 16, 2  # codes of a run of the decoder, and those before and after them
_BATCH, _STEPS = 32, 6000
_RATE = 0.002
_SHARE = 0.3  # weight of errors of aperiodicities, beside logarithms of amplitudes
_UNIT = 16  # codes of a unit of the network


def _utterances(speakers, count, random):
    texts = other_words([])
    for _ in range(count):
        text = " ".join(texts[random.randint(len(texts))] for _ in range(_WORDS))
        speaker = speakers[random.randint(len(speakers))]
        accent = voices.ACCENTS[random.randint(len(voices.ACCENTS))]
        sound = voices.say(text, accent, speaker, random.randint(120, 200), random.randint(20, 80))
        yield analyze(sound * random.uniform(0.1, 0.5))[0]


# Return a random batch: the frames of tiles with their margins, and the frames to decode.
def _batch(recordings, random):
    frames = (_TILE + 2 * _MARGIN) * _STEP + _SPAN - _STEP
    sections = []
    for _ in range(_BATCH):
        values = recordings[random.randint(len(recordings))]
        begin = random.randint(len(values) - frames)
        sections.append(values[begin : begin + frames])
    sections = np.array(sections)
    begin = (_SPAN - _STEP) // 2 + _MARGIN * _STEP
    return sections, sections[:, begin : begin + _TILE * _STEP]


def _decoder():
    layers = keras.layers
    x = first = keras.Input((1, _TILE + 2 * _MARGIN, _CODES))
    x = layers.Conv2D(96, (1, 3), activation="relu")(x)
    x = layers.Conv2D(128, (1, 3), activation="relu")(x)
    return keras.Model(first, layers.Conv2D(_STEP * _VALUES, 1)(x))


def _train(recordings):
    keras.utils.set_random_seed(_SEED)
    tf.config.experimental.enable_op_determinism()
    encoder = keras.layers.Conv1D(_CODES, _SPAN, strides=_STEP)
    decoder = _decoder()
    encoder(np.zeros((1, 16, _VALUES), np.float32))
    variables = encoder.trainable_variables + decoder.trainable_variables
    optimizer = keras.optimizers.Adam(_RATE)
    optimizer.build(variables)
    weights = np.repeat([1.0, _SHARE], [48, 12]).astype(np.float32)

    @tf.function
    def learn(x, wanted, noise):
        with tf.GradientTape() as tape:
            codes = tf.clip_by_value(encoder(x), -127 / _UNIT, 127 / _UNIT) + noise / _UNIT
            found = tf.reshape(decoder(codes[:, None]), tf.shape(wanted))
            loss = tf.reduce_mean(tf.abs(found - wanted) * weights)
        optimizer.apply(tape.gradient(loss, variables), variables)
        return loss

    random = np.random.RandomState(_SEED)
    total = 0.0
    for step in range(_STEPS):
        optimizer.learning_rate.assign(_RATE * (0.5 + 0.5 * np.cos(np.pi * step / _STEPS)))
        noise = random.uniform(-0.5, 0.5, (_BATCH, _TILE + 2 * _MARGIN, _CODES))
        total += float(learn(*_batch(recordings, random), noise.astype(np.float32)))
        if (step + 1) % 500 == 0:
            print(f"step {step + 1}: loss {total / 500:.4f}", flush=True)
            total = 0.0
    weights = encoder.get_weights()
    return {"kernel": weights[0] * _UNIT, "bias": weights[1] * _UNIT}, decoder


# Return the codes (int8) of all tiles of a batch.
def _codes(encoder, sections):
    count = _TILE + 2 * _MARGIN
    windows = np.stack([sections[:, _STEP * i : _STEP * i + _SPAN] for i in range(count)], 1)
    codes = np.einsum("btsv,svc->btc", windows, encoder["kernel"]) + encoder["bias"]
    return np.clip(np.round(codes), -127, 127).astype(np.float32)


def _convert(encoder, decoder, recordings):
    random = np.random.RandomState(_SEED)
    codes = np.concatenate(
        [_codes(encoder, _batch(recordings, random)[0]) for _ in range(4)]
    )  # fmt: skip
    codes[0, 0, 0], codes[0, 0, 1] = -128, 127  # so that a step of the input is a code

    def calibration():
        for each in codes:
            yield [each[None, None] / _UNIT]

    with tempfile.TemporaryDirectory() as folder:
        decoder.export(folder, verbose=False)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = calibration
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = tf.int8
        converter.inference_output_type = tf.int8
        return converter.convert()


def _measure(model, encoder, recordings):
    interpreter = tf.lite.Interpreter(model_content=model)
    interpreter.allocate_tensors()
    (first,), (last,) = interpreter.get_input_details(), interpreter.get_output_details()
    print("input", first["quantization"], "output", last["quantization"])
    random = np.random.RandomState(1)
    errors = []
    for _ in range(8):
        sections, wanted = _batch(recordings, random)
        for codes, frames in zip(_codes(encoder, sections), wanted, strict=True):
            interpreter.set_tensor(first["index"], codes[None, None].astype(np.int8))
            interpreter.invoke()
            scale, zero = last["quantization"]
            found = (interpreter.get_tensor(last["index"]).astype(float) - zero) * scale
            errors.append(np.abs(found.reshape(frames.shape) - frames))
    errors = np.mean(errors, (0, 1))
    print(f"mean error of voices never heard: {20 * errors[:48].mean():.2f} dB, "
          f"aperiodicity {errors[48:].mean():.3f}")  # fmt: skip


def main():
    """Make decoder.tflite and encoder.npy in this folder, and print the errors."""
    random = np.random.RandomState(_SEED)
    train = list(_utterances(voices.TRAIN_SPEAKERS, _TRAIN, random))
    test = list(_utterances(voices.TEST_SPEAKERS, _TEST, random))
    print(f"{sum(map(len, train)) / 200:.0f} s of voices", flush=True)
    encoder, decoder = _train(train)
    model = _convert(encoder, decoder, train)
    _measure(model, encoder, test)
    files.write(_HERE / "decoder.tflite", model)
    rows = np.vstack([encoder["kernel"].reshape(_SPAN * _VALUES, _CODES), encoder["bias"]])
    np.save(_HERE / "encoder.npy", rows.astype(np.float16))


if __name__ == "__main__":
    main()
