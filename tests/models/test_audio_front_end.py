# Test of the audio front end of micro_speech as one graph, over many invokes
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from support.schema import DTYPES

cases = Cases()
FRAME, FFT, CHANNELS = 480, 512, 40
BINS = FFT // 2 + 1


# Weights, unweights, frequency starts, weight starts and widths of triangles that share edges.
def filter_bank():
    edges = np.unique(np.geomspace(4, 240, CHANNELS + 3).astype(int))
    edges = np.concatenate([edges, edges[-1] + 2 * np.arange(1, CHANNELS + 3 - len(edges))])
    starts, widths = edges[: CHANNELS + 1], np.diff(edges)[: CHANNELS + 1]
    weights = np.concatenate([np.linspace(0, 4096, w, endpoint=False) for w in widths])
    return weights, 4096 - weights, starts, np.cumsum(widths) - widths, widths


# Window, FFT, energies, filter bank, square root, noise, gain and logarithm.
def front_end():
    model = ModelBuilder("audio front end")

    def constant(values):
        values = np.asarray(values).astype(int)
        return model.tensor(values.shape, "int16", values)

    def step(name, inputs, *outputs, **options):
        tensors = [model.tensor(shape, dtype) for shape, dtype in outputs]
        model.custom(name, inputs, tensors, options or b"")
        return tensors

    window = 4096 * (0.5 - 0.5 * np.cos(2 * np.pi * (np.arange(FRAME) + 0.5) / FRAME))
    audio = model.tensor((1, FRAME), "int16")
    options = {"shift": 12}
    (x,) = step("SignalWindow", [audio, constant(window)], ((1, FRAME), "int16"), **options)
    flat = model.tensor((FRAME,), "int16")
    model.operator("RESHAPE", [x], [flat], new_shape=[FRAME])
    x, bits = step("SignalFftAutoScale", [flat], ((FRAME,), "int16"), ((), "int32"))
    options = {"T": DTYPES["int16"][0], "fft_length": FFT}
    (x,) = step("SignalRfft", [x], ((FFT + 2,), "int16"), **options)
    options = {"start_index": 0, "end_index": BINS}
    (x,) = step("SignalEnergy", [x], ((BINS,), "uint32"), **options)
    tables = [constant(table) for table in filter_bank()]
    output = ((CHANNELS,), "uint64")
    (x,) = step("SignalFilterBank", [x, *tables], output, num_channels=CHANNELS)
    output = ((CHANNELS,), "uint32")
    (x,) = step("SignalFilterBankSquareRoot", [x, bits], output)
    options = {
        "num_channels": CHANNELS,
        "smoothing": 409,
        "one_minus_smoothing": 15975,
        "alternate_smoothing": 983,
        "alternate_one_minus_smoothing": 15401,
        "min_signal_remaining": 819,
        "smoothing_bits": 10,
        "spectral_subtraction_bits": 14,
        "clamping": False,
    }
    x, noise = step("SignalFilterBankSpectralSubtraction", [x], output, output, **options)
    gains = constant(32767 / np.arange(1, 126) ** 0.5)
    (x,) = step("SignalPCAN", [x, noise, gains], output, snr_shift=6)
    options = {"input_correction_bits": 3, "output_scale": 64}
    (x,) = step("SignalFilterBankLog", [x], ((CHANNELS,), "int16"), **options)
    model.io([audio], [x])
    return model.build()


# A tone that comes and goes in noise, then silence.
def recording(frames):
    t = np.arange(frames * FRAME) / 16000
    tone = 9000 * np.sin(2 * np.pi * 700 * t * (1 + t)) * (np.sin(9 * t) > 0)
    samples = tone + generator("recording").normal(0, 200, t.size)
    samples[-2 * FRAME :] = 0
    return [[frame] for frame in np.round(samples).reshape(frames, 1, FRAME)]


cases.add("front end", front_end, recording(24), repeat="reset", slices=(41,))


@cases.parametrize
def test_audio_front_end(case):
    case.check()
