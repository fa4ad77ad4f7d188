# tflm.features: From samples to a model's input: Edge Impulse's blocks of signal processing.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError, damaged
from .settings import METADATA, read_settings

_MODULES = {
    "spectral-analysis": ("spectral", "SpectralAnalysis"),
    "flatten": ("spectral", "Flatten"),
    "spectrogram": ("audio", "Spectrogram"),
    "mfe": ("audio", "MFE"),
    "mfcc": ("audio", "MFCC"),
}


def load(source, length=None, rate=None, axes=None, version=None):
    """Return the block that a JSON of Edge Impulse describes, or its blocks as an Impulse.

    source: path of the JSON, or the parsed dict. length: samples of a window for each axis. rate:
    samples per second. axes: their number. version: the block's implementation version. These
    override the JSON.

    The block has `size`, `shape`, `length`, `axes`, `rate` and `compute(samples, target)`. Raises
    InputError for a JSON that describes no block, and OSError if the file cannot be read.
    """
    if isinstance(source, str):
        source = _read(source)
    return create(read_settings(source, length, rate, axes, version))


def of_model(interp):
    """Return the block that `tflm flatten --features` stored in the model of an Interpreter.

    Raises InputError if the model has none, and ModelError if they are damaged.
    """
    import json

    data = interp.model.metadata().get(METADATA)
    if data is None:
        raise InputError("the model has no features; flatten it with --features block.json")
    try:
        description = json.loads(str(bytes(data), "utf-8"))
    except ValueError:
        raise damaged("its features are no JSON")
    return create(read_settings(description))


def _read(path):
    import json

    with open(path) as file:
        try:
            return json.load(file)
        except ValueError:
            raise InputError("%s is no JSON; export the block's parameters again" % path)


def create(settings):
    """Return the block with some Settings, or the Impulse with some ImpulseSettings."""
    if settings.type == "impulse":
        from .impulse import Impulse

        return Impulse(settings, [create(each) for each in settings.blocks])
    if settings.type == "spectral-analysis" and settings.has_wavelets:
        from .wavelet import WaveletAnalysis

        return WaveletAnalysis(settings)
    if settings.type in ("spectral-analysis", "flatten"):
        from . import spectral as module
    else:
        from . import audio as module

    return getattr(module, _MODULES[settings.type][1])(settings)
