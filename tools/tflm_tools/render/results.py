# tflm_tools: render: prints the results of flatten, run, verify and ops
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from rich.table import Table
from rich.text import Text

from .common import UNKNOWN, counted, microseconds, number, shape, show, size, table


def print_conversion(result, target):
    """Print a Conversion: sizes, levels, savings and weight layouts."""
    target.print(Text(result.output, style="bold"))
    for label, text in (
        ("flash", f"{size(result.flat_bytes)} as .tflm, {size(result.tflite_bytes)} as .tflite"),
        ("arena", f"{number(result.arena_bytes)} bytes"),
        ("", f"TFLM plans {number(result.tflm_head_bytes)} bytes for these tensors"),
    ):
        target.print(Text(f"{label:<7}{text}"))
    if result.is_copied:
        target.print("RAM    tflm.load() copies the .tflm from flash to RAM (copy=False does not)")
    _print_levels(result, target)
    _print_explanation(result, target)
    _print_savings(result.savings, target)
    _print_compressed(result.compressed, target)
    _print_packing(result.packing, target)


# Marks the chosen row in addition to bold type, which is lost in a pipe.
_CHOSEN = "* "


# Print arena, cycles and flash of each level of --optimize; the chosen level is marked.
def _print_levels(result, target):
    if not result.levels:
        return
    quantity, *_ = result.unit.split()
    grid = table("--optimize", ">arena", f">{quantity}", ">flash", "in bands")
    for level in result.levels:
        bands = ", ".join(f"ops {first} to {last}" for first, last in level.bands) or "–"
        name = (_CHOSEN if level.level == result.level else "  ") + level.level
        cells = (name, number(level.arena_bytes), _millions(level.cycles),
                 number(level.flat_bytes), bands)  # fmt: skip
        style = "bold" if level.level == result.level else ""
        grid.add_row(*[Text(cell, style=style) for cell in cells])
    show(grid, target, "in bands")
    kernels = f"kernels for {result.target}" if result.target else "portable kernels (no --target)"
    note = f"Bytes; {result.unit} with {kernels}, estimated (±20 %). * marks the written .tflm."
    for level in result.skipped_levels:
        note += f" {level} was not searched because that is slow: --optimize {level} does."
    if not result.is_of_use:
        note += " RAM and cycles are equal to those with --optimize off."
    target.print(Text(note, style="dim"))


# Print why the memory plan was chosen, a fact in each line.
def _print_explanation(result, target):
    explanation = result.explanation
    if explanation is None:
        return
    unit = result.unit.partition(" ")[0]
    lines = _limit_lines(explanation.peak)
    lines += [("bands", _region_line(region, unit)) for region in explanation.regions]
    if explanation.repeated:
        numbers = ", ".join(map(str, explanation.repeated))
        lines.append(("twice", f"ops {numbers} run again for late readers of their outputs"))
    for other in explanation.alternatives:
        text = f"{number(other.arena_bytes)} bytes ({_signed(other.more_bytes, number)}), "
        text += f"{_millions(other.cycles)} {unit} ({_signed(other.more_cycles, _millions)})"
        lines.append((other.level, text))
    lines += [(level, "not searched, because that is slow") for level in result.skipped_levels]
    level = f"{result.level}: " if result.level else ""
    lines.append(("decided by", f"{level}{explanation.decision}"))
    target.print(Text("why this memory plan", style="bold"))
    grid = Table.grid(padding=(0, 2, 0, 0))
    for label, text in lines:
        grid.add_row(label, Text(text))
    target.print(grid)
    target.print()


# Describe the operator that limits the arena, and its buffers by their roles.
def _limit_lines(peak):
    if peak is None:
        return [("limit", "no operator needs the arena")]
    where = " (in bands)" if peak.in_bands else ""
    text = f"op {peak.node} {peak.op}{where} uses {number(peak.live_bytes)} of "
    text += f"{number(peak.head_bytes)} bytes"
    roles = {}
    for buffer in peak.buffers:
        roles.setdefault(buffer.role, []).append(buffer.bytes)
    by_role = [
        f"{role} {number(sum(sizes))}" + (f" ({len(sizes)} buffers)" if len(sizes) > 1 else "")
        for role, sizes in roles.items()
    ]
    if peak.overlapping_bytes:
        by_role.append(f"of which {number(peak.overlapping_bytes)} overlap")
    return [("limit", text), ("its buffers", ", ".join(by_role))]


