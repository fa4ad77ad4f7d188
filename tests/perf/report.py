# The measuring bench: its tables
# MIT license; Copyright (c) 2026 the tflm authors

from rich.text import Text
from tflm_tools.render.common import UNKNOWN, number, shrink, table


# Cycles a multiply-accumulate; a dash for what multiplies nothing.
def _each(cycles, macs):
    return f"{cycles / macs:.2f}" if macs else UNKNOWN


# What the numbers of a core are.
_UNITS = {"m0plus": "cycles", "m33": "instructions", "rv32": "instructions"}
_MEANING = {
    "m0plus": "Cortex-M0+ cycles by its manual, memory without wait states",
    "m33": "instructions that a Cortex-M33 executes, no cycles",
    "rv32": "instructions that an RV32IMC core executes, no cycles",
}

# Consoles from this width on show the kernels too.
_WIDE = 110


# A part of a whole.
def _share(part, whole):
    return f"{100 * part / whole:.1f} %"


def print_model(result, target):
    """The layers of one model."""
    wide = target.width >= _WIDE
    names = ["layer", "op", "kernel", ">MACs", ">" + _UNITS[result.core], ">/MAC", ">share"]
    names += [">scratch", ">flash"]
    grid = table(*(name for name in names if wide or name != "kernel"))

    def add_row(layer, op, kernel, *numbers):
        grid.add_row(layer, op, *([kernel] if wide else []), *numbers)

    for layer, cycles in zip(result.layers, result.cycles, strict=True):
        add_row(
            str(layer.node),
            layer.op,
            ", ".join(layer.kernels),
            number(layer.macs),
            number(cycles),
            _each(cycles, layer.macs),
            _share(cycles, result.total),
            number(layer.scratch),
            number(layer.flash),
        )
    macs = sum(layer.macs for layer in result.layers)
    scratch = max((layer.scratch for layer in result.layers), default=0)
    grid.add_section()
    add_row(
        "TOTAL", "", "", number(macs), number(result.total), _each(result.total, macs), "",
        number(scratch), number(result.flash),
    )  # fmt: skip
    shrink(grid, target, "kernel", "op")
    target.print(Text(f"{result.model} on {result.core}", style="bold"))
    target.print(grid)


def print_block(result, block, lines, target):
    """A basic block with its share of the invoke, as assembler."""
    _, _, runs, cost = block
    share = _share(runs * cost, result.total)
    target.print(Text(f"{share} in {number(runs)} runs of {cost} {_UNITS[result.core]}:"))
    for line in lines:
        target.print(Text(line, overflow="ellipsis", no_wrap=True))
    target.print()


def print_summary(core, results, refused, target):
    """One line a model, what could not be measured, and what the numbers mean."""
    grid = table("model", ">MACs", ">" + _UNITS[core], ">/MAC", ">dispatch", ">arena", ">flash")
    for result in results:
        macs = sum(layer.macs for layer in result.layers)
        grid.add_row(
            result.model,
            number(macs),
            number(result.total),
            _each(result.total, macs),
            _share(result.dispatch, result.total),
            number(result.arena),
            number(result.flash),
        )
    shrink(grid, target, "model")
    target.print(grid)
    for path, error in refused:
        target.print(Text(f"{path.stem}: {error}", style="red"))
    target.print(
        Text(
            f"{_MEANING[core]}; outputs equal to TFLM's. /MAC: for a multiply-accumulate of the "
            "model as written; a layer's hold its dispatch. In bytes: scratch, arena, flash."
        )
    )
