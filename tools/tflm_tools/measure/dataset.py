# tflm_tools: dataset: reads the data sets of `tflm eval` and `tflm convert` as inputs of a model
# MIT license; Copyright (c) 2026 the tflm authors

import io
import zipfile
from dataclasses import dataclass, field

import numpy as np

from .. import files
from ..errors import ToolError
from ..model.arrays import DAMAGED, is_exact, load_array, notes_on_values, quantize
from .class_order import ClassOrder, check_count, note_on_labels, values_of_one
from .examples import ReadExamples, ReadOptions, is_examples, read_folder_or_csv

_MAX_BYTES = 1 << 30  # of all arrays of a file; a small file can unpack to any size


@dataclass
class DataSet:
    """The examples of a data set.

    runs[i]: the arrays of one invoke. count: number of examples. batch: examples per invoke.
    labels: the class of each example, or None. values: the wanted output 0 of each, or None.
    notes: sentences about values that look wrong. order: the ClassOrder of classes with names.
    """

    runs: list[list[np.ndarray]] = field(repr=False)
    count: int
    batch: int
    labels: np.ndarray | None
    values: np.ndarray | None
    notes: list[str] = field(default_factory=list)
    order: ClassOrder | None = None


def _shape(shape):
    return "x".join(map(str, shape)) or "scalar"


# The bytes to which a .npz unpacks, by its directory; numpy stops at arrays that are larger.
def _unpacked_bytes(data):
    with zipfile.ZipFile(data) as file:
        return sum(entry.file_size for entry in file.infolist())


# {key: array} of a .npz.
def _arrays(path):
    data = io.BytesIO(files.read(path))
    size = 0
    try:
        if zipfile.is_zipfile(data):
            size = _unpacked_bytes(data)
    except DAMAGED:
        pass  # np.load() reports the damage
    if size > _MAX_BYTES:
        raise ToolError(
            f"{path} unpacks to {size / (1 << 30):,.1f} GB, the limit is {_MAX_BYTES >> 30} GB; "
            "save fewer examples, or a smaller type"
        )
    data.seek(0)
    try:
        with np.load(data, allow_pickle=False) as file:
            found = {key: file[key] for key in file.files}
    except DAMAGED:
        raise ToolError(
            f"{path} is not a .npz of numbers; write it with numpy.savez(file, x=..., y=...)"
        ) from None
    if not all(isinstance(array, np.ndarray) for array in found.values()):
        raise ToolError(f"{path} holds objects that are not arrays; write it with numpy.savez")
    for key, array in found.items():
        if array.dtype.kind not in "biuf":
            raise ToolError(f"{path}: {key} holds {array.dtype}, not numbers; convert it")
    return found


# The keys of the inputs: x, or x0, x1, ...
def _keys(path, found, count, with_targets):
    if count == 1 and "x" in found:
        return ["x"]
    keys = [f"x{i}" for i in range(count)]
    wanted = ["x"] if count == 1 else keys
    if count == 1 and "x0" in found:
        return keys
    for key in [*wanted, *["y"] * with_targets]:
        if key not in found:
            raise ToolError(
                f"{path} has no array {key}, only {', '.join(sorted(found)) or 'nothing'}; "
                f"save {', '.join(wanted)} and y with numpy.savez"
            )
    return keys


