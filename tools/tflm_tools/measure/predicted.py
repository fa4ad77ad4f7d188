# tflm_tools: measure: compares a board's times with the prediction of `make -C bench cycles`
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import io
from dataclasses import dataclass

from .. import files
from ..errors import ToolError

_CORE = "pico"  # the rows of the CSV that are used
_COLUMNS = ("core", "model", "layer", "cycles", "flash", "no_wait_cycles", "weight_misses",
            "code_misses", "rest_misses")  # fmt: skip


@dataclass
class LayerComparison:
    """An operator, measured and predicted; values that are not known are None.

    layer: its number, None for the whole invoke. us: microseconds. ratio: measured by predicted
    time. misses: of the flash cache. miss: cycles of one miss, if the prediction is right about
    all other cycles.
    """

    layer: int | None
    op: str
    us: float
    predicted_us: float | None
    ratio: float | None
    misses: float | None
    predicted_misses: int | None
    miss: float | None


@dataclass
class ModelComparison:
    """A model: its layers and the whole invoke.

    note: why there is nothing to compare, or how the two models differ.
    """

    model: str
    equal: bool
    compared: str
    layers: list[LayerComparison]
    total: LayerComparison | None
    note: str = ""


@dataclass
class BoardComparison:
    """The times of a board, and predictions for the board's clock `frequency` in Hz."""

    machine: str
    firmware: str
    frequency: int
    flash_divider: int | None
    models: list[ModelComparison]


# {model: {layer (or "TOTAL"): row}} of the CSV of `make -C bench cycles`.
def _predictions(path):
    try:
        rows = list(csv.DictReader(io.StringIO(files.read(path).decode())))
    except UnicodeDecodeError:
        rows = []
    if not rows or any(name not in rows[0] for name in _COLUMNS):
        raise ToolError(f"{path} is not a table of cycles; run: make -C bench cycles CORE=pico")
    found = {}
    for row in rows:
        if row["core"] == _CORE:
            found.setdefault(row["model"], {})[row["layer"]] = row
    if not found:
        raise ToolError(f"{path} has no rows for a Pico; run: make -C bench cycles CORE=pico")
    return found


def compare(found, path):
    """Compare a hardware.BoardRecord with the CSV of `make -C bench cycles CORE=pico`.

    Returns a BoardComparison. Raises ToolError for another file.
    """
    predictions = _predictions(path)
    clock = found.frequency / 1e6
    if not clock:
        raise ToolError("the board's clock is not known, so it has no cycles; use another board")
    models = [_model(model, predictions.get(model.model), clock) for model in found.models]
    return BoardComparison(
        found.machine, found.firmware, found.frequency, found.flash_divider, models
    )


def _model(model, rows, clock):
    result = ModelComparison(model.model, model.equal, model.compared, [], None, model.refused)
    if model.refused:
        return result
    if rows is None:
        result.note = "it has no prediction; run: make -C bench cycles CORE=pico"
    elif int(rows["TOTAL"]["flash"]) != model.flat_bytes:
        result.note = (
            f"the prediction is for another .tflm, of {rows['TOTAL']['flash']} bytes, the board "
            f"had one of {model.flat_bytes}; make it again with the tflm that the board had"
        )
    rows = rows or {}
    # Add up the steps of each operator.
    sums = {}
    for op in model.ops:
        us, missed, name = sums.get(op.node, (0.0, 0.0, op.op))
        missed = None if missed is None or op.misses is None else missed + op.misses
        sums[op.node] = us + op.us, missed, name
    result.layers = [
        _layer(node, name, us, missed, rows.get(str(node)), clock)
        for node, (us, missed, name) in sums.items()
    ]
    result.total = _layer(None, "", model.best_us, model.misses, rows.get("TOTAL"), clock)
    if result.total.miss is not None:
        # Use the layers' sums, because the profiler causes misses, too.
        known = [layer for layer in result.layers if str(layer.layer) in rows]
        result.total.miss = _miss(known, rows, clock, model.best_us)
    return result


# Cycles of one miss in these layers: the cycles beyond those without wait states, by misses. None
# if most of these cycles are due to the profiler, which ran in the layers and not in `best_us`.
def _miss(layers, rows, clock, best_us):
    misses, us = sum(layer.misses for layer in layers), sum(layer.us for layer in layers)
    plain = sum(int(rows[str(layer.layer)]["no_wait_cycles"]) for layer in layers)
    waits = us * clock - plain
    return waits / misses if misses and 2 * (us - best_us) * clock < waits else None


def _layer(layer, op, us, misses, row, clock):
    if row is None:
        return LayerComparison(layer, op, us, None, None, misses, None, None)
    predicted = int(row["cycles"]) / clock
    wanted = sum(int(row[f"{name}_misses"]) for name in ("weight", "code", "rest"))
    miss = (us * clock - int(row["no_wait_cycles"])) / misses if misses else None
    ratio = us / predicted if predicted else None
    return LayerComparison(layer, op, us, predicted, ratio, misses, wanted, miss)
