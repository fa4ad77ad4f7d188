# tflm.wake: load(): the WakeWord of a microWakeWord manifest (version 2).
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError, ModelError, check
from ..model_beside import find_model, is_file_name, read_early, read_json

_MAX_BYTES = 8192  # of a manifest; usual ones have 500
_SETTINGS = ("probability_cutoff", "sliding_window_size", "feature_step_size")


def load(path, arena=None, copy=None, trusted=False, **settings):
    """Return the WakeWord of a manifest: `wake.load("okay_nabu.json")`.

    path: of the manifest. The model is beside it, under the name that the manifest gives; a .tflm
        of this name (`tflm flatten`) is preferred, because it starts sooner and uses less RAM.
    arena: as for Interpreter. copy: as for tflm.load().
    trusted: leave out the access checks of a .tflm, as for tflm.load().
    settings: probability_cutoff, sliding_window_size and refractory_ms replace the manifest's.

    Raises ModelError for an invalid manifest or model, OSError for a missing file.
    """
    check("path", path, isinstance(path, str), "a text")
    manifest = _read(path)
    micro = _field(path, manifest, "micro", dict, "an object")
    for name in _SETTINGS:
        if name not in settings:
            settings[name] = _field(path, micro, name, (int, float), "a number")
    wake_word = _field(path, manifest, "wake_word", str, "a text")
    model = _model_path(path, manifest)
    if not copy:
        model = read_early(model)
    from ..loading import load as load_model
    from .word import WakeWord

    model = load_model(model, trusted, copy)
    try:
        return WakeWord(model, wake_word, arena=arena, **settings)
    except InputError as error:
        text = str(error)
    _raise_invalid(path, "has an invalid setting: " + text.split(";")[0])


def _raise_invalid(path, what):
    raise ModelError(
        "%s %s; a manifest of microWakeWord's version 2 has "
        '{"type": "micro", "version": 2, "wake_word", "model", "micro": {...}}' % (path, what)
    )


# Return the manifest as a dict, if its type and version are supported.
def _read(path):
    manifest = read_json(path, _MAX_BYTES)
    if not isinstance(manifest, dict):
        _raise_invalid(path, "is no JSON object")
    if manifest.get("type") != "micro":
        _raise_invalid(path, 'has the type %r, not "micro"' % (manifest.get("type"),))
    if manifest.get("version") != 2:
        _raise_invalid(path, "has the version %r" % (manifest.get("version"),))
    return manifest


def _field(path, table, name, kinds, what):
    value = table.get(name)
    if value is None:
        _raise_invalid(path, 'lacks "%s"' % name)
    if isinstance(value, bool) or not isinstance(value, kinds):
        _raise_invalid(path, 'has for "%s" %r, which is not %s' % (name, value, what))
    return value


# Return the path of the model, which must be in the folder of the manifest.
def _model_path(path, manifest):
    name = _field(path, manifest, "model", str, "a file name")
    if not is_file_name(name):
        _raise_invalid(path, "names the model %r, which is not a file beside it" % name)
    return find_model(path, name)
