# tflm_tools: training: the folder of a training, with a recipe that a continued one must have
# MIT license; Copyright (c) 2026 the tflm authors

import json

from .. import files
from ..errors import ToolError

_WORK = "work"  # folder of intermediate files, which is removed in the end


def open_folder(folder, recipe, resume):
    """Return the folder of intermediate files below `folder`, which must be new or empty.

    recipe: a dict of the training's parameters. resume: `folder` must be of a training with the
    same recipe. Raises ToolError.
    """
    known = folder / _WORK / "recipe.json"
    if resume:
        if not known.exists():
            raise ToolError(f"{folder} has no training to continue; leave out --resume")
        stored = json.loads(files.read(known))
        for name, value in recipe.items():
            if stored.get(name) != value:
                raise ToolError(
                    f"{folder} was begun with {name} {stored.get(name)!r}, not {value!r}; give "
                    "the same value, or another folder"
                )
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        advice = "give --resume to continue" if known.exists() else "name a new one"
        raise ToolError(f"{folder} exists and is not empty; {advice}")
    else:
        files.make_folder(folder / _WORK)
        files.write(known, json.dumps(recipe).encode())
    return folder / _WORK
