# tflm.wake: load: a WakeWord from a microWakeWord manifest (version 2) and the model it names
# MIT license; Copyright (c) 2026 the tflm authors

import json

from ..errors import InputError, ModelError, check
from ..loading import load as load_model
from .word import WakeWord

_MOST_BYTES = 8192  # of a manifest; those in use have some 500
_KNOWN = ("probability_cutoff", "sliding_window_size", "feature_step_size")


def load(path, arena=None, copy=False, **settings):
    """The WakeWord of a manifest: `wake.load("okay_nabu.json")`.

    The model lies beside the manifest, as its "model" says; a .tflm of the same name, which
    starts sooner and takes less RAM (`tflm flatten`), is taken first. copy: into RAM from ROMFS,
    too, where nothing waits for flash. settings: what is to be other than the manifest says:
    probability_cutoff, sliding_window_size, refractory_ms.
    Raises ModelError for a manifest or model that cannot be used, OSError for a file that is
    not there.
    """
    check("path", path, isinstance(path, str), "a text")
    manifest = _read(path)
    micro = _field(path, manifest, "micro", dict, "an object")
    for name in _KNOWN:
        if name not in settings:
            settings[name] = _field(path, micro, name, (int, float), "a number")
    wake_word = _field(path, manifest, "wake_word", str, "a text")
    model = load_model(_model_path(path, manifest), copy=copy)
    try:
        return WakeWord(model, wake_word, arena=arena, **settings)
    except InputError as error:
        text = str(error)
    _refuse(path, "has a setting that cannot be: " + text.split(";")[0])


def _refuse(path, what):
    raise ModelError(
        "%s %s; a manifest of microWakeWord's version 2 has "
        '{"type": "micro", "version": 2, "wake_word", "model", "micro": {...}}' % (path, what)
    )


# The manifest as a dict, of the kind and version that is read here.
def _read(path):
    try:
        with open(path, "rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            text = file.read(min(size, _MOST_BYTES + 1))  # read() takes this much heap at once
    except OSError as error:
        raise OSError(error.errno, path)  # open() leaves the name out
    manifest = None
    if len(text) <= _MOST_BYTES:
        try:
            manifest = json.loads(text.decode())
        except (ValueError, RuntimeError):  # RuntimeError: nested too deeply
            manifest = None
    if not isinstance(manifest, dict):
        _refuse(path, "is no JSON object")
    if manifest.get("type") != "micro":
        _refuse(path, 'has the type %r, not "micro"' % (manifest.get("type"),))
    if manifest.get("version") != 2:
        _refuse(path, "has the version %r" % (manifest.get("version"),))
    return manifest


def _field(path, table, name, kinds, what):
    value = table.get(name)
    if value is None:
        _refuse(path, 'lacks "%s"' % name)
    if isinstance(value, bool) or not isinstance(value, kinds):
        _refuse(path, 'has for "%s" %r, which is not %s' % (name, value, what))
    return value


# Where the model lies: beside the manifest, and nowhere else.
def _model_path(path, manifest):
    name = _field(path, manifest, "model", str, "a file name")
    if "/" in name or "\\" in name or not name:
        _refuse(path, "names the model %r, which is not a file beside it" % name)
    folder = path[: path.rfind("/") + 1]
    flat = folder + (name[: name.rfind(".")] if "." in name else name) + ".tflm"
    try:
        with open(flat, "rb"):
            return flat
    except OSError:
        return folder + name
