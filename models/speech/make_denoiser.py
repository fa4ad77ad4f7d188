# Make the network of tflm.speech.Denoiser: speak, mix with noise, train, quantize, measure
# MIT license; Copyright (c) 2026 the tflm authors

# Needs espeak-ng and the extra wake-train.

import tempfile
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from tflm_tools import files
from tflm_tools.speech import denoising
from tflm_tools.training import streams, voices
from tflm_tools.training.word_recordings import other_words

_HERE = Path(__file__).resolve().parent
_SEED = 2026
_TRAIN, _TEST = 160, 24  # utterances
_MIXES = 3  # of an utterance with noise
_EPOCHS, _BATCH, _RATE = 14, 256, 0.002
_UNIT = 16  # features of a unit of the network


def _speech(speakers, count, random):
    texts = other_words([])
    for _ in range(count):
        text = " ".join(texts[random.randint(len(texts))] for _ in range(5))
        speaker = speakers[random.randint(len(speakers))]
        accent = voices.ACCENTS[random.randint(len(voices.ACCENTS))]
        sound = voices.say(text, accent, speaker, random.randint(120, 200), random.randint(20, 80))
        yield np.pad(sound, random.randint(2000, 16000, 2))


# Yield (speech, speech with noise) in the size of int16, at a ratio of `decibels`.
def _mixtures(utterances, random, decibels=None):
    for sound in utterances:
        ratio = random.uniform(-5, 20) if decibels is None else decibels
        level = 10 ** random.uniform(2.3, 3.6)
        power = np.mean(sound[np.abs(sound) > 0.01] ** 2)
        speech = level * sound / np.sqrt(power)
        noise = level * 10 ** (-ratio / 20) * streams.noise(len(sound), random)
        yield speech, speech + noise


# Return (inputs, wanted gains) of all blocks.
def _examples(mixtures):
    inputs, gains = [], []
    for speech, mixture in mixtures:
        spectrum = denoising.spectra(mixture)
        inputs.append(denoising.inputs(denoising.features(spectrum)))
        gains.append(denoising.ideal_gains(denoising.spectra(speech), spectrum))
    return np.concatenate(inputs).astype(np.float32) / _UNIT, np.concatenate(gains)


def _train(inputs, gains):
    keras.utils.set_random_seed(_SEED)
    tf.config.experimental.enable_op_determinism()
    layers = keras.layers
    first = keras.Input((inputs.shape[1],))
    x = layers.Dense(96, activation="relu")(first)
    x = layers.Dense(64, activation="relu")(x)
    model = keras.Model(first, layers.Dense(denoising.BANDS, activation="sigmoid")(x))

    # Errors of small gains are audible, too, as in RNNoise.
    def loss(wanted, found):
        return tf.reduce_mean(tf.square(tf.sqrt(wanted) - tf.sqrt(found + 1e-4)))

    steps = _EPOCHS * len(inputs) // _BATCH
    rate = keras.optimizers.schedules.CosineDecay(_RATE, steps)
    model.compile(keras.optimizers.Adam(rate), loss)
    model.fit(inputs, gains.astype(np.float32), _BATCH, _EPOCHS, verbose=2)
    return model


def _convert(model, inputs):
    chosen = inputs[:: len(inputs) // 500].copy()
    chosen[0, 0], chosen[0, 1] = -128 / _UNIT, 127 / _UNIT  # so that a step of the input is 1/16
    with tempfile.TemporaryDirectory() as folder:
        model.export(folder, verbose=False)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([row[None]] for row in chosen)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = tf.int8
        converter.inference_output_type = tf.int8
        return converter.convert()


# Print the mean gain of the ratio of speech to noise at each ratio.
def _measure(data, utterances):
    interpreter = tf.lite.Interpreter(model_content=data)
    interpreter.allocate_tensors()
    (first,), (last,) = interpreter.get_input_details(), interpreter.get_output_details()
    print("input", first["quantization"], "output", last["quantization"])
    for decibels in (0, 5, 10, 20):
        random = np.random.RandomState(1)
        before, after = [], []
        for speech, mixture in _mixtures(utterances, random, decibels):
            spectrum = denoising.spectra(mixture)
            gains = []
            for row in denoising.inputs(denoising.features(spectrum)).astype(np.int8):
                interpreter.set_tensor(first["index"], row[None])
                interpreter.invoke()
                gains.append((interpreter.get_tensor(last["index"])[0].astype(int) + 128) / 256)
            found = denoising.apply(spectrum, np.array(gains))[denoising.BLOCK :]
            wanted = speech[: len(found)]
            before.append(denoising.si_sdr(mixture[: len(found)], wanted))
            after.append(denoising.si_sdr(found, wanted))
        print(
            f"{decibels} dB: SI-SDR {np.mean(before):.1f} to {np.mean(after):.1f} dB", flush=True
        )


def main():
    """Make denoise.tflite in this folder, and print what it gains with voices never heard."""
    random = np.random.RandomState(_SEED)
    train = list(_speech(voices.TRAIN_SPEAKERS, _TRAIN, random))
    test = list(_speech(voices.TEST_SPEAKERS, _TEST, random))
    inputs, gains = _examples(_mixtures(train * _MIXES, random))
    print(f"{len(inputs) * 0.008:.0f} s of sound", flush=True)
    model = _train(inputs, gains)
    data = _convert(model, inputs)
    files.write(_HERE / "denoise.tflite", data)
    _measure(data, test)


if __name__ == "__main__":
    main()
