# tflm.features: checks the parameters of a block, and names a remedy for each wrong one.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError

MAX_SAMPLES = 32768  # of a window: sums of that many values fit the integers of a board
_MAX_FRAMES = 500
_MIN_FFT, _MAX_FFT = 4, 4096
_RATIOS = (1, 3, 10, 30, 100, 1000)
_MIN_COEFFICIENTS = 32  # samples of a window for each coefficient of the last level, at least
_MAX_LEVEL = 10  # of wavelets, with windows of MAX_SAMPLES


def _is_power_of_two(number):
    return number > 0 and number & (number - 1) == 0


def check(settings):
    """Raise InputError for Settings of a block that tflm does not compute."""
    values = settings.values
    size = values.get("fft_length")
    if size is not None and not (_is_power_of_two(size) and _MIN_FFT <= size <= _MAX_FFT):
        raise InputError(
            "fft_length is %d; choose a power of two from %d to %d" % (size, _MIN_FFT, _MAX_FFT)
        )
    if settings.type == "spectral-analysis":
        _check_spectral(settings)
    elif settings.type != "flatten":
        _check_audio(settings)


def _check_spectral(settings):
    values = settings.values
    if values["analysis_type"] not in ("FFT", "Wavelet"):
        raise InputError("analysis-type is %s; choose FFT or Wavelet" % values["analysis_type"])
    if values["filter_type"] not in ("none", "low", "high"):
        raise InputError("filter-type is %s; choose none, low or high" % values["filter_type"])
    ratio, order = values["input_decimation_ratio"], values["filter_order"]
    if ratio not in _RATIOS or ratio > 1 and settings.version < 4:
        raise InputError(
            "input-decimation-ratio is %d; choose %s and version 4"
            % (ratio, ", ".join(str(r) for r in _RATIOS))
        )
    if values["filter_type"] != "none":
        if order not in (0, 2, 4, 6, 8):
            raise InputError("filter-order is %d; choose 0, 2, 4, 6 or 8" % order)
        top = settings.rate / ratio / 2 * (0.9 if ratio > 1 else 1)
        if order and not 0 < values["filter_cutoff"] < top:
            raise InputError(
                "filter-cutoff is %g Hz; choose one below %g Hz" % (values["filter_cutoff"], top)
            )
    left = -(-settings.length // ratio)
    if settings.has_wavelets:
        _check_wavelets(settings, left)
    elif settings.has_low_frequencies and left < values["fft_length"] * 5:
        raise InputError(
            "extra-low-freq needs %d samples, the window has %d; lengthen it"
            % (values["fft_length"] * 5 * ratio, settings.length)
        )


# Check the wavelet for a number of samples after the decimation.
def _check_wavelets(settings, count):
    from .tables import low_pass_filters

    name, level = settings.values["wavelet"], settings.values["wavelet_level"]
    if low_pass_filters(name) is None:
        raise InputError(
            "wavelet is %s; choose haar, db2, sym4, coif1, bior2.2, rbio2.2 or another "
            "published one" % name
        )
    if not 0 <= level <= _MAX_LEVEL or count >> level < _MIN_COEFFICIENTS:
        raise InputError(
            "wavelet-level is %d, the window has %d samples; choose a level from 0 to %d with "
            "%d * 2 ** level samples" % (level, count, _MAX_LEVEL, _MIN_COEFFICIENTS)
        )


def _check_audio(settings):
    values = settings.values
    if settings.axes != 1:
        raise InputError(
            "a block %s has one axis, not %d; make a block for each axis"
            % (settings.type, settings.axes)
        )
    if settings.frame_step < 1 or settings.frame_samples < 1:
        raise InputError("frame_length and frame_stride must be positive; correct the JSON")
    if not 0 < settings.frames <= _MAX_FRAMES:
        raise InputError(
            "the window has %d frames; change its length or frame_stride for 1 to %d"
            % (max(settings.frames, 0), _MAX_FRAMES)
        )
    if "num_filters" in values:
        low, high = values["low_frequency"], settings.high_frequency
        if values["num_filters"] < 2 or not 0 <= low < high <= settings.rate / 2:
            raise InputError(
                "%d filters from %d to %d Hz are not possible; use at least 2, below %d Hz"
                % (values["num_filters"], low, high, settings.rate // 2)
            )
        win_size = values["win_size"]
        if not 0 <= win_size <= MAX_SAMPLES or win_size and win_size % 2 == 0:
            raise InputError("win_size is %d; choose 0 or an odd number" % win_size)
    if settings.type == "mfcc":
        if not 1 <= values["num_cepstral"] <= values["num_filters"]:
            raise InputError(
                "num_cepstral is %d; choose 1 to num_filters, %d"
                % (values["num_cepstral"], values["num_filters"])
            )
        if values["pre_shift"] < 1 or abs(values["pre_cof"]) > 1:
            raise InputError("pre_shift must be positive, pre_cof at most 1; correct the JSON")
