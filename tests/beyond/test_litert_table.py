# Tests of LiteRT's table of operators by type: results are equal, or the page says what is refused
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import os
import re
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from beyond.litert_models import models
from support import litert
from support.check import Cases
from tflm.errors import TflmError
from tflm_tools.flat.flatten import flatten

pytestmark = litert.needs_litert

_REFUSED = Path(__file__).resolve().parents[2] / "docs" / "data" / "litert-refused.csv"
# Without `make -C tests litert`, one model of these many is tried.
_EVERY = int(os.environ.get("TFLM_LITERT_EVERY", "60"))
# LiteRT's results of these are undefined: sums above the type, powers above float32, and scales
# that it reads after the end of their array.
_UNDEFINED = (
    ("EXP", "int16"),
    ("SUM", "int8, int32 operand"),
    ("SUM", "int16, int32 operand"),
    ("DEPTHWISE_CONV_2D", "float32, int8 weights"),
    ("DEPTHWISE_CONV_2D", "float32, int8 weights, computed weights"),
)


# LiteRT's outputs; None if it refuses the model.
def _outputs(data, run):
    try:
        return litert.outputs(data, [run])
    except (RuntimeError, ValueError):
        return None


# Yield (model, LiteRT's outputs) of the models that LiteRT runs. Some models end its process.
def _known():
    pool = ProcessPoolExecutor(1)
    for number, model in enumerate(models()):
        if number % _EVERY:
            continue
        try:
            outputs = pool.submit(_outputs, model.data, model.run).result()
        except BrokenProcessPool:
            pool, outputs = ProcessPoolExecutor(1), None
        if outputs is not None:
            yield model, outputs
    pool.shutdown()


# The rows of the page that explain why a model is refused.
def _explanations(model, rows):
    return [
        i for i, row in enumerate(rows)
        if row["models"] and re.fullmatch(row["models"], model.types)
        and (model.operator in row["operators"].split(", ") or "operator" in row["operators"])
    ]  # fmt: skip


def test_models_are_equal_or_explained():
    with open(_REFUSED, newline="") as file:
        rows = list(csv.DictReader(file))
    cases, used, unexplained = Cases(), set(), []
    for model, outputs in _known():
        name = f"{model.operator} {model.types}"
        try:
            flatten(model.data)
        except TflmError as error:
            assert ";" in str(error), error
            found = _explanations(model, rows)
            used.update(found)
            if not found:
                unexplained.append(f"{name}: {error}")
            continue
        if (model.operator, model.types) not in _UNDEFINED:
            repeat = "reset" if model.operator.startswith("RANDOM") else None
            tolerances = {"rtol": 1e-5, "atol": 1e-5}
            cases.add(name, model.data, [model.run], expected=outputs, repeat=repeat, **tolerances)
    assert not unexplained, "\n".join(unexplained)
    cases.check()
    if _EVERY == 1:
        unused = [
            row["operators"] for i, row in enumerate(rows) if row["models"] and i not in used
        ]
        assert not unused, f"tflm runs what {_REFUSED.name} calls refused: {unused}"