# Describe operators in bands or in groups of channels.
def _region_line(region, unit):
    how = f"in {region.groups} groups of channels"
    if region.bands:
        rows = counted(region.recomputed_rows, "row")
        how = f"in {region.bands} bands, {rows} computed again"
    cycles = _signed(region.extra_cycles, _millions)
    return f"ops {region.first} to {region.last} {how}: {cycles} {unit}"


def _millions(count):
    return f"{count / 1e6:.2f} M"


# Return a count with its sign; written: a function that formats it.
def _signed(count, written):
    return f"{'+' if count >= 0 else '−'}{written(abs(count))}"


# Print a row for each optimization pass that saved something, and the sums.
def _print_savings(savings, target):
    if not savings:
        return
    grid = table("saved by", ">operators", ">MACs", ">bytes", "why no result changes")

    def add_row(name, entries, reason):
        macs, size = sum(s.macs for s in entries), sum(s.bytes for s in entries)
        grid.add_row(name, str(len(entries)), number(macs), number(size), reason)

    for name in dict.fromkeys(saving.what for saving in savings):
        entries = [saving for saving in savings if saving.what == name]
        add_row(name.replace("_", "-"), entries, entries[0].reason)
    grid.add_section()
    add_row("TOTAL", savings, "switch one off: --without NAME")
    show(grid, target, "why no result changes")


# Print flash and cycles of layers whose weights became 4-bit indices, against int8 weights.
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
    text = "Lossless 4-bit weights: bytes of flash, estimated cycles of a Cortex-M0+."
    target.print(Text(text, style="dim"))


# Print flash and cycles of each weight layout; the layout in the written .tflm is marked.
def _print_packing(layers, target):
    if not layers:
        return
    layouts = list(layers[0].flash)
    is_estimated = any(c is not None for layer in layers for c in layer.cycles.values())
    heads = [head for name in layouts for head in (f">{name}", ">cycles")[: 1 + is_estimated]]
    grid = table(">layer", "op", *heads)
    for layer in sorted(layers, key=lambda layer: layer.node):
        cells = []
        for layout in layouts:
            style = "bold" if layout == layer.chosen else "dim"
            mark = _CHOSEN.strip() if layout == layer.chosen else ""
            cells.append(Text(mark + number(layer.flash[layout]), style=style))
            if is_estimated:
                cycles = layer.cycles[layout]
                text = UNKNOWN if cycles is None else f"{cycles / 1e6:.3f} M"
                cells.append(Text(text, style=style))
        grid.add_row(str(layer.node), layer.op, *cells)
    show(grid, target, "op")
    text = "Bytes of flash for each weight layout"
    if is_estimated:
        text += "; estimated cycles of a Cortex-M0+, without waits for flash"
    target.print(Text(f"{text}; * marks the layout in the .tflm.", style="dim"))


# Return the largest values of a row of scores, or the range of any other output.
def _values(output):
    if output.top:
        return "  ".join(f"{i}: {value:.4g}" for i, value in output.top if value is not None)
    if output.low is None or output.high is None:
        return ""
    return f"{output.low:.4g} … {output.high:.4g}"


def print_run(result, target):
    """Print outputs, time and arena of a Run."""
    grid = table("output", "type", "shape", "largest, or range")
    for output in result.outputs:
        grid.add_row(
            Text(Path(output.file).name or output.name),
            output.dtype,
            shape(output.shape),
            _values(output),
        )
    show(grid, target, "largest, or range")
    time = microseconds(result.mean_us)
    if result.invokes > 1:
        time += f" (mean of {result.invokes}, best {microseconds(result.best_us)})"
    target.print(Text(f"{time} per invoke, {number(result.arena_bytes)} bytes of arena"))
    for note in result.notes:
        target.print(Text(note))
    if result.detections is not None:
        _print_detections(result, target)


