# tflm_tools: render: what flatten, run, verify and ops print
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from rich.text import Text

from .common import UNKNOWN, microseconds, number, shape, show, size, table


def print_conversion(result, target):
    """Sizes of a Conversion."""
    target.print(Text(result.output, style="bold"))
    for label, text in (
        ("flash", f"{size(result.flat_bytes)} as .tflm, {size(result.tflite_bytes)} as .tflite"),
        ("arena", f"{number(result.arena_bytes)} bytes"),
        ("", f"{number(result.tflm_head_bytes)} bytes is what TFLM plans for these tensors"),
    ):
        target.print(Text(f"{label:<7}{text}"))
    _print_levels(result, target)
    _print_savings(result.savings, target)
    _print_compressed(result.compressed, target)
    _print_packing(result.packing, target)


# What marks the choice among several, beside bold type, which is lost in a pipe.
_CHOSEN = "* "


# Arena, flash and cycles of each level of --optimize; the one that was taken is marked.
def _print_levels(result, target):
    if not result.levels:
        return
    counted, *_ = result.unit.split()
    grid = table("--optimize", ">arena", f">{counted}", ">flash", "in bands")
    for level in result.levels:
        bands = ", ".join(f"ops {first} to {last}" for first, last in level.bands) or "–"
        name = (_CHOSEN if level.level == result.level else "  ") + level.level
        cells = (name, number(level.arena_bytes), f"{level.cycles / 1e6:.2f} M",
                 number(level.flat_bytes), bands)  # fmt: skip
        style = "bold" if level.level == result.level else ""
        grid.add_row(*[Text(cell, style=style) for cell in cells])
    show(grid, target, "in bands")
    note = f"Bytes; {result.unit}, estimated for int8; * is what was written."
    for level in result.skipped_levels:
        note += f" {level} would take a while to find: ask with --optimize {level}."
    if not result.is_of_use:
        note += " It needs as much RAM and as many cycles as with --optimize off."
    target.print(Text(note, style="dim"))


# A row for each pass that saved something, and the sums.
def _print_savings(savings, target):
    if not savings:
        return
    grid = table("saved by", ">operators", ">MACs", ">bytes", "why nothing changes")

    def add_row(name, entries, reason):
        macs, size = sum(s.macs for s in entries), sum(s.bytes for s in entries)
        grid.add_row(name, str(len(entries)), number(macs), number(size), reason)

    for name in dict.fromkeys(saving.what for saving in savings):
        entries = [saving for saving in savings if saving.what == name]
        add_row(name.replace("_", "-"), entries, entries[0].reason)
    grid.add_section()
    add_row("TOTAL", savings, "to leave one out: --without NAME")
    show(grid, target, "why nothing changes")


# Flash and cycles of layers whose weights are indices of four bits, beside those of int8.
def _print_compressed(layers, target):
    if not layers:
        return
    grid = table(">layer", "op", ">values", ">int8", ">cycles", ">four bits", ">cycles")
    for layer in layers:
        before = UNKNOWN if layer.int8_cycles is None else f"{layer.int8_cycles / 1e6:.3f} M"
        values = f"{layer.values}{' a channel' if layer.each_channel else ''}"
        grid.add_row(str(layer.node), layer.op, values, number(layer.int8_bytes), before,
                     number(layer.bytes), f"{layer.cycles / 1e6:.3f} M")  # fmt: skip
    show(grid, target, "op")
    text = "Weights in four bits, exactly: bytes of flash, cycles of a Cortex-M0+ by estimate."
    target.print(Text(text, style="dim"))


# Flash and cycles of each way to store the weights of packed layers; that of the .tflm is marked.
def _print_packing(layers, target):
    if not layers:
        return
    ways = list(layers[0].flash)
    is_estimated = any(c is not None for layer in layers for c in layer.cycles.values())
    heads = [head for way in ways for head in (f">{way}", ">cycles")[: 1 + is_estimated]]
    grid = table(">layer", "op", *heads)
    for layer in sorted(layers, key=lambda layer: layer.node):
        cells = []
        for way in ways:
            style = "bold" if way == layer.chosen else "dim"
            mark = _CHOSEN.strip() if way == layer.chosen else ""  # so that names fit, too
            cells.append(Text(mark + number(layer.flash[way]), style=style))
            if is_estimated:
                cycles = layer.cycles[way]
                text = UNKNOWN if cycles is None else f"{cycles / 1e6:.3f} M"
                cells.append(Text(text, style=style))
        grid.add_row(str(layer.node), layer.op, *cells)
    show(grid, target, "op")
    text = "Bytes of flash of each way to store the weights"
    if is_estimated:
        text += ", and cycles of a Cortex-M0+ by estimate, without waits for flash"
    target.print(Text(f"{text}; * is what was written.", style="dim"))


