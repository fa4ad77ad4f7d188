# tflm.speech: Vocoder: sound of 16 kHz from pitches, spectral envelopes and aperiodicities.
# MIT license; Copyright (c) 2026 the tflm authors

# The parameters are the parameters of the WORLD vocoder, in bands. The synthesis is in the
# frequency domain (X. Rodet, P. Depalle: Spectral envelopes and inverse FFT synthesis, 1992), in
# integers:
#   1. Two frames are interpolated at the middle of a window of 256 samples: each 64 samples.
#   2. The spectrum of the window is noise with the envelope, plus a lobe of six bins for each
#      harmonic of the pitch.
#   3. One complex FFT of 256 numbers transforms two windows.
#   4. The windows are added up where they overlap.

import math
from array import array

from ..errors import InputError, ModelError, check_count
from ..features.fft import transform
from . import synthesis
from .mel_bands import store_positions

RATE = 16000
BANDS = 48
VALUES = 60  # of a frame
BLOCK = 128  # samples of two windows
_HOP = 64
_FRAMES = 4  # in the ring
_N_FFT = 512  # real numbers of a transform: 256 complex ones
_MAX_PITCH = 1000
_MAX_FACTORS = (0, 1 << 23, 1 << 16)  # of values of 1 and 2 bytes: products are below 2 ** 31


# Return the tables of the kernels:
#   0           2 ** (i / 64) - 1 in units of 2 ** -16
#   ENVELOPE    band of a bin and position in it, for amplitudes
#   APERIODICITY  the same for aperiodicities
#   ROOTS       sqrt(1 - (i / 64) ** 2) in units of 2 ** -11
#   LOBE        transform of a Hann window i / 64 bins from its middle, in units of 2 ** -13
def _tables():
    tables = array("H", bytes(2 * (synthesis.LOBE + 193)))
    for i in range(65):
        tables[i] = min(int((2 ** (i / 64) - 1) * 65536 + 0.5), 65535)
        tables[synthesis.ROOTS + i] = int(math.sqrt(1 - (i / 64) ** 2) * 2048 + 0.5)
    store_positions(tables, synthesis.ENVELOPE, synthesis.BINS, BANDS)
    store_positions(tables, synthesis.APERIODICITY, synthesis.BINS, VALUES - BANDS)
    for i in range(193):
        x = i / 64
        value = 0.25 if i == 64 else 0.5
        if i not in (0, 64):
            value = 0.5 * math.sin(math.pi * x) / (math.pi * x * (1 - x * x))
        tables[synthesis.LOBE + i] = int(math.floor(value * 8192 + 0.5)) & 0xFFFF
    return tables


class Vocoder:
    """Make sound of frames: `add(values, pitch)` for each frame.

    scale, zero_point: of the values of a frame. frame_length: samples from one frame to the next,
    64 to 256. spectrum: a Spectrum of a LogMel with n_fft 512, to share its memory while neither
    is in use.

    A frame has 60 values: the decimal logarithm of the amplitude in 48 bands, the square root of
    the power spectrum; and the aperiodicity in 12 bands, 0 to 1. The middles of the bands are at
    equal distances in mel from 0 to 8000 Hz.

    samples: array("h") of 128 samples, the last block. Raises InputError for invalid arguments,
    ModelError for a scale that no decoder has.
    """

    def __init__(self, scale, zero_point=0, frame_length=80, spectrum=None):
        check_count("frame_length", frame_length)
        if not _HOP <= frame_length <= 256:
            raise InputError(
                "frame_length is %d; pass 64 to 256 samples, for a pitch that changes with time"
                % frame_length
            )
        logarithms = int(scale * math.log(10) / math.log(2) * 1024 * 65536 + 0.5)
        shares = int(scale * 4096 * 65536 + 0.5)
        if not 0 < logarithms < _MAX_FACTORS[1]:
            raise ModelError(
                "the values have the scale %r; use a decoder of logarithms and shares" % scale
            )
        self.frame_length = frame_length
        self._settings = array("i", [zero_point, logarithms, shares])
        if spectrum is None:
            from .log_mel import Spectrum

            spectrum = Spectrum(_N_FFT, _N_FFT)
        self._spectrum = spectrum
        self._circle = memoryview(spectrum.table)[_N_FFT // 2 :]
        self._tables = _tables()
        self._frames = array("h", bytes(2 * VALUES * _FRAMES))
        self._pitches = array("H", bytes(2 * _FRAMES))
        self._sums = array("i", bytes(4 * (256 + _HOP)))
        self._random = array("i", [1])
        self.samples = array("h", bytes(2 * BLOCK))
        self.reset()

    def reset(self):
        """Begin new sound, after silence."""
        self._count = 0  # of frames
        self._time = 0  # of the middle of the next window, in samples
        self._phase = 0
        for i in range(len(self._sums)):
            self._sums[i] = 0

    def add(self, values, pitch, first=0):
        """Add a frame; return whether a block of 128 samples is in `samples`.

        values: a buffer of int8 or int16, whose 60 values from `first` on are the frame. pitch: in
        units of 1 / 16 Hz; 0 for noise alone.
        """
        item = len(bytes(memoryview(values)[:1]))
        if item not in (1, 2) or not 0 <= first <= len(values) - VALUES:
            raise InputError("a frame has 60 values of int8 or int16; pass as many")
        if self._settings[1] >= _MAX_FACTORS[item]:
            raise InputError("the scale is too large for values of int16; pass int8")
        if not 0 <= pitch <= 16 * _MAX_PITCH:
            raise InputError("the pitch is %r; pass 0 to 16000, in 1 / 16 Hz" % (pitch,))
        k = self._count % _FRAMES
        synthesis.load_frame(self._frames, VALUES * k, values, first, item, self._settings)
        self._pitches[k] = pitch
        self._count += 1
        # The last window of a block is between two frames.
        if self._time + _HOP >= (self._count - 1) * self.frame_length:
            return False
        for is_second in (0, 1):
            self._add_window(is_second)
        spectrum = self._spectrum
        work = spectrum.work
        transform(work, 0, _N_FFT, _N_FFT, _N_FFT // 2, spectrum.table)
        synthesis.overlap_add(work, self._sums, self.samples, 0)
        return True

    # Store the spectrum of the next window.
    def _add_window(self, is_second):
        work, tables = self._spectrum.work, self._tables
        frame, rest = divmod(self._time, self.frame_length)
        a, b = frame % _FRAMES, (frame + 1) % _FRAMES
        weight = 256 * rest // self.frame_length
        synthesis.expand(work, self._frames, VALUES * a, VALUES * b, weight, tables)
        low, high = self._pitches[a], self._pitches[b]
        pitch = high if weight >= 128 else low
        if low and high:
            pitch = low + ((high - low) * weight >> 8)
        synthesis.set_noise(work, int(pitch > 0), self._random)
        if pitch:
            self._phase = self._phase + (pitch * 16777 >> 10) & 0xFFFF
            synthesis.add_harmonics(work, pitch, self._phase, self._circle, tables)
        synthesis.store_window(work, is_second)
        self._time += _HOP
