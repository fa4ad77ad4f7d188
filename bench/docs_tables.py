# The measuring bench: its tables in docs/generated/benchmarks.md, each between two marker lines
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools import files
from tflm_tools.errors import ToolError

_MARKS = ("<!-- {}: begin -->\n", "<!-- {}: end -->\n")
_MEGAHERTZ = 125  # what MicroPython runs an RP2040 with
_MISSES = (40, 56)  # cycles of a miss, the least and the most that a Pico may take
# Cores with stock firmware, and what stands above their columns.
_STOCK = {
    "rv32-stock": "rv32-stock",
    "xtensa": "xtensa (MULL: any chip)",
    "xtensa-mac16": "xtensa-mac16 (ESP32, S3)",
}
_PICO2 = (150, 32, 60)  # MHz; cycles of a line of flash: least, most


# A line of a table.
def _row(*cells):
    return "| " + " | ".join(map(str, cells)) + " |\n"


# The first lines of a table; numbers stand right.
def _head(*names):
    rule = ["---:" if name.startswith(">") else "---" for name in names]
    return _row(*(name.lstrip(">") for name in names)) + _row(*rule)


# Thousands apart.
def _number(value):
    return f"{value:,}".replace(",", " ")


# Cost of a multiply-accumulate, a dash where there is none.
def _each(cost, macs):
    return f"{cost / macs:.2f}" if macs else "–"


# Milliseconds on a Pico.
def _ms(cycles):
    return f"{cycles / _MEGAHERTZ / 1000:.1f}"


# What a Pico does: one line a model. `copied`: the same where the model lies in RAM.
def _pico_summary(results, copied, miss):
    names = [">MACs", ">cycles", ">/MAC", f">ms at {_MEGAHERTZ} MHz", ">without wait states",
             ">misses: weights", ">code", ">rest", *(f">ms at {m} a miss" for m in _MISSES),
             ">copied to RAM, cycles", ">arena", ">flash"]  # fmt: skip
    text = _head("model", *names)
    for result in results:
        macs = sum(layer.macs for layer in result.layers)
        wait = result.waited
        misses = wait.model + wait.code + wait.rest
        text += _row(
            result.model, _number(macs), _number(result.total), _each(result.total, macs),
            _ms(result.total), _number(result.total - wait.cycles), _number(wait.model),
            _number(wait.code), _number(wait.rest),
            *(_ms(result.total + misses * (each - miss)) for each in _MISSES),
            _number(copied[result.model].total) if result.model in copied else "–",
            _number(result.arena), _number(result.flash),
        )  # fmt: skip
    return text


# What a Pico 2 may do: estimates from cycles and lines of flash, one line a model. `counted`: the
# instructions of the same core.
def _pico2_summary(results, counted):
    megahertz, *costs = _PICO2
    text = _head("model", ">MACs", ">instructions", ">cycles", ">/MAC", ">ms, in RAM",
                 ">lines of weights", ">ms, from flash")  # fmt: skip
    for result in results:
        macs = sum(layer.macs for layer in result.layers)
        ms = [(result.total + result.lines * line) / megahertz / 1000 for line in (0, *costs)]
        text += _row(
            result.model, _number(macs),
            _number(counted[result.model].total) if result.model in counted else "–",
            _number(result.total), _each(result.total, macs), f"{ms[0]:.1f}",
            _number(result.lines), f"{ms[1]:.1f}–{ms[2]:.1f}",
        )  # fmt: skip
    return text


# One line a model: cycles of the M0+, instructions of the other cores.
def _summary(by_core):
    text = _head("model", ">MACs", ">M0+ cycles", ">/MAC", f">ms at {_MEGAHERTZ} MHz",
                 ">M33 instructions/MAC", ">RV32 instructions/MAC", ">dispatch", ">arena",
                 ">flash")  # fmt: skip
    for model, result in by_core.get("m0plus", {}).items():
        macs = sum(layer.macs for layer in result.layers)
        others = [by_core.get(core, {}).get(model) for core in ("m33", "rv32")]
        text += _row(
            model, _number(macs), _number(result.total), _each(result.total, macs),
            _ms(result.total),
            *(_each(other.total, macs) if other else "–" for other in others),
            f"{100 * result.dispatch / result.total:.1f} %", _number(result.arena),
            _number(result.flash),
        )  # fmt: skip
    return text