# The largest values of a row of scores, or the range of anything else.
def _values(output):
    if output.top:
        return "  ".join(f"{i}: {value:.4g}" for i, value in output.top if value is not None)
    if output.low is None or output.high is None:
        return ""
    return f"{output.low:.4g} … {output.high:.4g}"


def print_run(result, target):
    """Outputs and time of a Run."""
    grid = table("output", "type", "shape", "largest, or range")
    for output in result.outputs:
        grid.add_row(Path(output.file).name, output.dtype, shape(output.shape), _values(output))
    show(grid, target, "largest, or range")
    time = microseconds(result.mean_us)
    if result.invokes > 1:
        time += f" (mean of {result.invokes}, best {microseconds(result.best_us)})"
    target.print(Text(f"{time} an invoke, {number(result.arena_bytes)} bytes of arena"))


# One Difference in words.
def _difference(difference):
    where = ", ".join(map(str, difference.index))
    return (
        f"{difference.count} of {difference.total} elements differ, first at [{where}]: "
        f"tflm {difference.got!r}, TFLM {difference.wanted!r}"
    )


def print_verification(result, target):
    """Paths of a Verification, and where it differs."""
    grid = table("path", ">cases", ">time an invoke", ">arena", "result")
    for entry in result.paths:
        differs = result.mismatch is not None and result.mismatch.path == entry.path
        word = Text("differs", style="bold red") if differs else Text("equal", style="green")
        grid.add_row(entry.path, str(entry.cases), microseconds(entry.mean_us),
                     number(entry.arena_bytes), word)  # fmt: skip
    show(grid, target)
    for layers in result.layers:
        print_layers(layers, target)
    if result.refused:
        names = ", ".join(result.refused)
        target.print(Text(f"Left out, as {result.oracle} refuses them, too: {names}"))
    for k in result.unwritten:
        text = f"Output {k}: {result.oracle} leaves a part unwritten, which was not compared"
        target.print(Text(text))
    mismatch = result.mismatch
    if mismatch is None:
        name = Path(result.model).name
        target.print(Text(f"{name} gives what {result.oracle} gives.", style="bold green"))
        for layers in result.layers:
            _print_first_layer(layers, target)
        return
    case = f"Output {mismatch.output} differs from {result.oracle} in the case '{mismatch.case}'"
    target.print(Text(f"{case} (seed {result.seed}):", style="bold red"))
    target.print(Text("  " + _difference(mismatch.difference)))
    if mismatch.op is None:
        target.print(Text(mismatch.note))
        return
    op = mismatch.op
    target.print(Text(f"First differing op: {op.node} {op.op}, kernel {op.kernel}", style="bold"))
    target.print(Text(f"  tensor '{op.tensor}': {_difference(op.difference)}"))


# The first layer that differs though the outputs do not.
def _print_first_layer(layers, target):
    row = layers.first()
    if row is not None:
        text = f"Only between the ops, first by op {row.node} {row.op}, kernel {row.kernel}:"
        target.print(Text(text, style="bold red"))
        target.print(Text(f"  tensor '{row.tensor}': {_difference(row.difference)}"))


# A value of a table: whole numbers as they are, others with six digits.
def _value(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def print_layers(layers, target):
    """A row for each output of each operator of Layers."""
    target.print(Text(f"Operators on the path {layers.path}, case '{layers.case}':"))
    grid = table("op", "tensor", "result", "first at", ">tflm", ">TFLM", ">largest", ">how many")
    styles = {"equal": "green", "differs": "bold red", "not shown": "dim"}
    for row in layers.rows:
        verdict = Text(row.verdict, style=styles[row.verdict])
        cells = [""] * 5
        if row.difference is not None:
            found = row.difference
            largest = "" if row.largest is None else _value(row.largest)
            cells = [", ".join(map(str, found.index)), _value(found.got), _value(found.wanted),
                     largest, f"{found.count}/{found.total}"]  # fmt: skip
        grid.add_row(f"{row.node} {row.op}", Text(row.tensor), verdict, *cells)
    show(grid, target, "tensor", "op", "first at")


def print_operators(operators, target):
    """The list of operators."""
    grid = table(">code", "operator", "prepared by")
    for operator in operators:
        code = UNKNOWN if operator.code is None else str(operator.code)
        grid.add_row(code, operator.name, operator.file)
    show(grid, target, "prepared by")
    target.print(Text(f"{len(operators)} operators"))
