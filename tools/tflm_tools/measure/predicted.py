# tflm_tools: bench --compare: what a board took, beside what `make cycles` says of the same model
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import io
from dataclasses import dataclass

from .. import files
from ..errors import ToolError

_CORE = "pico"  # of the rows that are meant
_COLUMNS = ("core", "model", "layer", "cycles", "flash", "no_wait_cycles", "weight_misses",
            "code_misses", "rest_misses")  # fmt: skip


@dataclass
class LayerComparison:
    """An operator: microseconds and misses of the flash cache, measured and predicted; None for
    what is not known. layer: its number, None for the whole invoke.

    miss: the cycles that a miss took, if all else took what the prediction says.
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
    """A model: its layers, then the whole invoke. note: why there is nothing to compare with, or
    what is not the same."""

    model: str
    equal: bool
    compared: str
    layers: list[LayerComparison]
    total: LayerComparison | None
    note: str = ""


@dataclass
class BoardComparison:
    """A result of a board beside a prediction, which is for `frequency` Hz as the board has it."""

    machine: str
    firmware: str
    frequency: int
    flash_divider: int | None
    models: list[ModelComparison]


# {model: {layer, "TOTAL" for the whole: row}} of the CSV of `make cycles`.
def _predictions(path):
    try:
        rows = list(csv.DictReader(io.StringIO(files.read(path).decode())))
    except UnicodeDecodeError:
        rows = []
    if not rows or any(name not in rows[0] for name in _COLUMNS):
        raise ToolError(f"{path} is no table of cycles; make one with: make cycles CORE=pico")
    found = {}
    for row in rows:
        if row["core"] == _CORE:
            found.setdefault(row["model"], {})[row["layer"]] = row
    if not found:
        raise ToolError(f"{path} has nothing for a Pico; make it with: make cycles CORE=pico")
    return found


def compare(found, path):
    """A BoardComparison of a hardware.BoardRecord with the CSV of `make cycles CORE=pico`."""
    predictions = _predictions(path)
    clock = found.frequency / 1e6
    if not clock:
        raise ToolError("the board did not tell its clock, so cycles are no times; take another")
    models = [_model(model, predictions.get(model.model), clock) for model in found.models]
    return BoardComparison(
        found.machine, found.firmware, found.frequency, found.flash_divider, models
    )


def _model(model, rows, clock):
    result = ModelComparison(model.model, model.equal, model.compared, [], None, model.refused)
    if model.refused:
        return result
    if rows is None:
        result.note = "it has no prediction; make one with: make cycles CORE=pico"
    elif int(rows["TOTAL"]["flash"]) != model.flat_bytes:
        result.note = (
            f"the prediction is for another .tflm, of {rows['TOTAL']['flash']} bytes, the board "
            f"had one of {model.flat_bytes}; make it again with the tflm that the board had"
        )
    rows = rows or {}
    # An operator may have several steps.
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
    if result.total.miss is not None:  # of the layers: the profiler counts misses of its own, too
        known = [layer for layer in result.layers if str(layer.layer) in rows]
        result.total.miss = _miss(known, rows, clock, model.best_us)
    return result


# Cycles that a miss took in layers: what they took longer than without wait states. None where the
# profiler, which an invoke in `best_us` is without, is most of that.
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
