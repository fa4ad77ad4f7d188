# tflm.speech: load(): the SpeechDetector or WordRecognizer that a metadata JSON describes.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError, ModelError, check
from ..micropython_port import collect
from ..model_beside import find_model, is_file_name, read_early, read_json

_MAX_BYTES = 16384

# The settings of the features and their types; a JSON that omits one has the default of Settings.
_FEATURES = {
    "sample_rate": int,
    "n_fft": int,
    "win_length": int,
    "hop_length": int,
    "n_mels": int,
    "f_min": (int, float),
    "f_max": (int, float),
    "mel_scale": str,
    "norm": str,
    "eps": float,
    "center": bool,
}
_DETECTOR = {"threshold": (int, float), "smooth_frames": int, "look_back": int}
_RECOGNIZER = {"threshold": (int, float), "level": (int, float)}


def load(path, model=None, arena=None, spectrum=None, copy=None, trusted=False, **options):
    """Return the SpeechDetector or WordRecognizer of a metadata JSON: `speech.load("words.json")`.

    path: of the JSON. One with "classes" describes a recognizer, one with "window_frames" a
        detector. model: path of the model; without it the JSON's "model" names a file beside the
        JSON. A .tflm of this name (`tflm flatten`) is preferred.
    arena: as for Interpreter. spectrum: as for LogMel. copy, trusted: as for tflm.load().
    options: threshold, smooth_frames, look_back, level replace the JSON's.

    Keys of the JSON, with their defaults: sample_rate (16000), n_fft (512), win_length (n_fft),
    hop_length (256), n_mels (40), f_min (20), f_max (half the rate), mel_scale and norm
    ("slaney"), as in librosa, in samples; eps (1e-6), added to an energy before its logarithm;
    center (true for recognizers): a column's middle is at a multiple of the hop; threshold (0.5),
    the least probability; smooth_frames (16) and look_back (8192 samples) of the Segmenter; level
    (0), the root mean square to which quieter clips are amplified; target_frames, clip_seconds.

    Raises ModelError for an invalid JSON or model, OSError for a missing file.
    """
    check("path", path, isinstance(path, str), "a text")
    metadata = read_json(path, _MAX_BYTES)
    if not isinstance(metadata, dict):
        _raise_invalid(path, "is no JSON object")
    model = _model_path(path, metadata, model)
    if not copy:
        model = read_early(model)
    is_recognizer = "classes" in metadata
    names = _RECOGNIZER if is_recognizer else _DETECTOR
    for name, value in _read(path, metadata, names).items():
        options.setdefault(name, value)
    settings = _read(path, metadata, _FEATURES)
    frames = "target_frames" if is_recognizer else "window_frames"
    settings["frames"] = _field(path, metadata, frames, int)
    settings.setdefault("center", is_recognizer)
    from ..loading import load as load_model

    model = load_model(model, trusted, copy)
    collect()
    try:
        from .log_mel import Settings

        settings = Settings(**settings)
        if not is_recognizer:
            from .detector import SpeechDetector

            return SpeechDetector(model, settings, arena, spectrum, **options)
        from .recognizer import WordRecognizer

        classes = _classes(path, metadata)
        length = _length(path, metadata, settings)
        return WordRecognizer(model, classes, settings, length, arena, spectrum, **options)
    except InputError as error:
        text = str(error)
    _raise_invalid(path, "has an invalid setting: " + text.split(";")[0])


def _raise_invalid(path, what):
    raise ModelError(
        "%s %s; the metadata of a speech model names n_mels, hop_length, and classes and "
        "target_frames of a recognizer or window_frames of a detector" % (path, what)
    )


def _field(path, metadata, name, kinds):
    value = metadata.get(name)
    if value is None:
        _raise_invalid(path, 'lacks "%s"' % name)
    is_bool = isinstance(value, bool)
    if not isinstance(value, kinds) or is_bool and kinds is not bool:
        _raise_invalid(path, 'has for "%s" %r' % (name, value))
    return value


# Return the fields that the JSON has, as a dict.
def _read(path, metadata, names):
    found = {}
    for name, kinds in names.items():
        if metadata.get(name) is not None:
            found[name] = _field(path, metadata, name, kinds)
    if "norm" in found and found["norm"] == "none":
        found["norm"] = None
    return found


def _classes(path, metadata):
    classes = metadata["classes"]
    if not isinstance(classes, list) or not all([isinstance(name, str) for name in classes]):
        _raise_invalid(path, "has classes that are no list of texts")
    return classes


# Return the samples of a clip.
def _length(path, metadata, settings):
    if metadata.get("clip_seconds") is None:
        return settings.length
    seconds = _field(path, metadata, "clip_seconds", (int, float))
    length = int(seconds * settings.sample_rate + 0.5)
    if not 0 < length <= 1 << 20:
        _raise_invalid(path, 'has for "clip_seconds" %r' % seconds)
    return length


def _model_path(path, metadata, model):
    if model is not None:
        return model
    name = metadata.get("model")
    if not isinstance(name, str) or not is_file_name(name):
        _raise_invalid(path, "names no model beside it; pass model= its path")
    return find_model(path, name)
