# tflm_tools: features: log-mel features of sound, with numpy
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

import numpy as np

_LINEAR_HZ = 1000.0  # Slaney's scale is linear below, logarithmic above
_LINEAR_STEP = 200 / 3  # Hz in a mel
_LOG_STEP = np.log(6.4) / 27
_MIN_DEVIATION = 1e-3


@dataclass(frozen=True)
class LogMelSettings:
    """The parameters of log-mel features; the names are librosa's and torchaudio's.

    mel_scale: "slaney" or "htk". norm: "slaney" (filters of equal area) or None. eps: added to an
    energy before its logarithm, for samples from -1 to 1.
    center: a frame's middle is at a multiple of hop_length, and the sound is mirrored at its ends;
    otherwise a frame begins there. frames: number of columns of an input.
    """

    sample_rate: int = 16000
    n_fft: int = 512
    win_length: int = 512
    hop_length: int = 256
    n_mels: int = 40
    f_min: float = 20.0
    f_max: float = 8000.0
    mel_scale: str = "slaney"
    norm: str | None = "slaney"
    eps: float = 1e-6
    center: bool = False
    frames: int = 64

    @property
    def rate(self):
        """The sample rate, as in the settings of other features."""
        return self.sample_rate


def _mel(hertz, scale):
    if scale == "htk":
        return 2595 * np.log10(1 + hertz / 700)
    above = _LINEAR_HZ / _LINEAR_STEP + np.log(max(hertz, 1e-9) / _LINEAR_HZ) / _LOG_STEP
    return above if hertz >= _LINEAR_HZ else hertz / _LINEAR_STEP


def _hertz(mels, scale):
    if scale == "htk":
        return 700 * (10 ** (mels / 2595) - 1)
    above = _LINEAR_HZ * np.exp(_LOG_STEP * (mels - _LINEAR_HZ / _LINEAR_STEP))
    return np.where(mels * _LINEAR_STEP >= _LINEAR_HZ, above, mels * _LINEAR_STEP)


def mel_filters(settings):
    """Return the filters, float64 [n_mels, n_fft / 2 + 1]: librosa.filters.mel()."""
    s = settings
    low, high = _mel(s.f_min, s.mel_scale), _mel(s.f_max, s.mel_scale)
    edges = _hertz(np.linspace(low, high, s.n_mels + 2), s.mel_scale)
    bins = np.arange(s.n_fft // 2 + 1) * s.sample_rate / s.n_fft
    left, middle, right = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rising, falling = (bins - left) / (middle - left), (right - bins) / (right - middle)
    filters = np.maximum(0, np.minimum(rising, falling))
    return filters * 2 / (right - left) if s.norm == "slaney" else filters


def columns(samples, settings):
    """Return the logarithms of mel energies, float64 [columns, n_mels], of int16 samples."""
    s = settings
    x = np.asarray(samples) / 32768
    if s.center:
        x = np.pad(x, s.n_fft // 2, mode="reflect")
    window = np.zeros(s.n_fft)
    first = (s.n_fft - s.win_length) // 2
    angles = 2 * np.pi * np.arange(s.win_length) / s.win_length
    window[first : first + s.win_length] = 0.5 - 0.5 * np.cos(angles)
    frames = np.lib.stride_tricks.sliding_window_view(x, s.n_fft)[:: s.hop_length]
    filters = mel_filters(s).T
    found = np.empty((len(frames), s.n_mels))
    for at in range(0, len(frames), 1000):
        spectra = np.fft.rfft(frames[at : at + 1000] * window)
        found[at : at + 1000] = np.log((np.abs(spectra) ** 2) @ filters + s.eps)
    return found


def normalized(columns):
    """Return columns with a mean of 0 and a standard deviation (of n - 1) of 1."""
    deviation = max(columns.std(ddof=1), _MIN_DEVIATION)
    return (columns - columns.mean()) / deviation


def clip_features(samples, settings):
    """Return the normalized features of a clip, float64 [frames, n_mels].

    Missing columns are silence, the logarithm of eps; columns after `frames` are omitted.
    """
    found = columns(samples, settings)[: settings.frames]
    silence = np.full((settings.frames - len(found), settings.n_mels), np.log(settings.eps))
    return normalized(np.concatenate([found, silence]))
