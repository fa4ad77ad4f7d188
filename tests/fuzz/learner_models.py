# Models with a Learner's head, as learn/model_file.py writes them on a board
# MIT license; Copyright (c) 2026 the tflm authors

import random
import tempfile
from pathlib import Path
from types import SimpleNamespace

from support.single_op import Tensor, single_op
from tflm.learn.model_file import LAYOUTS, save_model
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten

_SIZE, _COUNT, _CLASSES, _K = 12, 5, 3, 2
_BYTES = {
    "means": 2 * _SIZE * _CLASSES, "weights": 2 * _SIZE * _CLASSES, "examples": _SIZE * _COUNT,
    "numbers": _COUNT, "found": 8 * _K,
}  # fmt: skip
_NUMBERS = {"size": _SIZE, "count": _COUNT, "classes": _CLASSES, "k": _K}


def models():
    """Return a .tflm with each kind of head after a network of one operator."""
    features = Tensor((1, _SIZE), "int8", scale=0.5)
    flat = flatten(single_op("ABS", [features], [features]))
    return [_with_head(flat, kernel, random.Random(kernel)) for kernel in LAYOUTS]


def _with_head(flat, kernel, rng):
    memory, record, sizes = bytearray(), [1, 0, 0], {}
    for word in LAYOUTS[kernel][2:]:
        if word in _NUMBERS:
            record.append(_NUMBERS[word])
            continue
        record.append(len(memory) << 2 | 1)
        sizes[word] = _BYTES[word]
        memory += bytes(rng.randrange(_CLASSES) for _ in range(_BYTES[word] + 3 & ~3))
    record[0] = 1 if kernel == "eval_neighbours" else _CLASSES
    head = SimpleNamespace(
        kernel=kernel, record=record, memory=memory, classes=_CLASSES, learnt_bytes=lambda _: sizes
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.tflm"
        save_model(str(path), FlatModel(flat), None, head, _COUNT, range(_CLASSES))
        return path.read_bytes()
