# tflm_tools: what an app of firmware/apps brings to a board's /rom
# MIT license; Copyright (c) 2026 the tflm authors

from .. import files
from ..errors import ToolError
from ..flat.flatten import flatten

# An app is a folder with main.py, other modules, and five things that are optional:
# `model`, a file with the path of its model (/rom/model.tflm), from this folder; `models`, lines
# of "NAME PATH" of further ones (/rom/NAME); `rom`, a folder of files that go there as they are;
# `runs_on`, the ports of MicroPython that have the hardware it needs, where not all have;
# `rooms`, folders of tflm that its firmware has beside the runtime.


def rom_files(app, model=None, target=None):
    """{name: bytes} of /rom for the app in folder `app` (a Path).

    model: path of a .tflite or .tflm for model.tflm, None for the app's own, if it has one.
    Models are flattened for `target`. Raises ToolError for files that cannot be read.
    """
    contents = {}
    if model is None and (app / "model").exists():
        model = app / files.read(app / "model").decode().strip()
    if model is not None:
        contents["model.tflm"] = flat(model, target)
    contents.update(further_models(app, target))
    for path in sorted((app / "rom").glob("*")):
        contents[path.name] = files.read(path)
    return contents


def further_models(app, target=None):
    """{name: bytes} of the models that the file `models` of the app names."""
    if not (app / "models").exists():
        return {}
    contents = {}
    for line in files.read(app / "models").decode().splitlines():
        name, _, path = line.partition(" ")
        if not path:
            raise ToolError(f"{app / 'models'}: {line!r} is no name and path; write NAME PATH")
        contents[name] = flat(app / path.strip(), target)
    return contents


def flat(model, target=None):
    """The .tflm bytes of a .tflite file; a .tflm as it is."""
    data = files.read(model)
    return flatten(data, target=target) if str(model).endswith(".tflite") else data
