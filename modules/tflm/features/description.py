# tflm.features: reads the parameters of an Edge Impulse block from a project's JSON.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError

# The published parameters of each block and their defaults; [latest implementation version].
_AUDIO = dict(frame_length=0.02, frame_stride=0.01, fft_length=256)
_MEL = dict(num_filters=40, low_frequency=0, high_frequency=0, win_size=101)
FLAGS = ("average", "minimum", "maximum", "rms", "stdev", "skewness", "kurtosis")
DEFAULTS = {
    "spectral-analysis": dict(
        scale_axes=1.0,
        input_decimation_ratio=1,
        filter_type="none",
        filter_cutoff=3.0,
        filter_order=6,
        analysis_type="FFT",
        fft_length=16,
        do_log=True,
        do_fft_overlap=True,
        extra_low_freq=False,
        wavelet="db4",
        wavelet_level=1,
    ),
    "mfe": dict(_AUDIO, noise_floor_db=-52, **_MEL),
    "mfcc": dict(_AUDIO, **_MEL),
    "spectrogram": dict(_AUDIO, noise_floor_db=-52),
    "flatten": dict(scale_axes=1.0),
}
DEFAULTS["mfcc"].update(
    frame_stride=0.02, num_filters=32, num_cepstral=13, pre_cof=0.98, pre_shift=1
)
DEFAULTS["spectrogram"]["fft_length"] = 128
DEFAULTS["flatten"].update({name: True for name in FLAGS})
LATEST = {"flatten": 1}
LATEST_OTHERS = 4
_ALIASES = {"spectral-features": "spectral-analysis", "audio-mfe": "mfe", "audio-mfcc": "mfcc"}

# Names of the sampling rate, the window and the version, as Edge Impulse's files spell them.
RATES = ("frequency_hz", "sampling_freq", "sampling_frequency", "frequency", "sample_rate")
WINDOWS = ("window_size_ms", "window_length_ms", "sample_length_ms")
VERSIONS = ("implementation_version", "latest_implementation_version")
_TYPES = ("cpp_type", "type", "title", "name")

_MAX_DEPTH = 20  # of lists and objects in the JSON
_MAX_NUMBER = 1e9  # products of two such numbers fit a float32
_MAX_TEXT = 40


# Return a name of the JSON in snake_case.
def _snake(name):
    text = ""
    for i, c in enumerate(name):
        if c == "-" or c == " ":
            text += "_"
        elif c.lower() != c:
            text += ("_" if i and name[i - 1] not in "-_ " else "") + c.lower()
        else:
            text += c
    return text


# Return the type of block that a text of the JSON names; None if it names none.
def _block_type(text):
    text = _snake(text).replace("_", "-").replace("(", "").replace(")", "")
    text = text.replace("--", "-")
    if text.endswith("-custom"):
        text = text[: -len("-custom")]
    text = _ALIASES.get(text, text)
    # "Audio (MFE)" and "MFE" have capitals between which _snake() writes a hyphen.
    plain = text.replace("-", "")
    for name in DEFAULTS:
        if plain == name.replace("-", ""):
            return name
    return _ALIASES.get(text)


def collect(node, found, types, depth=0):
    """Collect the parameters below a node of the JSON in the dict `found`.

    Parameters are entries {"param": ..., "value": ...}, and keys with a plain value. The first
    value of a name remains. types: list of the types of blocks that the JSON names. Nodes that are
    too deep, as no project has them, are ignored.
    """
    if depth > _MAX_DEPTH:
        return
    if isinstance(node, list):
        for each in node:
            collect(each, found, types, depth + 1)
        return
    if not isinstance(node, dict):
        return
    if isinstance(node.get("param"), str):
        found.setdefault(_snake(node["param"]), node.get("value", node.get("defaultValue")))
        return
    for key, value in node.items():
        name = _snake(key)
        if name in _TYPES and isinstance(value, str):
            types.append(_block_type(value))
        elif name == "axes" and isinstance(value, list):
            found.setdefault(name, len(value))
        elif isinstance(value, (dict, list)):
            collect(value, found, types, depth + 1)
        elif value is not None:
            found.setdefault(name, value)


def value_of(name, value, default):
    """Return a value of the JSON as the type of `default`; raise InputError for another type."""
    try:
        if isinstance(default, bool):
            if isinstance(value, str):
                return {"true": True, "1": True, "yes": True, "false": False, "0": False}[
                    value.lower()
                ]
            return bool(value)
        if isinstance(default, str):
            return str(value)[:_MAX_TEXT]
        number = float(value)
        is_whole = isinstance(default, int)
        if not abs(number) < _MAX_NUMBER or is_whole and number != int(number):
            raise ValueError
        return int(number) if is_whole else number
    except (KeyError, OverflowError, TypeError, ValueError):
        raise InputError(
            "the block's %s is %s; correct the JSON, its default is %r"
            % (name, repr(value)[:_MAX_TEXT], default)
        )


def number_of(found, names):
    """Return the first of some names in `found` as a number; None without."""
    for name in names:
        if name in found:
            return value_of(name, found[name], 1.0)
    return None
