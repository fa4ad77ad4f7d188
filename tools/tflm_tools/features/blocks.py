# tflm_tools: features: Edge Impulse's blocks of signal processing, with numpy in double precision
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from tflm.features.tables import low_pass_filters

_TINY = 1e-10  # stands for a power of 0 before a logarithm


# Return (skewness, excess kurtosis) without correction for bias; (0, -3) for constants.
def _shape_of(x):
    x = x - x.mean()
    variance = (x**2).mean()
    if variance == 0:
        return 0.0, -3.0
    return (x**3).mean() / variance**1.5, (x**4).mean() / variance**2 - 3


# Return the sections (b, a) of a filter with some analog poles in the upper half plane.
def _sections(poles, gain, is_high=False):
    poles = np.asarray(poles)
    z = (1 + poles) / (1 - poles)
    sign = -1 if is_high else 1
    b = np.array([1, 2 * sign, 1])
    found = []
    for pole in z:
        a = np.array([1, -2 * pole.real, abs(pole) ** 2])
        at = np.array([1, sign, 1]) if is_high else np.array([1, 1, 1])
        found.append((b * (a @ at) / 4, a))  # the gain of the pass band is 1
    found[0] = (found[0][0] * gain, found[0][1])
    return found


def butterworth(kind, order, ratio):
    """Return the sections (b, a) of a Butterworth filter; `ratio`: cut-off per sampling rate.

    The coefficients `a` have the 24 bits of float32, as in the block.
    """
    angles = np.pi * (2 * np.arange(order // 2) + 1) / (2 * order)
    poles = np.tan(np.pi * ratio) * (-np.sin(angles) + 1j * np.cos(angles))
    sections = _sections(poles, 1, kind == "high")
    return [(b, a.astype(np.float32).astype(float)) for b, a in sections]


# Return the sections of a Chebyshev filter of order 8 with 0.05 dB of ripple.
def _chebyshev(ratio):
    width = np.arcsinh(1 / np.sqrt(10**0.005 - 1)) / 8
    angles = np.pi * (2 * np.arange(4) + 1) / 16
    poles = -np.sinh(width) * np.sin(angles) + 1j * np.cosh(width) * np.cos(angles)
    return _sections(np.tan(np.pi * 0.4 / ratio) * poles, 10**-0.0025)


def filtered(x, sections):
    """Return a signal filtered by sections (b, a), from rest."""
    for b, a in sections:
        y = np.zeros_like(x)
        x1 = x2 = y1 = y2 = 0.0
        for i, value in enumerate(x):
            y0 = b[0] * value + b[1] * x1 + b[2] * x2 - a[1] * y1 - a[2] * y2
            x1, x2, y1, y2 = value, x1, y0, y1
            y[i] = y0
        x = y
    return x


# Filter as if all samples before were the first one; return each `ratio`-th sample.
def _decimated(x, ratio):
    return (filtered(x - x[0], _chebyshev(ratio)) + x[0] * 10**-0.0025)[::ratio]


# Return the features of an axis whose mean is 0.
def _spectrum_features(x, rate, values, version):
    size = values["fft_length"]
    step = size // 2 if values["do_fft_overlap"] else size
    powers = np.zeros(size // 2 + 1)
    for at in range(0, len(x) + 1, step):
        segment = x[at : at + size]
        powers = np.maximum(powers, abs(np.fft.rfft(segment, size)) ** 2 / size)
    features = [np.sqrt((x**2).mean()), *_shape_of(x)]
    if version >= 4:
        features += _shape_of(powers)
    if values["do_log"]:
        powers = np.log10(np.where(powers == 0, _TINY, powers))
    edge = min(values["filter_cutoff"], rate / 2) * size / rate
    first, end = 1, size // 2 + 1
    if values["filter_type"] == "high":
        first = max(int(edge - 0.5) + 1, 1)
    elif values["filter_type"] == "low":
        end = int(edge + 0.5) + 1
    return [*features, *powers[first:end]]


# Return the coefficients (of the low-pass filter, of the high-pass filter) of a signal, which is
# mirrored at both ends.
def _decomposed(x, low, high):
    padding = len(low) - 1
    padded = np.pad(x, padding, "symmetric")
    found = [np.convolve(padded, each, "valid")[1::2] for each in (low, high)]
    # Mirrored samples cancel each other at an end; a rounding error would cross 0.
    limit = 1e-12 * abs(x).max()
    return [np.where(abs(each) < limit, 0, each) for each in found]


# Return the features of the coefficients of a level.
def _level_features(x):
    if not x.any():
        return np.zeros(14)
    sizes, _ = np.histogram(x, 100)
    shares = sizes[sizes > 0] / len(x)
    ordered, last = np.sort(x), len(x) - 1
    return [
        -(shares * np.log(shares)).sum(),
        *(np.count_nonzero(np.diff(x > edge)) / len(x) for edge in (0, x.mean())),
        *(ordered[int(last * percent / 100 + 0.5)] for percent in (5, 25, 75, 95, 50)),
        x.mean(), x.std(), x.var(ddof=1), np.sqrt((x**2).mean()), *_shape_of(x),
    ]  # fmt: skip


# Return the features of all levels, the approximation first.
def _wavelet_features(x, values):
    low, reconstruction = (np.array(f) / 2**28 for f in low_pass_filters(values["wavelet"]))
    high = reconstruction * (-1.0) ** np.arange(1, len(low) + 1)
    found = []
    for _ in range(values["wavelet_level"]):
        x, details = _decomposed(x, low, high)
        found.insert(0, _level_features(details))
    return np.concatenate([_level_features(x), *found])


def _spectral_analysis(data, rate, values, version, has_wavelets):
    features, low_features = [], []
    ratios = {1: [], 3: [3], 10: [10], 30: [3, 10], 100: [10, 10], 1000: [10, 10, 10]}
    ratio = values["input_decimation_ratio"]
    rate = rate / ratio
    for x in data.T:
        x = x * values["scale_axes"]
        for each in ratios[ratio]:
            x = _decimated(x, each)
        kind, order = values["filter_type"], values["filter_order"]
        if kind != "none" and order:
            x = filtered(x, butterworth(kind, order, values["filter_cutoff"] / rate))
        x = x - x.mean()
        if has_wavelets:
            features += [*_wavelet_features(x, values)]
            continue
        features += _spectrum_features(x, rate, values, version)
        if version >= 4 and values["extra_low_freq"]:
            low = _decimated(x, 10)
            low_features += _spectrum_features(low - low.mean(), rate / 10, values, version)
    return np.array(features + low_features)


def _flatten(data, values):
    features = []
    for x in data.T:
        x = x * values["scale_axes"]
        skewness, kurtosis = _shape_of(x)
        found = {
            "average": x.mean(), "minimum": x.min(), "maximum": x.max(),
            "rms": np.sqrt((x**2).mean()), "stdev": x.std(),
            "skewness": skewness, "kurtosis": kurtosis,
        }  # fmt: skip
        features += [found[name] for name in found if values[name]]
    return np.array(features)


# Return a number of samples: a time whose product with the rate is almost whole is not rounded up.
def _samples(seconds, rate):
    count = seconds * rate
    return int(count) if count - int(count) < 0.001 else int(np.ceil(count))


# Return the power spectra of the frames of a signal.
def _powers(x, rate, values, version):
    length = _samples(values["frame_length"], rate)
    if version == 1:
        length = int(np.round(values["frame_length"] * rate))
    step = _samples(values["frame_stride"], rate)
    count = (len(x) - length) // step + int(version > 1)
    frames = np.stack([x[i * step : i * step + length] for i in range(count)])
    size = values["fft_length"]
    return abs(np.fft.rfft(frames, size)) ** 2 / size


# Return the weights [filters, bins] of the mel filters.
def _mel(rate, values, version):
    bins, count = values["fft_length"] // 2 + 1, values["num_filters"]
    low, high = values["low_frequency"], values["high_frequency"] or rate / 2
    mels = np.linspace(np.log(1 + low / 700), np.log(1 + high / 700), count + 2)
    hertz = 700 * (np.exp(mels) - 1)
    hertz[-1] -= 0.001
    points = bins if version <= 3 else values["fft_length"]
    edges = np.floor((points + 1) * hertz / rate).astype(int)
    weights = np.zeros((count, bins))
    for row, left, middle, right in zip(weights, edges, edges[1:], edges[2:]):  # noqa: B905
        for k in range(left, right + 1):
            if middle <= k < right:
                row[k] = (right - k) / (right - middle)
            elif left < k <= middle:
                row[k] = (k - left) / (middle - left)
    return weights


# Return the numbers [rows + size - 1] of the rows around each row, mirrored at both ends.
def _windows(x, size):
    padded = np.pad(x, ((size // 2, size // 2), (0, 0)), "symmetric")
    return np.stack([padded[i : i + size] for i in range(len(x))])


def _in_decibels(powers, floor, limit=None):
    decibels = 10 * np.log10(np.clip(powers, 1e-30, None))
    return np.clip((decibels - floor) / (12 - floor), 0, limit)


def _mfe(x, rate, values, version):
    if version >= 3:
        x = x / 2**15
        x = x - 0.98 * np.roll(x, 1)
    energies = _powers(x, rate, values, version) @ _mel(rate, values, version).T
    energies = np.where(energies == 0, _TINY, energies)
    if version >= 3:
        steps = np.around(_in_decibels(energies, values["noise_floor_db"], 1) * 256)
        return np.clip(steps, 0, 255) / 256
    found = energies - _windows(energies, values["win_size"]).mean(axis=1)
    if found.min() and found.max():
        found = (found - found.min()) / (found.max() - found.min())
    return found


def _mfcc(x, rate, values, version):
    x = x - values["pre_cof"] * np.roll(x, values["pre_shift"])
    powers = _powers(x, rate, values, version)
    energies = powers @ _mel(rate, values, version).T
    count = values["num_filters"]
    j, k = np.meshgrid(np.arange(count), np.arange(values["num_cepstral"]))
    cosines = np.cos(np.pi * (2 * j + 1) * k / (2 * count)) * np.sqrt(2 / count)
    cosines[0] /= np.sqrt(2)
    found = np.log(np.where(energies == 0, _TINY, energies)) @ cosines.T
    total = powers.sum(axis=1)
    found[:, 0] = np.log(np.where(total == 0, _TINY, total))
    size = values["win_size"]
    if size:
        found = found - _windows(found, size).mean(axis=1)
        found = found / (_windows(found, size).std(axis=1) + _TINY)
    return found


def _spectrogram(x, rate, values, version):
    if version == 3 and (abs(x) > 1).any():
        x = x / 2**15
    powers = _powers(x, rate, values, version)
    if version < 3:
        return (powers - powers.min()) / (powers.max() - powers.min())
    return _in_decibels(powers, values["noise_floor_db"], 1 if version == 3 else None)


def features(settings, data):
    """Return the features (flat) of samples [length * axes], in double precision."""
    if settings.type == "impulse":
        return np.concatenate([features(each, data) for each in settings.blocks])
    data = np.asarray(data, float).reshape(-1, settings.axes)
    arguments = settings.rate, settings.values, settings.version
    if settings.type == "flatten":
        return _flatten(data, settings.values)
    if settings.type == "spectral-analysis":
        return _spectral_analysis(data, *arguments, settings.has_wavelets)
    block = {"mfe": _mfe, "mfcc": _mfcc, "spectrogram": _spectrogram}[settings.type]
    return block(data[:, 0], *arguments).reshape(-1)
