# tflm_tools: speech: pitch, spectral envelope and aperiodicity of a voice, for tflm.speech.Vocoder
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

RATE = 16000
FRAME = 80  # samples from one frame to the next
BANDS, SHARES = 48, 12  # of a frame: amplitudes, aperiodicities
LEAST = 1e-4  # amplitude: 80 dB below full scale
_FFT = 1024
_LAGS = np.arange(RATE // 500, RATE // 60)  # of a pitch from 60 to 500 Hz
_SPAN = 640  # samples that the search of a pitch looks at
_LEAST_CORRELATION = 0.55  # of voiced sound
_UNVOICED_PITCH = 200.0  # which sets the window of the envelope
_Q0, _Q1 = 1.18, -0.09  # of CheapTrick's filter


def _mel(hertz):
    return np.log(1 + hertz / 700)


# Return the frequencies at equal distances in mel from 0 to 8000 Hz.
def _centers(count):
    return 700 * (np.exp(np.linspace(0, _mel(RATE / 2), count)) - 1)


# Return the normalized correlation of each frame with the sound one lag later: [frames, lags].
def _correlations(padded, starts):
    power = np.concatenate([[0], np.cumsum(padded**2)])
    rows = []
    for start in starts:
        section = padded[start : start + _SPAN]
        later = padded[start : start + _SPAN + _LAGS[-1] + 1]
        dots = np.correlate(later, section, "valid")[_LAGS]
        first = power[start + _SPAN] - power[start]
        second = power[start + _LAGS + _SPAN] - power[start + _LAGS]
        rows.append(dots / np.sqrt(first * second + 1e-4))
    return np.array(rows)


def pitches(samples):
    """Return the pitch of each frame in Hz, 0 where there is no voice.

    samples: float, -1 to 1. The path of lags with the largest correlations and the smallest jumps
    is found by dynamic programming.
    """
    count = len(samples) // FRAME
    padded = np.pad(samples, (_SPAN // 2, _SPAN + len(_LAGS) + 500))
    found = _correlations(padded, FRAME * np.arange(count))
    scores = found - 0.0004 * _LAGS  # of two periods, the shorter one
    distance = 4 * np.abs(np.log2(_LAGS[:, None] / _LAGS[None, :]))
    best = scores[0]
    back = []
    for row in scores[1:]:
        total = best[None, :] - distance
        back.append(total.argmax(1))
        best = total.max(1) + row
    path = [int(best.argmax())]
    for row in reversed(back):
        path.append(int(row[path[-1]]))
    path = np.array(path[::-1])
    result = np.zeros(count)
    for i, k in enumerate(path):
        if found[i, k] < _LEAST_CORRELATION:
            continue
        lag = float(_LAGS[k])
        if 0 < k < len(_LAGS) - 1:  # the top of a parabola
            a, b, c = found[i, k - 1 : k + 2]
            lag += np.clip(0.5 * (a - c) / min(a - 2 * b + c, -1e-6), -0.5, 0.5)
        result[i] = RATE / lag
    return result


# Return the amplitudes of the bands at a sample: CheapTrick (M. Morise, 2015).
def _envelope(padded, at, pitch):
    half = int(1.5 * RATE / pitch)
    section = padded[at - half : at + half + 1]
    window = 0.5 + 0.5 * np.cos(np.pi * np.arange(-half, half + 1) / (1.5 * RATE / pitch))
    section = section * window / np.sqrt(np.sum(window**2))
    section = section - window * section.mean() / window.mean()
    power = np.abs(np.fft.rfft(section, _FFT)) ** 2
    # 1. The mean of the powers within 2/3 of the pitch.
    width = pitch * _FFT / RATE / 3
    mirrored = np.concatenate([power[:0:-1], power, power[-2::-1]])
    sums = np.concatenate([[0], np.cumsum(mirrored)])
    bins = np.arange(len(power)) + len(power) - 1 + 0.5
    grid = np.arange(len(sums))
    smooth = np.interp(bins + width, grid, sums) - np.interp(bins - width, grid, sums)
    # 2. The cepstrum without what repeats with the pitch.
    logs = np.log(smooth / (2 * width) + 1e-12)
    quefrency = np.minimum(np.arange(_FFT), _FFT - np.arange(_FFT)) / RATE
    cepstrum = np.fft.irfft(logs)
    cepstrum *= np.sinc(pitch * quefrency)
    cepstrum *= _Q0 + 2 * _Q1 * np.cos(2 * np.pi * pitch * quefrency)
    return np.exp(np.fft.rfft(cepstrum).real / 2)


# Return the matrix that makes bands of the 513 bins: triangles between the neighbouring bands.
def _band_filters():
    centers = _centers(BANDS)
    hertz = np.linspace(0, RATE / 2, _FFT // 2 + 1)
    rows = []
    for i in range(BANDS):
        row = np.interp(hertz, centers, np.eye(BANDS)[i])
        if row.sum() < 1:  # narrower than a bin
            row = np.interp(hertz, hertz, np.maximum(0, 1 - np.abs(hertz - centers[i]) / 16))
        rows.append(row / row.sum())
    return np.array(rows)


# Return the sound in each band of aperiodicity: [bands, samples].
def _split(samples):
    centers = _centers(SHARES)
    spectrum = np.fft.rfft(samples)
    hertz = np.fft.rfftfreq(len(samples), 1 / RATE)
    bands = [np.interp(hertz, centers, np.eye(SHARES)[i]) for i in range(SHARES)]
    return np.array([np.fft.irfft(spectrum * band, len(samples)) for band in bands])


# Return the aperiodicity of each band at a sample: what is not repeated a period later.
def _aperiodicity(bands, at, pitch):
    period = RATE / pitch
    half = int(period)
    section = bands[:, at - half : at + half]
    power = np.sum(section**2, 1)
    best = np.zeros(SHARES)
    for lag in range(int(period) - 2, int(period) + 4):
        later = bands[:, at - half + lag : at + half + lag]
        size = np.sqrt(power * np.sum(later**2, 1)) + 1e-9
        best = np.maximum(best, np.sum(section * later, 1) / size)
    return np.sqrt(1 - np.minimum(best, 1))


def analyze(samples):
    """Return (values, pitches) of a sound: float32 [frames, 60], and Hz of each frame.

    samples: float, -1 to 1, 16 kHz. values: see tflm.speech.Vocoder.
    """
    samples = np.asarray(samples, float)
    hertz = pitches(samples)
    margin = 2 * _FFT
    random = np.random.RandomState(0)  # silence has a level, too
    padded = np.pad(samples, margin) + random.normal(0, 1e-5, len(samples) + 2 * margin)
    bands = _split(padded)
    filters = _band_filters()
    values = np.ones((len(hertz), BANDS + SHARES), np.float32)
    for i, pitch in enumerate(hertz):
        at = margin + FRAME * i
        amplitudes = filters @ _envelope(padded, at, pitch or _UNVOICED_PITCH)
        values[i, :BANDS] = np.log10(np.maximum(amplitudes, LEAST))
        if pitch:
            values[i, BANDS:] = _aperiodicity(bands, at, pitch)
    return values, hertz
