# tflm.speech: LogMel: logarithms of mel energies of sound, as inputs of models.
# MIT license; Copyright (c) 2026 the tflm authors

# The steps of a column:
#   1. Multiply 2 ** k samples by a Hann window and transform them: an FFT in integers.
#   2. Powers of the bins, as integers with one exponent.
#   3. Mel filters: weighted sums of powers.
#   4. The natural logarithm of an energy + eps, by a table, in units of 2 ** -10.
# The columns wait in a ring, and are normalized over the whole ring when an input is written: the
# mean becomes 0, the standard deviation 1. So a column is computed once, and single columns and
# whole clips give the same values.

import math
from array import array

import micropython

from ..errors import InputError, ModelError
from ..features.fft import power, transform
from ..features.tables import fft_table
from . import mel

_UNIT = 1024  # of a logarithm
_MIN_DEVIATION = 1e-3
_MAX_FFT = 2048
_MAX_VALUES = 32768  # of a ring of columns
_LOG_ENTRIES = 64

# Slaney's mel scale is linear below 1000 Hz and logarithmic above.
_LINEAR_HZ = 1000.0
_LINEAR_STEP = 200 / 3
_LOG_STEP = math.log(6.4) / 27


class Settings:
    """The parameters of log-mel features; the names are librosa's and torchaudio's.

    sample_rate: of the sound. n_fft: samples of an FFT, a power of two from 64 to 2048.
    win_length: samples of the Hann window, in the middle of the FFT. hop_length: samples from one
    column to the next.
    n_mels, f_min, f_max: number and range (Hz) of the filters. mel_scale: "slaney" or "htk". norm:
    "slaney" for filters of equal area, or None.
    eps: added to an energy before its logarithm; samples are from -1 to 1.
    center: a column's middle is at a multiple of hop_length, and clips are mirrored at their ends;
    otherwise a column begins there. frames: columns of an input.

    Raises InputError for other values.
    """

    def __init__(
        self,
        sample_rate=16000,
        n_fft=512,
        win_length=None,
        hop_length=256,
        n_mels=40,
        f_min=20.0,
        f_max=None,
        mel_scale="slaney",
        norm="slaney",
        eps=1e-6,
        center=False,
        frames=64,
    ):
        self.sample_rate = sample_rate
        self.n_fft = n_fft
        self.win_length = n_fft if win_length is None else win_length
        self.hop_length = hop_length
        self.n_mels = n_mels
        self.f_min = f_min
        self.f_max = sample_rate / 2 if f_max is None else f_max
        self.mel_scale = mel_scale
        self.norm = norm
        self.eps = eps
        self.center = center
        self.frames = frames
        self._check()

    def _check(self):
        for name, least, most in (
            ("sample_rate", 4000, 48000),
            ("n_fft", 64, _MAX_FFT),
            ("win_length", 2, self.n_fft),
            ("hop_length", 1, 65535),
            ("n_mels", 1, 256),
            ("frames", 1, 1024),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise InputError(
                    "%s is %r; pass an int from %d to %d" % (name, value, least, most)
                )
        if self.n_fft & (self.n_fft - 1):
            raise InputError("n_fft is %d; pass a power of two" % self.n_fft)
        if self.n_mels * self.frames > _MAX_VALUES:
            raise InputError(
                "%d frames of %d mels are too large; pass at most %d values"
                % (self.frames, self.n_mels, _MAX_VALUES)
            )
        if not 0 <= self.f_min < self.f_max <= self.sample_rate / 2:
            raise InputError(
                "f_min and f_max are %r and %r; pass a range within 0 to %d Hz"
                % (self.f_min, self.f_max, self.sample_rate // 2)
            )
        if self.mel_scale not in ("slaney", "htk") or self.norm not in ("slaney", None):
            raise InputError(
                'mel_scale and norm are %r and %r; pass "slaney" or "htk", and "slaney" or None'
                % (self.mel_scale, self.norm)
            )
        if not 1e-12 <= self.eps <= 1:
            raise InputError("eps is %r; pass a number from 1e-12 to 1" % (self.eps,))

    @property
    def length(self):
        """The samples of `frames` columns."""
        return (self.frames - 1) * self.hop_length + (1 if self.center else self.n_fft)


def _to_mel(hertz, scale):
    if scale == "htk":
        return 1127.0104 * math.log(1 + hertz / 700)  # 2595 / log(10)
    if hertz < _LINEAR_HZ:
        return hertz / _LINEAR_STEP
    return _LINEAR_HZ / _LINEAR_STEP + math.log(hertz / _LINEAR_HZ) / _LOG_STEP


def _to_hertz(value, scale):
    if scale == "htk":
        return 700 * (math.exp(value / 1127.0104) - 1)
    if value * _LINEAR_STEP < _LINEAR_HZ:
        return value * _LINEAR_STEP
    return _LINEAR_HZ * math.exp(_LOG_STEP * (value - _LINEAR_HZ / _LINEAR_STEP))


# Return (mantissa of 16 bits, exponent) of a positive number.
def _mantissa(value):
    fraction, exponent = math.frexp(value)
    mantissa = int(fraction * 65536 + 0.5)
    return (mantissa, exponent - 16) if mantissa < 65536 else (32768, exponent - 15)


# Return the weights of a filter between three frequencies, as (first bin, list).
def _triangle(edges, bin_hertz, last_bin):
    left, middle, right = edges
    first = int(left / bin_hertz) + 1
    weights = []
    for k in range(first, last_bin + 1):
        hertz = k * bin_hertz
        if hertz >= right:
            break
        if hertz <= middle:
            weights.append((hertz - left) / (middle - left))
        else:
            weights.append((right - hertz) / (right - middle))
    return first, weights


class Filters:
    """The tables of mel filters: ranges, weights, log(scale) and eps of each; see mel.py."""

    def __init__(self, settings):
        count = settings.n_mels
        scale = settings.mel_scale
        low = _to_mel(settings.f_min, scale)
        step = (_to_mel(settings.f_max, scale) - low) / (count + 1)
        # Lists of floats would keep objects all over the heap.
        edges = array("f", [0.0] * (count + 2))
        for i in range(count + 2):
            edges[i] = _to_hertz(low + i * step, scale)
        self.ranges = array("H", bytes(4 * count))
        self.weights = array("H")
        self.table = array("i", bytes(12 * count))
        self._scales = array("f", [0.0] * count)
        for i in range(count):
            first, weights = _triangle(
                edges[i : i + 3], settings.sample_rate / settings.n_fft, settings.n_fft // 2
            )
            total = sum(weights)
            integers = [int(weight / total * 32767 + 0.5) for weight in weights] if total else []
            while sum(integers) > 32768:
                integers[integers.index(max(integers))] -= 1
            self.ranges[2 * i] = first
            self.ranges[2 * i + 1] = len(integers)
            for weight in integers:
                self.weights.append(weight)
            # The integers are weights divided by `total`; the rest is the filter's scale.
            total = total / (sum(integers) / 32768) if integers else 1.0
            self._scales[i] = total * 2 / (edges[i + 2] - edges[i]) if settings.norm else total
            self.table[3 * i + 2] = int(math.floor(math.log(self._scales[i]) * 32768 + 0.5))
        self.set_eps(settings.eps)

    def set_eps(self, eps):
        """Set the number that is added to energies."""
        for i in range(len(self._scales)):
            self.table[3 * i], self.table[3 * i + 1] = _mantissa(eps / self._scales[i])


class Spectrum:
    """Powers of the bins of an FFT, as integers; several LogMels may share one.

    n_fft, win_length: see Settings.
    """

    def __init__(self, n_fft, win_length):
        self.n_fft = n_fft
        self.win_length = win_length
        self._pairs = n_fft // 2
        self.table = fft_table(n_fft)
        begin = (n_fft - win_length) // 2
        self._window = array("H", bytes(2 * n_fft))
        for i in range(win_length):
            value = 0.5 - 0.5 * math.cos(2 * math.pi * i / win_length)
            self._window[begin + i] = min(int(value * 65536 + 0.5), 65535)
        # Samples and later powers, the transform, mel energies.
        self.work = bytearray(4 * (2 * n_fft + 256))
        self.energies = 2 * n_fft
        self._bins = self._pairs + 1
        bits = 0
        while n_fft >> bits > 1:
            bits += 1
        # Samples are integers in units of 2 ** -27; see fft.power().
        self._exponent = 156 + 28 + 2 * (bits - 1) - 2 * 27

    # A call of a bytecode function of this size would take heap.
    @micropython.viper
    def compute(self, samples, first, edges) -> int:
        """Store the powers of the frame that begins at sample `first`; return their exponent.

        Other arguments: see mel.load_frame(). A power is integer * 2 ** exponent.
        """
        work = self.work
        count = self.n_fft
        mel.load_frame(work, 0, samples, first, edges, self._window, count)
        transform(work, 0, count, count, self._pairs, self.table)
        power(work, count, self._pairs, self.table, 0, self._exponent, 0)
        return int(mel.align(work, 0, self._bins)) - 156


class LogMel:
    """Log-mel features: columns in a ring, and a model's input of the last `frames` columns.

    settings: Settings. spectrum: a Spectrum of another LogMel with the same n_fft and win_length,
        to share its memory.

    columns: the ring, array("h"), `n_mels` logarithms for each column in units of 2 ** -10.
    """

    def __init__(self, settings, spectrum=None):
        self.settings = settings
        self.columns = array("h", bytes(2 * settings.n_mels * settings.frames))
        if spectrum is None:
            spectrum = Spectrum(settings.n_fft, settings.win_length)
        self.spectrum = spectrum
        self._filters = Filters(settings)
        logs = [math.log(1 + i / _LOG_ENTRIES) for i in range(_LOG_ENTRIES + 1)]
        self._logs = array("H", [int(value * 32768 + 0.5) for value in logs])
        self._edges = array("i", bytes(16))
        self._checked = None  # the last buffer with samples
        self._sums = array("i", [0, 0])
        self._quantization = array("i", bytes(28))
        self._eps = settings.eps
        self.reset()

    def reset(self):
        """Fill all columns with silence."""
        self._next = 0
        silence = int(math.floor(math.log(self.settings.eps) * _UNIT + 0.5))
        mel.fill(self.columns, len(self.columns), silence)

    def set_eps(self, eps):
        """Set the number that is added to energies, instead of settings.eps."""
        if eps != self._eps:
            self._filters.set_eps(eps)
            self._eps = eps

    def add(self, samples, size=None, begin=0):
        """Append the column of `n_fft` samples: int16, of an array or of a ring.

        size: samples of the ring. begin: position of the first sample in the ring.
        """
        self._set_edges(samples, size, begin, self.settings.n_fft, 0)
        self._add(samples, 0)

    def compute(self, samples, size=None, begin=0, length=None):
        """Compute all columns of a clip; columns after its end are silence.

        samples: int16, an array or a ring of `size` samples, in which the clip of `length` samples
        starts at `begin`.
        """
        settings = self.settings
        length = len(samples) if length is None else length
        self._set_edges(samples, size, begin, length, int(settings.center))
        self.reset()
        half = settings.n_fft // 2 if settings.center else 0
        if settings.center and length <= half:
            return
        for i in range(settings.frames):
            first = i * settings.hop_length - half
            if first + settings.n_fft > length + half:
                break
            self._add(samples, first)
        self._next = 0

    # Set what mel.load_frame() must know about a clip. Raises InputError if it is not in the ring.
    def _set_edges(self, samples, size, begin, length, mirrors):
        size = len(samples) if size is None else size
        if not 0 <= begin < size <= len(samples) or not 0 < length <= size:
            raise InputError(
                "%d samples from %d on are not in a ring of %d of %d samples; pass the whole ring"
                % (length, begin, size, len(samples))
            )
        if samples is not self._checked:  # the check allocates
            if len(bytes(memoryview(samples)[:1])) != 2:
                raise InputError("the samples are no int16; pass array('h')")
            self._checked = samples
        edges = self._edges
        edges[0], edges[1] = begin, length  # a longer tuple would allocate
        edges[2], edges[3] = mirrors, size

    @micropython.viper
    def _add(self, samples, first):
        settings = self.settings
        spectrum = self.spectrum
        filters = self._filters
        exponent = spectrum.compute(samples, first, self._edges)
        work = spectrum.work
        at = spectrum.energies
        count = settings.n_mels
        mel.filter_mels(work, at, 0, filters.ranges, filters.weights, count)
        column = int(self._next)
        mel.log_mels(self.columns, column * int(count), work, at, filters.table, exponent,
                     self._logs, count)  # fmt: skip
        column += 1
        self._next = column if column < int(settings.frames) else 0

    def write(self, tensor):
        """Store the normalized columns in an int8 input, the oldest one first.

        tensor: of the shape [n_mels, frames] or [frames, n_mels], apart from dimensions of 1; if
        both are equal, the first. Raises ModelError for another input.
        """
        mels, frames = self.settings.n_mels, self.settings.frames
        shape = [size for size in tensor.shape if size > 1]
        wanted = [size for size in (mels, frames) if size > 1]
        if tensor.dtype != "int8" or not tensor.scale or shape not in (wanted, wanted[::-1]):
            raise ModelError(
                "the model's input is %s %s, the features are int8 %s; use the metadata of this "
                "model" % (tensor.dtype, list(tensor.shape), [mels, frames])
            )
        by_mel = shape == wanted
        count = mels * frames
        total = mel.add_up(self.columns, count)
        mean = (2 * total + count) // (2 * count)
        mel.add_squares(self.columns, count, mean, self._sums)
        rest = mean * count - total
        squares = self._sums[0] * 32768.0 + self._sums[1] - rest * rest / count
        deviation = max(math.sqrt(squares / max(count - 1, 1)), _MIN_DEVIATION * _UNIT)
        self._set_factor(1 / (deviation * tensor.scale))
        settings = self._quantization
        settings[0] = mean
        settings[6] = settings[1] * rest // count
        settings[3] = tensor.zero_point
        settings[4], settings[5] = (frames, 1) if by_mel else (1, mels)
        mel.quantize(tensor.raw, self.columns, self._next, frames, mels, settings)

    # Store a factor as a mantissa below 2 ** 15 and a shift of 1 to 30. A difference from the mean
    # is below 2 ** 16.
    def _set_factor(self, factor):
        fraction, exponent = math.frexp(factor)
        shift = 15 - exponent
        while shift > 30:
            fraction, shift = fraction / 2, shift - 1
        if shift < 1:
            fraction, shift = 0.99, 1
        self._quantization[1] = int(fraction * 32768)
        self._quantization[2] = shift
