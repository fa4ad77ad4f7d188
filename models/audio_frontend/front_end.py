# Build audio front ends as models: 30 ms of sound to 40 features
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parents[1] / "tests")]

import tables  # noqa: E402
from support.builder import ModelBuilder  # noqa: E402
from support.schema import DTYPES  # noqa: E402

RATE = 16000
FRAME = 480  # samples: 30 ms
HOP = 320  # samples from one frame to the next: 20 ms
CHANNELS = 40
MODEL_FILE = _HERE / "audio_frontend_int8.tflite"
MICRO_FRONTEND_FILE = _HERE.parents[1] / "tools/tflm_tools/wake/micro_frontend_int16.tflite"

_FFT = 512
_BINS = _FFT // 2 + 1
_LOW, _HIGH = 125, 7500  # Hz
_NOISE_ONE = 1 << 14  # 1.0 of the noise estimate's factors
# The square root of the weights (12 bits) removes 6 bits, the FFT of 512 adds 9.
_CORRECTION_BITS = 3
_LOG_SCALE = 64
_FEATURE_STEPS = 666  # 26.0 * 25.6, slightly more than a feature of 127


# A model under construction whose operators have one variable input and constants.
class _Chain:
    def __init__(self, description):
        self.model = ModelBuilder(description)

    def constant(self, values, dtype="int16"):
        shape = (len(values),) if hasattr(values, "__len__") else ()
        return self.model.tensor(shape, dtype, values)

    # Add a custom operator; outputs are (shape, dtype).
    def signal(self, name, inputs, *outputs, **options):
        tensors = [self.model.tensor(shape, dtype) for shape, dtype in outputs]
        self.model.custom("Signal" + name, inputs, tensors, options)
        return tensors if len(outputs) > 1 else tensors[0]

    # Add a builtin operator on all channels, with an optional constant.
    def operator(self, name, x, value=None, dtype="int32", **options):
        inputs = [x] if value is None else [x, self.constant(value, dtype)]
        y = self.model.tensor((CHANNELS,), dtype)
        self.model.operator(name, inputs, [y], **options)
        return y


# The factors of the noise estimate: even channels follow slower than odd channels.
def _smoothing():
    even, odd = int(0.025 * _NOISE_ONE), int(0.06 * _NOISE_ONE)
    return {
        "smoothing": even,
        "one_minus_smoothing": _NOISE_ONE - even,
        "alternate_smoothing": odd,
        "alternate_one_minus_smoothing": _NOISE_ONE - odd,
        "min_signal_remaining": int(0.05 * _NOISE_ONE),
        "smoothing_bits": 10,
        "spectral_subtraction_bits": 14,
        "clamping": False,
    }


# Add window, FFT, and the square root of the energy of each mel band.
def _spectrum(chain, audio, window, bank, **scaling):
    x = chain.signal("Window", [audio, chain.constant(window)], ((FRAME,), "int16"), shift=12)
    scaled = ((FRAME,), "int16"), ((), "int32")
    x, bits = chain.signal("FftAutoScale", [x], *scaled, **scaling)
    x = chain.signal("Rfft", [x], ((_FFT + 2,), "int16"), T=DTYPES["int16"][0], fft_length=_FFT)
    x = chain.signal(
        "Energy", [x], ((_BINS,), "uint32"), start_index=bank.first, end_index=bank.end
    )
    weights = [chain.constant(table) for table in bank[2:]]
    x = chain.signal("FilterBank", [x, *weights], ((CHANNELS,), "uint64"), num_channels=CHANNELS)
    return chain.signal("FilterBankSquareRoot", [x, bits], ((CHANNELS,), "uint32"))


# Add the scaling of micro_speech: (x * 256 + 333) / 666 - 128, at most 127. No logarithm is below
# zero, so no feature is below -128.
def _to_int8(chain, x):
    x = chain.operator("CAST", x)
    x = chain.operator("MUL", x, 256)
    x = chain.operator("ADD", x, _FEATURE_STEPS // 2)
    x = chain.operator("DIV", x, _FEATURE_STEPS)
    x = chain.operator("ADD", x, -128)
    x = chain.operator("MINIMUM", x, 127)
    return chain.operator("CAST", x, dtype="int8")


# Add all steps from samples to the logarithms of the band energies without noise: 64 * ln, int16.
def _logarithms(chain, audio, window, bank, **scaling):
    channels = ((CHANNELS,), "uint32")
    x = _spectrum(chain, audio, window, bank, **scaling)
    x, noise = chain.signal(
        "FilterBankSpectralSubtraction",
        [x],
        channels,
        channels,
        num_channels=CHANNELS,
        **_smoothing(),
    )
    gains = chain.constant(tables.pcan_gains(0.95, 80, 10 - _CORRECTION_BITS))
    x = chain.signal("PCAN", [x, noise, gains], channels, snr_shift=6)
    return chain.signal(
        "FilterBankLog",
        [x],
        ((CHANNELS,), "int16"),
        input_correction_bits=_CORRECTION_BITS,
        output_scale=_LOG_SCALE,
    )


# Return the bytes of the model from `audio` to `features`.
def _finished(chain, audio, features):
    chain.model.main.table.tensors[features].name = "features"
    chain.model.io([audio], [features])
    chain.model.signature("serving_default", {"audio": audio}, {"features": features})
    return chain.model.build()


def build():
    """Return the front end of micro_speech as .tflite bytes: int16 [480] in, int8 [40] out.

    The noise estimate is state: pass the frames in order; reset() clears it.
    """
    chain = _Chain("audio front end")
    audio = chain.model.tensor((FRAME,), "int16", name="audio")
    bank = tables.filter_bank(_BINS, RATE, CHANNELS, _LOW, _HIGH)
    features = _to_int8(chain, _logarithms(chain, audio, tables.hann(FRAME), bank))
    return _finished(chain, audio, features)


def build_micro_frontend():
    """Return the front end of microWakeWord as .tflite bytes: int16 [480] in, int16 [40] out.

    It has the operators of build() with the tables of TensorFlow's microfrontend
    (tensorflow/lite/experimental/microfrontend), which are computed in single precision and
    rounded. An option that TFLM ignores scales values that were clipped to -32768 like the
    microfrontend. A feature is 64 times a logarithm; microWakeWord multiplies it by 0.0390625.
    Pass frames of 30 ms, 10 ms apart, in order.
    """
    chain = _Chain("micro front end")
    audio = chain.model.tensor((FRAME,), "int16", name="audio")
    bank = tables.filter_bank(_BINS, RATE, CHANNELS, _LOW, _HIGH, rounding=0.5)
    window = tables.hann_single(FRAME)
    features = _logarithms(chain, audio, window, bank, ignore_lowest=True)
    return _finished(chain, audio, features)
