# tflm_tools: apps: collects the files of an app of firmware/apps for a board's /rom
# MIT license; Copyright (c) 2026 the tflm authors

from .. import files
from ..errors import ToolError
from ..flat.flatten import flatten

# An app is a folder with main.py and other modules. It may also have:
#
#   model     a file with the path of the app's model, relative to the folder (/rom/model.tflm)
#   models    lines "NAME PATH" of further models (/rom/NAME)
#   rom       a folder of files that are copied to /rom
#   runs_on   the ports of MicroPython with the hardware that the app needs, if not all have it
#   packages  the packages of tflm that its firmware includes in addition to the runtime


def rom_files(app, model=None, target=None):
    """Return {name: bytes} of /rom for the app in folder `app` (a Path).

    model: path of a .tflite or .tflm that replaces the app's own model. target: models are
    flattened for it. Raises ToolError for files that cannot be read.
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
    """Return {name: bytes} of the models that the file `models` of the app names."""
    if not (app / "models").exists():
        return {}
    contents = {}
    for line in files.read(app / "models").decode().splitlines():
        name, _, path = line.partition(" ")
        if not path:
            raise ToolError(
                f"{app / 'models'}: {line!r} is not a name and a path; write NAME PATH"
            )
        contents[name] = flat(app / path.strip(), target)
    return contents


def flat(model, target=None):
    """Return the .tflm (bytes) of a .tflite file, or the content of a .tflm file."""
    data = files.read(model)
    return flatten(data, target=target) if str(model).endswith(".tflite") else data