# (examples of an input as an array [n, *shape of one example] of its type, examples per invoke).
def _examples(path, key, array, info, notes):
    if info.shape and array.ndim and array.shape[1:] == info.shape[1:]:
        batch = info.shape[0]
    elif array.ndim and _plain(array.shape[1:]) == _plain(info.shape):
        batch = 1
        array = array.reshape((len(array), *info.shape))
    else:
        one = info.shape[1:] if info.shape[:1] == (1,) else info.shape
        raise ToolError(
            f"{path}: {key} has the shape {_shape(array.shape)}, input '{info.name}' requires "
            f"Nx{_shape(one)}; reshape it"
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ToolError(f"{path}: {key} holds a NaN or an infinity; remove it")
    dtype = info.numpy_dtype()
    notes += notes_on_values(array, info, key)
    if array.dtype != dtype:
        if dtype.kind == "f":
            return array.astype(dtype), batch
        if dtype.kind not in "iu":
            raise ToolError(
                f"{path}: {key} holds {array.dtype}, input '{info.name}' is {dtype}; convert it"
            )
        array = quantize(array, info) if info.scale else _as_integers(path, key, array, dtype)
    return array, batch


# A shape without its dimensions of 1.
def _plain(shape):
    return tuple(size for size in shape if size != 1)


# Convert integers to the type of an input without a scale.
def _as_integers(path, key, array, dtype):
    if not is_exact(array, dtype):
        raise ToolError(
            f"{path}: {key} has values that are not {dtype}, the type of the input; convert them"
        )
    return array.astype(dtype)


# Convert one-hot rows to classes; other rows stay unchanged.
def _one_hot(rows):
    if rows.shape[1] > 1 and np.isin(rows, (0, 1)).all() and (rows.sum(1) == 1).all():
        return rows.argmax(1).reshape(-1, 1)
    return rows


# (labels, values) from y: the wanted classes, or the wanted values of output 0; the other is None.
def _targets(path, array, count, outputs):
    if not array.ndim or len(array) != count:
        raise ToolError(
            f"{path}: y has the shape {_shape(array.shape)}, but there are {count} examples in x; "
            "save one y for each"
        )
    if outputs is not None and not outputs:
        raise ToolError("the model has no output to compare with y; use another model")
    flat = _one_hot(array.reshape(count, -1))
    if outputs is None:
        if flat.dtype.kind in "biu" and flat.shape[1] == 1:
            return flat[:, 0].astype(np.int64), None
        raise ToolError(
            f"{path}: y is {array.dtype}, not one class for each example; save integers"
        )
    elements = outputs[0].bytes // outputs[0].numpy_dtype().itemsize
    if flat.dtype.kind in "biu" and flat.shape[1] == 1:
        classes = max(2, values_of_one(outputs[0]))
        labels = flat[:, 0].astype(np.int64)
        if labels.min() < 0 or labels.max() >= classes:
            raise ToolError(
                f"{path}: y holds classes {labels.min()} to {labels.max()}, the model has "
                f"{classes}, starting at 0; give floats if y holds values"
            )
        return labels, None
    if flat.dtype.kind == "f" and flat.shape[1] in (elements, values_of_one(outputs[0])):
        if not np.isfinite(flat).all():
            raise ToolError(f"{path}: y holds a NaN or an infinity; remove it")
        return None, flat.astype(np.float64)
    raise ToolError(
        f"{path}: y is {array.dtype} of the shape {_shape(array.shape)}; give a class for each "
        f"example (integers, N), or values like output '{outputs[0].name}' (floats, "
        f"Nx{_shape(outputs[0].shape[1:])})"
    )


def read(path, inputs, outputs=None, options=None):
    """Read a file or folder; return ReadExamples: x (or x0, x1, ...), and y if there are targets.

    A .npz holds these arrays; without targets a .npy may hold x. A folder or a .csv is read by
    examples.read_folder_or_csv(). options: ReadOptions. Raises ToolError.
    """
    options = options or ReadOptions()
    if is_examples(path):
        return read_folder_or_csv(path, inputs, outputs, options)
    if not options.with_targets and str(path).endswith(".npy"):
        return ReadExamples({"x": load_array(path)})
    return ReadExamples(_arrays(path))


def load(path, inputs, outputs, options=None):
    """Return the DataSet of a file, a folder, or a dict of arrays, for a model.

    path, options: as for read(). inputs, outputs and a dict: as for from_arrays(). Raises
    ToolError.
    """
    options = options or ReadOptions()
    if isinstance(path, dict):
        return from_arrays(path, inputs, outputs, options.limit)
    found = read(path, inputs, outputs, options)
    if outputs is not None and (said := check_count(found.order, outputs)):
        raise ToolError(f"{path}: {said}")
    result = from_arrays(found.arrays, inputs, outputs, options.limit, name=path)
    result.notes = found.notes + result.notes
    result.notes += filter(None, [note_on_labels(found.order, options.labels)])
    result.order = found.order
    return result


def from_arrays(found, inputs, outputs, limit=None, with_targets=True, name="the data"):
    """Return the DataSet of a dict of arrays as read() returns it.

    inputs, outputs: lists of TensorInfo of the model. outputs may be None: then y holds classes of
    any number. limit: maximum number of examples. with_targets: False if y may be missing. name:
    of the data, for errors.
    x (or x0, x1, ... for several inputs) holds N examples. Arrays of the input's type are used
    unchanged; others hold real values and are quantized. y holds N classes (integers or one-hot
    rows), or N values of the shape of output 0 (floats).
    Raises ToolError.
    """
    if not inputs:
        raise ToolError("the model has no inputs for the data; use another model")
    keys = _keys(name, found, len(inputs), with_targets)
    if with_targets and "y" not in found:
        raise ToolError(f"{name} has no array y; save the classes or values with numpy.savez")
    arrays = [found[key] for key in keys]
    for key, array in zip(keys, arrays, strict=True):
        if not array.ndim or len(array) != len(arrays[0]) or not len(array):
            raise ToolError(
                f"{name}: {key} has the shape {_shape(array.shape)}; give N examples, N the same "
                "for all inputs, and at least one"
            )
    count = len(arrays[0])
    labels = values = None
    if "y" in found:
        labels, values = _targets(name, found["y"], count, outputs)
    count = min(count, limit or count)
    notes = []
    examples = [
        _examples(name, key, array[:count], info, notes)
        for key, array, info in zip(keys, arrays, inputs, strict=True)
    ]
    batch = examples[0][1]
    if any(other != batch for _, other in examples):
        raise ToolError(
            f"{name}: the inputs of the model have batches of different sizes; use another model"
        )
    runs = []
    for at in range(0, count, batch):
        chunk = [array[at : at + batch] for array, _ in examples]
        # Repeat the last example until the last batch is full.
        chunk = [np.concatenate([c, np.repeat(c[-1:], batch - len(c), 0)]) for c in chunk]
        runs.append(
            [np.ascontiguousarray(c.reshape(i.shape)) for c, i in zip(chunk, inputs, strict=True)]
        )
    labels = labels if labels is None else labels[:count]
    return DataSet(runs, count, batch, labels, values if values is None else values[:count], notes)