# Print a row for each box of a detector.
def _print_detections(result, target):
    if not result.detections:
        target.print(Text("nothing was detected"))
        return
    grid = table("class", ">score", ">x", ">y", ">width", ">height")
    for box in result.detections:
        numbers = [str(each) for each in (box.x, box.y, box.width, box.height)]
        grid.add_row(Text(box.label), f"{100 * box.score:.1f} %", *numbers)
    show(grid, target, "class")
    if result.picture:
        target.print(Text(f"boxes drawn in {result.picture}"))


# Return a Difference in words.
def _difference(difference, oracle):
    where = ", ".join(map(str, difference.index))
    return (
        f"{difference.count} of {difference.total} elements differ, first at [{where}]: "
        f"tflm {difference.got!r}, {oracle} {difference.wanted!r}"
    )


def print_verification(result, target):
    """Print the paths of a Verification, and the first difference."""
    grid = table("path", ">cases", ">arena", "result")
    for entry in result.paths:
        differs = result.mismatch is not None and result.mismatch.path == entry.path
        word = Text("differs", style="bold red") if differs else Text("equal", style="green")
        grid.add_row(entry.path, str(entry.cases), number(entry.arena_bytes), word)
    show(grid, target)
    for layers in result.layers:
        print_layers(layers, target, result.oracle)
    if result.refused:
        names = ", ".join(result.refused)
        target.print(Text(f"Not compared, because {result.oracle} refuses them: {names}"))
    for k, count in result.rounded.items():
        text = f"Output {k}: {counted(count, 'element')} of all cases off by one step, as LiteRT"
        target.print(Text(f"{text} rounds FULLY_CONNECTED differently from TFLM"))
    for k in result.unwritten:
        text = f"Output {k}: bytes that {result.oracle} does not write were not compared"
        target.print(Text(text))
    mismatch = result.mismatch
    if result.kernels:
        text = f"{result.oracle} ran its {result.kernels} kernels"
        if result.differing_kernels:
            text += f"; its {result.differing_kernels} kernels give other results"
        target.print(Text(text))
    if mismatch is None:
        name = Path(result.model).name
        relation = "at most one step from" if result.rounded else "equal to"
        target.print(
            Text(f"{name}: all outputs are {relation} {result.oracle}'s.", style="bold green")
        )
        for layers in result.layers:
            _print_first_layer(layers, target, result.oracle)
        return
    case = f"Output {mismatch.output} differs from {result.oracle} in the case '{mismatch.case}'"
    target.print(Text(f"{case} (seed {result.seed}):", style="bold red"))
    target.print(Text("  " + _difference(mismatch.difference, result.oracle)))
    if mismatch.op is None:
        target.print(Text(mismatch.note))
        return
    op = mismatch.op
    target.print(Text(f"First differing op: {op.node} {op.op}, kernel {op.kernel}", style="bold"))
    target.print(Text(f"  tensor '{op.tensor}': {_difference(op.difference, result.oracle)}"))


# Print the first operator whose output differs although the model's outputs are equal.
def _print_first_layer(layers, target, oracle):
    row = layers.first()
    if row is not None:
        text = (
            f"Only inner tensors differ, first after op {row.node} {row.op}, kernel {row.kernel}:"
        )
        target.print(Text(text, style="bold red"))
        target.print(Text(f"  tensor '{row.tensor}': {_difference(row.difference, oracle)}"))


# Return a number for a table; floats have six digits.
def _value(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def print_layers(layers, target, oracle):
    """Print a row for each output of each operator of Layers."""
    target.print(Text(f"Operators on the path {layers.path}, case '{layers.case}':"))
    grid = table(
        "op", "tensor", "result", "first at", ">tflm", f">{oracle}", ">largest", ">how many"
    )
    styles = {"equal": "green", "one step": "green", "differs": "bold red", "not shown": "dim"}
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
    """Print the list of operators."""
    grid = table(">code", "operator", "prepared by")
    for operator in operators:
        code = UNKNOWN if operator.code is None else str(operator.code)
        grid.add_row(code, operator.name, operator.file)
    show(grid, target, "prepared by")
    target.print(Text(f"{len(operators)} operators"))
