# bench: writes results to the tables of docs/data
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import io

from tflm_tools import files
from tflm_tools.errors import ToolError

# Cores with stock firmware, and the columns of their instructions.
_STOCK = {
    "rv32-stock": "rv32_stock_instructions",
    "xtensa": "xtensa_instructions",
    "xtensa-mac16": "xtensa_mac16_instructions",
}
_LAYER = ("model", "layer", "operator", "macs")

# The columns of each file. The first one is the model; a measured model replaces its rows.
COLUMNS = {
    "pico.csv": ("model", "macs", "cycles", "no_wait_cycles", "weight_misses", "code_misses",
                 "other_misses", "cycles_model_in_ram", "arena_bytes", "flash_bytes"),
    "pico-layers.csv": (*_LAYER, "cycles", "no_wait_cycles", "weight_misses", "code_misses",
                        "other_misses", "scratch_bytes", "flash_bytes"),
    "pico2.csv": ("model", "macs", "instructions", "cycles", "weight_cache_lines"),
    "no-wait-states.csv": ("model", "macs", "m0plus_cycles", "m33_instructions_per_mac",
                           "rv32_instructions_per_mac", "m0plus_dispatch_percent",
                           "arena_bytes", "flash_bytes"),
    "no-wait-states-layers.csv": (*_LAYER, "m0plus_cycles", "scratch_bytes", "flash_bytes"),
    "stock-firmware.csv": ("model", "macs", *_STOCK.values()),
    "stock-firmware-layers.csv": (*_LAYER, *_STOCK.values()),
}  # fmt: skip


def _macs(result):
    return sum(layer.macs for layer in result.layers)


# Return {number of the operator in the model: (layer, cycles, waits or None)} of a result.
def _by_layer(result):
    waits = result.waits or [None] * len(result.layers)
    rows = zip(result.layers, result.cycles, waits, strict=True)
    return sorted(rows, key=lambda row: row[0].node)


# Return the first cells of a layer's row.
def _layer(result, layer):
    return result.model, layer.node, layer.op, layer.macs


def _pico_row(result, in_ram):
    wait = result.waited
    return (
        result.model, _macs(result), result.total, result.total - wait.cycles, wait.model,
        wait.code, wait.rest, in_ram.total if in_ram else "", result.arena, result.flash,
    )  # fmt: skip


def _pico_layers(result):
    return [
        (
            *_layer(result, layer), cycles, cycles - wait.cycles, wait.model, wait.code,
            wait.rest, layer.scratch, layer.flash,
        )
        for layer, cycles, wait in _by_layer(result)
    ]  # fmt: skip


def _no_wait_row(result, m33, rv32):
    macs = _macs(result)
    per_mac = [f"{other.total / macs:.2f}" if other and macs else "" for other in (m33, rv32)]
    dispatch = f"{100 * result.dispatch / result.total:.1f}"
    return result.model, macs, result.total, *per_mac, dispatch, result.arena, result.flash


def _no_wait_layers(result):
    return [
        (*_layer(result, layer), cycles, layer.scratch, layer.flash)
        for layer, cycles, _ in _by_layer(result)
    ]


# Each core may run the layers in another order, so cycles are looked up by the layer's number.
def _stock_layers(results):
    counts = [{layer.node: cycles for layer, cycles, _ in _by_layer(each)} for each in results]
    return [
        (*_layer(results[0], layer), *(count[layer.node] for count in counts))
        for layer, _, _ in _by_layer(results[0])
    ]


# Write rows into a file of the folder. Rows of other models stay.
def _merge(folder, name, rows):
    path = folder / name
    lines = list(csv.reader(io.StringIO(files.read(path).decode())))
    if tuple(lines[0]) != COLUMNS[name]:
        raise ToolError(f"{path} has other columns than {', '.join(COLUMNS[name])}; restore it")
    by_model = {line[0]: [] for line in (*lines[1:], *rows)}
    for line in rows:
        by_model[line[0]].append(line)
    for line in lines[1:]:
        if line[0] not in {row[0] for row in rows}:
            by_model[line[0]].append(line)
    kept = [line for group in by_model.values() for line in group]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMNS[name], *kept])
    files.write(path, text.getvalue().encode())


def update(folder, results):
    """Write results into the tables of `folder` (docs/data).

    A table changes only for the models that were measured on its cores: `pico-flash` (with
    `pico-ram`), `pico2` and `m33`, `m0plus`, or all cores with stock firmware.
    """
    by_core = {}
    for result in results:
        by_core.setdefault(result.core, {})[result.model] = result

    def of(core):
        return by_core.get(core, {})

    if of("pico-flash"):
        found = of("pico-flash")
        rows = [_pico_row(result, of("pico-ram").get(name)) for name, result in found.items()]
        _merge(folder, "pico.csv", rows)
        rows = [row for result in found.values() for row in _pico_layers(result)]
        _merge(folder, "pico-layers.csv", rows)
    if of("pico2"):
        rows = [
            (name, _macs(result), of("m33")[name].total if name in of("m33") else "",
             result.total, result.lines)
            for name, result in of("pico2").items()
        ]  # fmt: skip
        _merge(folder, "pico2.csv", rows)
    if of("m0plus"):
        rows = [
            _no_wait_row(result, of("m33").get(name), of("rv32").get(name))
            for name, result in of("m0plus").items()
        ]
        _merge(folder, "no-wait-states.csv", rows)
        rows = [row for result in of("m0plus").values() for row in _no_wait_layers(result)]
        _merge(folder, "no-wait-states-layers.csv", rows)
    names = set.intersection(*(set(of(core)) for core in _STOCK))
    if names:
        groups = [[of(core)[name] for core in _STOCK] for name in of("xtensa") if name in names]
        rows = [(g[0].model, _macs(g[0]), *(each.total for each in g)) for g in groups]
        _merge(folder, "stock-firmware.csv", rows)
        rows = [row for group in groups for row in _stock_layers(group)]
        _merge(folder, "stock-firmware-layers.csv", rows)
