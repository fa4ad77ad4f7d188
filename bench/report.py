# bench: prints the tables of results
# MIT license; Copyright (c) 2026 the tflm authors

from rich.text import Text
from tflm_tools.render.common import UNKNOWN, number, show, table


# Return cycles per multiply-accumulate; a dash for layers without any.
def _each(cycles, macs):
    return f"{cycles / macs:.2f}" if macs else UNKNOWN


# Return the unit of a core's numbers.
def _unit(core):
    return "cycles" if core.startswith("pico") or core == "m0plus" else "instructions"


_MEANING = {
    "pico": "cycles of a Raspberry Pi Pico with our firmware, with waits for flash",
    "pico-flash": "as pico, with models in flash, however small",
    "pico-ram": "as pico, with models copied to RAM",
    "pico-stream": "as pico, with weights of FULLY_CONNECTED streamed by DMA",
    "m0plus": "cycles of a Cortex-M0+ by its manual, memory without wait states",
    "pico2": "estimated cycles of a Cortex-M33 (m33.py), model in RAM, no wait states",
    "m33": "instructions (not cycles) of a Cortex-M33",
    "rv32": "instructions (not cycles) of an RV32IMC core",
    "rv32-stock": "as rv32, with firmware without inline assembler",
    "xtensa": "instructions (not cycles) of a windowed Xtensa in qemu, stock firmware",
    "xtensa-mac16": "as xtensa, with MAC16 (ESP32, S3), corrected for the missing MULSH",
}

# Columns of a core that waits for flash: cycles without waits, and misses by kind of data.
_WAITS = [">no waits", ">weights", ">code", ">rest"]

# Consoles of at least this width show all columns. Others omit these: {the core waits: columns}.
_WIDE = 120
_WIDE_ONLY = {False: {"kernel"}, True: {"kernel", ">/MAC", ">share", ">scratch", ">flash"}}


# Return `cycles` as a percentage of `total`.
def _share(cycles, total):
    return f"{100 * cycles / total:.1f} %"


# Return the cells of the columns _WAITS; none for other cores.
def _waits(cycles, wait):
    if wait is None:
        return []
    return [number(n) for n in (cycles - wait.cycles, wait.model, wait.code, wait.rest)]


def print_model(result, target):
    """Print the layers of one model."""
    names = ["layer", "op", "kernel", ">MACs", ">" + _unit(result.core), ">/MAC", ">share"]
    names += [*(_WAITS if result.waits else []), ">scratch", ">flash"]
    omitted = set() if target.width >= _WIDE else _WIDE_ONLY[bool(result.waits)]
    grid = table(*(name for name in names if name not in omitted))

    def add_row(*cells):
        row = zip(names, cells, strict=True)
        grid.add_row(*(cell for name, cell in row if name not in omitted))

    waits = result.waits or [None] * len(result.layers)
    for layer, cycles, wait in zip(result.layers, result.cycles, waits, strict=True):
        add_row(
            str(layer.node),
            layer.op,
            ", ".join(layer.kernels),
            number(layer.macs),
            number(cycles),
            _each(cycles, layer.macs),
            _share(cycles, result.total),
            *_waits(cycles, wait),
            number(layer.scratch),
            number(layer.flash),
        )
    macs = sum(layer.macs for layer in result.layers)
    scratch = max((layer.scratch for layer in result.layers), default=0)
    grid.add_section()
    add_row(
        "TOTAL", "", "", number(macs), number(result.total), _each(result.total, macs), "",
        *_waits(result.total, result.waited), number(scratch), number(result.flash),
    )  # fmt: skip
    target.print(Text(f"{result.model} on {result.core}", style="bold"))
    show(grid, target, "kernel", "op")


def print_block(result, block, lines, target):
    """Print the assembler of a basic block with its share of the invoke."""
    _, _, runs, cost = block
    share = _share(runs * cost, result.total)
    target.print(Text(f"{share} in {number(runs)} runs of {cost} {_unit(result.core)}:"))
    for line in lines:
        target.print(Text(line, overflow="ellipsis", no_wrap=True))
    target.print()


def print_summary(core, results, refused, target):
    """Print a line for each model, the models that failed, and the meaning of the numbers."""
    names = ["model", ">MACs", ">" + _unit(core), ">/MAC"]
    waits = core.startswith("pico") and core != "pico2"
    names += _WAITS if waits else [">dispatch"]
    grid = table(*names, ">arena", ">flash")
    for result in results:
        macs = sum(layer.macs for layer in result.layers)
        grid.add_row(
            result.model,
            number(macs),
            number(result.total),
            _each(result.total, macs),
            *_waits(result.total, result.waited),
            *([_share(result.dispatch, result.total)] if not result.waits else []),
            number(result.arena),
            number(result.flash),
        )
    show(grid, target, "model")
    for path, error in refused:
        target.print(Text(f"{path.stem}: {error}", style="red"))
    target.print(
        Text(
            f"{_MEANING[core]}; outputs equal to TFLM's. /MAC: for a multiply-accumulate of the "
            "model as written; a layer's hold its dispatch. In bytes: scratch, arena, flash."
        )
    )
