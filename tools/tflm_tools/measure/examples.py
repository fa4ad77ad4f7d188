# tflm_tools: examples: reads a folder per class, or a .csv, as the arrays x and y of a data set
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter
from pathlib import Path

import numpy as np

from ..errors import ToolError
from ..model import media


def is_examples(path):
    """True for a folder or a .csv, which arrays_of() reads."""
    return Path(path).is_dir() or Path(path).suffix.lower() == ".csv"


def arrays_of(path, inputs, labels=(), pixels=None, limit=None, with_targets=True):
    """Read a folder or .csv for a model with one input; returns {"x": real numbers, "y": classes}.

    A folder contains a folder for each class, with images, sounds or tables for
    media.real_values(). The folders are named by the labels of the model, or by the numbers of the
    classes; other names are numbered in alphabetical order.
    A .csv has a row for each example: its numbers, then its class. If the input has a
    FeatureBlock, the numbers are samples.
    inputs: a list of TensorInfo. labels: of the model. pixels: as for media.real_values(). limit:
    maximum number of examples, sampled evenly. with_targets: False if classes may be missing;
    without classes the files are in the folder itself, and the rows only hold numbers.
    Raises ToolError.
    """
    if len(inputs) != 1:
        raise ToolError(
            f"the model has {len(inputs)} inputs, {path} is for one; save arrays x0, x1 and y "
            "with numpy.savez"
        )
    if not Path(path).is_dir():
        return _table(path, inputs[0], with_targets)
    files = [] if with_targets else [(file, None) for file in _media(path)]
    files = files or _files(path, labels)
    if limit and limit < len(files):
        files = [files[i * len(files) // limit] for i in range(limit)]
    _check_rates([file for file, _ in files], inputs[0])
    shape = media.of_one(inputs[0].shape)
    found = [media.real_values(file, inputs[0], pixels).reshape(shape) for file, _ in files]
    if files[0][1] is None:
        return {"x": np.stack(found)}
    return {"x": np.stack(found), "y": np.array([number for _, number in files])}


# The images, sounds and tables in a folder.
def _media(folder):
    return [file for file in sorted(Path(folder).iterdir()) if media.is_media(file)]


# Refuse sounds of another sample rate than the FeatureBlock's, or than most sounds without one.
def _check_rates(files, info):
    rates = {
        file: media.sample_rate(file) for file in files if file.suffix.lower() in media.SOUNDS
    }
    if not rates:
        return
    wanted, owner = Counter(rates.values()).most_common(1)[0][0], "most other sounds have"
    if info.block:
        wanted, owner = info.block.settings.rate, "the features need"
    for file, rate in rates.items():
        if rate != wanted:
            raise ToolError(
                f"{file} has {rate:g} samples per second, {owner} {wanted:g}; resample it"
            )


def classes_of(path, labels):
    """Return {number of a class: name of its folder} of a folder, {} for other data."""
    if isinstance(path, dict) or not Path(path).is_dir():
        return {}
    names = [folder.name for folder in _folders(path)]
    return dict(zip(_numbers(names, labels), names, strict=True))


# The folders of the classes. Folders like .ipynb_checkpoints and __MACOSX are no classes.
def _folders(path):
    folders = sorted(each for each in Path(path).iterdir() if each.is_dir())
    return [each for each in folders if not each.name.startswith((".", "__"))]


# The numbers of the classes whose folders have these names.
def _numbers(names, labels):
    if all(name in labels for name in names):
        return [labels.index(name) for name in names]
    if all(name.isdecimal() for name in names):
        return [int(name) for name in names]
    return list(range(len(names)))


# [(file, class)] of a folder.
def _files(path, labels):
    folders = _folders(path)
    if not folders:
        raise ToolError(f"{path} has no folders; make one for each class, with its files in it")
    numbers = _numbers([folder.name for folder in folders], labels)
    found = []
    for folder, number in zip(folders, numbers, strict=True):
        examples = _media(folder)
        if not examples:
            raise ToolError(
                f"{folder} holds no images, sounds or tables; add examples of this class, or "
                "remove the folder"
            )
        found += [(file, number) for file in examples]
    return found


def _table(path, info, with_targets):
    rows = np.array(media.rows(path))
    elements = info.block.samples if info.block else int(np.prod(info.shape))
    if not with_targets and rows.shape[1] == elements:
        return {"x": _inputs(rows, info)}
    if rows.shape[1] != elements + 1:
        raise ToolError(
            f"{path} has {rows.shape[1]} columns, input '{info.name}' has {elements} numbers; "
            "write those, and then the class"
        )
    if (rows[:, -1] != np.round(rows[:, -1])).any():
        raise ToolError(f"{path}: the last column is not a class; write whole numbers there")
    return {"x": _inputs(rows[:, :-1], info), "y": rows[:, -1].astype(np.int64)}


# Rows of numbers as inputs; of samples, if the input has a FeatureBlock.
def _inputs(rows, info):
    if info.block:
        rows = np.stack([info.block.features_of(row, info) for row in rows])
    return rows.reshape(-1, *media.of_one(info.shape))
