# tflm_tools: examples: reads a folder per class, or a .csv, as the arrays x and y of a data set
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..errors import ToolError
from ..model import media
from ..model.csv_table import read_table
from .class_order import LABELS, ClassOrder, order_of
from .csv_examples import read_examples, windows_of


@dataclass
class ReadExamples:
    """arrays: {"x": real numbers, "y": classes or values}, without "y" if there are none.

    order: the ClassOrder of classes with names, else None. notes: what was left out.
    """

    arrays: dict[str, np.ndarray]
    order: ClassOrder | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ReadOptions:
    """How a folder or .csv is read.

    labels: names of the model's outputs; source: LABELS, or GIVEN if the user gave them. pixels:
    as for media.real_values(). limit: maximum number of examples, sampled evenly. with_targets:
    False if classes may be missing; without classes the files are in the folder itself, and the
    rows only hold numbers.
    """

    labels: tuple[str, ...] = ()
    source: str = LABELS
    pixels: tuple[float, float] | None = None
    limit: int | None = None
    with_targets: bool = True


def is_examples(path):
    """True for a folder or a .csv, which read_folder_or_csv() reads."""
    return Path(path).is_dir() or Path(path).suffix.lower() == ".csv"


def read_folder_or_csv(path, inputs, outputs, options):
    """Read a folder or .csv for a model with one input; return ReadExamples.

    A folder contains a folder for each class, with images, sounds or tables for
    media.real_values(); a table with more rows than the input is cut into windows. The names of
    the folders, or the words of a .csv (csv_examples.read_examples()), are labels of the model or
    numbers of its outputs; others are numbered in alphabetical order. If the input has a
    FeatureBlock, the numbers are samples.
    inputs, outputs: lists of TensorInfo; outputs may be None. Raises ToolError.
    """
    if len(inputs) != 1:
        raise ToolError(
            f"the model has {len(inputs)} inputs, {path} is for one; save arrays x0, x1 and y "
            "with numpy.savez"
        )
    if not Path(path).is_dir():
        return _table(path, inputs[0], outputs, options)
    files = [] if options.with_targets else [(file, None) for file in _media(path)]
    order = None
    if not files:
        files, order = _files(path, options)
    limit = options.limit
    if limit and limit < len(files):
        files = [files[i * len(files) // limit] for i in range(limit)]
    _check_rates([file for file, _ in files], inputs[0])
    found = [(_examples(file, inputs[0], options.pixels), number) for file, number in files]
    x = np.concatenate([examples for examples, _ in found])
    if files[0][1] is None:
        return ReadExamples({"x": x})
    y = np.array([number for examples, number in found for _ in examples])
    if limit and limit < len(x):
        chosen = [i * len(x) // limit for i in range(limit)]
        x, y = x[chosen], y[chosen]
    return ReadExamples({"x": x, "y": y}, order)


# The examples in a file: [n, *shape of one example]; several only of a table with more rows.
def _examples(file, info, pixels):
    if file.suffix.lower() == ".csv":
        found = windows_of(read_table(file), info)
        if found is not None:
            return found
    return media.real_values(file, info, pixels).reshape(1, *media.of_one(info.shape))


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


# The folders of the classes. Folders like .ipynb_checkpoints and __MACOSX are no classes.
def _folders(path):
    folders = sorted(each for each in Path(path).iterdir() if each.is_dir())
    return [each for each in folders if not each.name.startswith((".", "__"))]


# ([(file, class)], ClassOrder) of a folder.
def _files(path, options):
    folders = _folders(path)
    if not folders:
        raise ToolError(f"{path} has no folders; make one for each class, with its files in it")
    found = []
    for folder in folders:
        examples = _media(folder)
        if not examples:
            raise ToolError(
                f"{folder} holds no images, sounds or tables; add examples of this class, or "
                "remove the folder"
            )
        found += [(file, folder.name) for file in examples]
    names = [folder.name for folder in folders]
    numbers, order = order_of(names, options.labels, options.source)
    return [(file, numbers[name]) for file, name in found], order


def _table(path, info, outputs, options):
    found = read_examples(path, info, outputs, options.with_targets)
    if found.y is None:
        return ReadExamples({"x": found.x}, notes=found.notes)
    if not isinstance(found.y, list):
        return ReadExamples({"x": found.x, "y": found.y}, notes=found.notes)
    numbers, order = order_of(found.y, options.labels, options.source)
    y = np.array([numbers[word] for word in found.y])
    return ReadExamples({"x": found.x, "y": y}, order, found.notes)
