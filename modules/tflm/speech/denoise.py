# tflm.speech: Denoiser: suppress noise in speech block by block, by gains that a network chooses.
# MIT license; Copyright (c) 2026 the tflm authors

# The steps for each 8 ms, as in RNNoise (J.-M. Valin, 2018) without its pitch filter:
#   1. An FFT of 256 samples, with the square root of a Hann window.
#   2. The level of 24 bands above a floor that rises slowly.
#   3. The network makes gains of the last columns.
#   4. The spectrum times the gains, back to samples, added up where windows overlap.

import math
from array import array

from ..errors import InputError, ModelError
from ..features.fft import transform
from ..interpreter import Interpreter
from . import suppression
from .mel_bands import store_positions

BLOCK = 128  # samples, 8 ms
_WINDOW = 256
_N_FFT = 512  # real numbers of a transform: 256 complex ones
_LEAST = 26  # of 256: the least gain, -20 dB


class Denoiser:
    """Suppress noise: `process(samples)` for each block of 128 samples.

    model: of `tflm.load`, with an int8 input of 24 bands in some columns and an output of 24
    gains. source: with `readinto(buffer)`, int16 of 16 kHz; the Denoiser is then a source, too:
    `listen(Denoiser(model, microphone))`. arena: as for Interpreter. spectrum: a Spectrum of a
    LogMel with n_fft 512, to share its memory. least: of all gains, 0 to 1.

    The sound is delayed by 128 samples. Raises ModelError for another kind of model, InputError
    for invalid arguments.
    """

    def __init__(self, model, source=None, arena=None, spectrum=None, least=_LEAST / 256):
        if not isinstance(least, (int, float)) or not 0 <= least <= 1:
            raise InputError("least is %r; pass a number from 0 to 1" % (least,))
        self._source = source
        self._least = min(int(256 * least), 255)
        interp = self._interpreter = Interpreter(model, arena)
        if interp.inputs_size() != 1 or interp.outputs_size() != 1:
            raise ModelError("a denoiser has one input and one output; use another model")
        first, last = interp.input(0), interp.output(0)
        bands = suppression.BANDS
        self._columns = len(first.data) // bands
        if (len(first.data) % bands or len(last.data) != bands
                or first.dtype != "int8" or last.dtype != "int8"):  # fmt: skip
            raise ModelError(
                "the model has %s %s and %s %s; int8 with 24 values for each column, and int8 "
                "with 24 gains are needed"
                % (first.dtype, list(first.shape), last.dtype, list(last.shape))
            )
        self._features, self._gains = first.raw, last.raw
        if spectrum is None:
            from .log_mel import Spectrum

            spectrum = Spectrum(_N_FFT, _N_FFT)
        self._spectrum = spectrum
        self._window = array("H", bytes(2 * _WINDOW))
        for i in range(_WINDOW):
            self._window[i] = int(math.sin(math.pi * (i + 0.5) / _WINDOW) * 32767 + 0.5)
        self._bands = array("H", bytes(2 * BLOCK))
        store_positions(self._bands, 0, BLOCK, bands)
        self._kept = array("h", bytes(2 * BLOCK))
        self._tail = array("i", bytes(4 * BLOCK))
        self._floors = array("i", bytes(4 * bands))
        self._before = bytearray(bands)
        self.reset()

    def reset(self):
        """Forget the sound so far."""
        self._interpreter.reset()
        for i in range(BLOCK):
            self._kept[i] = self._tail[i] = 0
        for i in range(len(self._floors)):
            self._floors[i] = -1
            self._before[i] = 255
        for i in range(len(self._features)):
            self._features[i] = 0

    def process(self, samples, first=0):
        """Replace 128 int16 samples of an array from `first` on by samples without noise."""
        data = memoryview(samples)
        if len(bytes(data[:1])) != 2 or not 0 <= first <= len(data) - BLOCK:
            raise InputError("a block is 128 samples of array('h'); pass as many")
        self._process(samples, first)

    # samples: also bytes.
    def _process(self, samples, first):
        spectrum = self._spectrum
        work, table = spectrum.work, spectrum.table
        suppression.load_block(work, self._kept, samples, first, self._window)
        transform(work, 0, _N_FFT, _N_FFT, _WINDOW, table)
        suppression.measure_bands(work, self._bands)
        suppression.append_levels(work, self._floors, self._features, self._columns)
        self._interpreter.invoke()
        suppression.apply_gains(work, self._bands, self._gains, self._before, self._least)
        transform(work, 0, _N_FFT, _N_FFT, _WINDOW, table)
        suppression.store_block(work, self._tail, samples, first, self._window)

    def readinto(self, buffer):
        """Fill a bytearray with samples of the source without noise; return its bytes of sound.

        Its size is a multiple of 256. Raises InputError for another one.
        """
        if len(buffer) % (2 * BLOCK):
            raise InputError("the buffer has %d bytes; pass a multiple of 256" % len(buffer))
        count = self._source.readinto(buffer) or 0
        for first in range(0, count // 2 - BLOCK + 1, BLOCK):
            self._process(buffer, first)
        return count