# The layers of one model; with what a Pico waits for.
def _layers(result):
    text = f"\n### {result.model}{' on a Pico' * bool(result.waits)}\n\n"
    columns = [">no wait states", ">weights", ">code", ">rest"] if result.waits else []
    text += _head("layer", "op", ">MACs", ">cycles", ">/MAC", ">share", *columns, ">scratch",
                  ">flash")  # fmt: skip
    waits = result.waits or [None] * len(result.layers)
    for layer, cycles, wait in zip(result.layers, result.cycles, waits, strict=True):
        cells = [cycles - wait.cycles, wait.model, wait.code, wait.rest] if wait else []
        text += _row(
            layer.node, layer.op, _number(layer.macs), _number(cycles),
            _each(cycles, layer.macs), f"{100 * cycles / result.total:.1f} %",
            *map(_number, cells), _number(layer.scratch), _number(layer.flash),
        )  # fmt: skip
    return text


# Instructions of whole invokes on stock firmware, one line a model; `found`: {core: {model: it}}.
def _stock_summary(found):
    text = _head("model", *(name for core in _STOCK for name in (f">{_STOCK[core]}", ">/MAC")))
    for model, result in found["xtensa"].items():
        macs = sum(layer.macs for layer in result.layers)
        totals = [found[core][model].total for core in _STOCK]
        text += _row(model, *(cell for x in totals for cell in (_number(x), _each(x, macs))))
    return text


# The layers of a model there.
def _stock_layers(results):
    text = f"\n### {results[0].model} on stock firmware\n\n"
    text += _head("layer", "op", ">MACs", *(f">{core}" for core in _STOCK))
    for i, layer in enumerate(results[0].layers):
        counts = [_number(result.cycles[i]) for result in results]
        text += _row(layer.node, layer.op, _number(layer.macs), *counts)
    return text


# Put a text between the marker lines of a name, in place of what stands there.
def _replace(document, name, text, path):
    begin, end = (mark.format(name) for mark in _MARKS)
    if [document.count(begin), document.count(end)] != [1, 1] or (
        document.index(begin) > document.index(end)
    ):
        raise ToolError(f"{path} lacks the lines {begin.strip()} and {end.strip()}")
    before, rest = document.split(begin)
    return f"{before}{begin}{text}{end}{rest.split(end)[1]}"


def update(path, results, miss):
    """Put the tables of these results into a document, in place of those it has.

    What no result is for stays. miss: cycles of a miss that the results of the core pico have.
    """
    text = files.read(path).decode()
    by_core = {}
    for result in results:
        by_core.setdefault(result.core, {})[result.model] = result
    pico = list(by_core.get("pico", {}).values())
    if pico:
        text = _replace(text, "pico", _pico_summary(pico, by_core.get("pico-ram", {}), miss), path)
        text = _replace(text, "pico layers", "".join(map(_layers, pico)), path)
    if all(core in by_core for core in _STOCK):
        models = by_core["xtensa"]
        layers = [_stock_layers([by_core[core][model] for core in _STOCK]) for model in models]
        text = _replace(text, "stock", _stock_summary(by_core), path)
        text = _replace(text, "stock layers", "".join(layers), path)
    if "pico2" in by_core:
        table = _pico2_summary(by_core["pico2"].values(), by_core.get("m33", {}))
        text = _replace(text, "pico 2", table, path)
    if "m0plus" in by_core:
        tables = _summary(by_core) + "".join(map(_layers, by_core["m0plus"].values()))
        text = _replace(text, "cycles", tables, path)
    files.write(path, text.encode())
