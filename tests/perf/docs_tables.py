# The measuring bench: its tables in docs/benchmarks.md, between two marker lines
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools import files
from tflm_tools.errors import ToolError

_BEGIN, _END = "<!-- cycles: begin -->\n", "<!-- cycles: end -->\n"
_MEGAHERTZ = 125  # what MicroPython runs an RP2040 with


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


# One line a model: cycles of the M0+, instructions of the other cores.
def _summary(results):
    by_core = {}
    for result in results:
        by_core.setdefault(result.core, {})[result.model] = result
    text = _head("model", ">MACs", ">M0+ cycles", ">/MAC", f">ms at {_MEGAHERTZ} MHz",
                 ">M33 instructions/MAC", ">RV32 instructions/MAC", ">dispatch", ">arena",
                 ">flash")  # fmt: skip
    for model, result in by_core.get("m0plus", {}).items():
        macs = sum(layer.macs for layer in result.layers)
        others = [by_core.get(core, {}).get(model) for core in ("m33", "rv32")]
        text += _row(
            model, _number(macs), _number(result.total), _each(result.total, macs),
            f"{result.total / _MEGAHERTZ / 1000:.1f}",
            *(_each(other.total, macs) if other else "–" for other in others),
            f"{100 * result.dispatch / result.total:.1f} %", _number(result.arena),
            _number(result.flash),
        )  # fmt: skip
    return text


# The layers of one model.
def _layers(result):
    text = f"\n### {result.model}\n\n"
    text += _head("layer", "op", ">MACs", ">cycles", ">/MAC", ">share", ">scratch", ">flash")
    for layer, cycles in zip(result.layers, result.cycles, strict=True):
        text += _row(
            layer.node, layer.op, _number(layer.macs), _number(cycles),
            _each(cycles, layer.macs), f"{100 * cycles / result.total:.1f} %",
            _number(layer.scratch), _number(layer.flash),
        )  # fmt: skip
    return text


def update(path, results):
    """Put the tables of these results into a document, in place of those it has."""
    text = files.read(path).decode()
    if text.count(_BEGIN) != 1 or text.count(_END) != 1 or text.index(_BEGIN) > text.index(_END):
        raise ToolError(f"{path} lacks the lines {_BEGIN.strip()} and {_END.strip()}")
    tables = _summary(results)
    for result in results:
        if result.core == "m0plus":
            tables += _layers(result)
    before, rest = text.split(_BEGIN)
    after = rest.split(_END)[1]
    files.write(path, f"{before}{_BEGIN}{tables}{_END}{after}".encode())
