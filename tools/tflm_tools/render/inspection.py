# tflm_tools: render: prints the result of `tflm inspect`
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from rich.text import Text

from .arena import print_plan
from .common import (
    BOARD_NAMES,
    UNKNOWN,
    counted,
    milliseconds,
    natural_width,
    number,
    shape,
    show,
    size,
    table,
    tensor_type,
)

_LABELS = 12
ERROR = 0.2  # of the estimated time (optimize/invoke_time.py)


def print_inspection(report, target, plan=False, allocations=False):
    """Print an Inspection; plan: draw its arena plan; allocations: list the arena's sections."""
    title = Text(Path(report.path).name, style="bold")
    title.append(f"  {size(report.file_bytes)}, {len(report.ops)} ops", style="default not bold")
    target.print(title)
    _print_overview(report, target)
    _print_tensors(report, target)
    _print_ops(report, target)
    _print_totals(report, target)
    if plan:
        target.print()
        print_plan(report.plan, target)
    if allocations:
        _print_allocations(report, target)
    _print_missing(report, target)
    _print_boards(report, target)


def time_words(report):
    """Return the estimated times of an Inspection in words."""
    copies = ", which copies the model to RAM" if report.is_copied else ""
    words = f"about {milliseconds(report.pico_ms)} on a Pico{copies} (estimate, ±{ERROR:.0%})"
    others = ("pico2", report.pico2_ms), ("esp32", report.esp32_ms), ("esp32c3", report.esp32c3_ms)
    words += "".join(
        f"; {milliseconds(ms)} on {BOARD_NAMES[board]}" for board, ms in others if ms is not None
    )
    if report.int8_ms:
        times = [f"{milliseconds(ms)} on {BOARD_NAMES[b]}" for b, ms in report.int8_ms.items()]
        words += f". As int8 about {'; '.join(times)}"
    return words.replace("%", " %")


# Print the kind of model, whether it runs, its estimated time, and a command to run next.
def _print_overview(report, target):
    rows = []
    if report.model_type:
        rows.append(("type", report.model_type))
    if report.missing:
        names = ", ".join(dict.fromkeys(entry.op for entry in report.missing))
        rows.append(("runs", f"no: {names}; the remedies are below"))
    elif report.pico_ms is not None:
        rows.append(("time", time_words(report)))
    if report.command:
        rows += [("next", report.command), ("", report.reason)]
    for name, text in rows:
        line = Text(f"{name:<10}", style="bold").append(text, style="default not bold")
        target.print(line, soft_wrap=name == "next")  # a command stays one line, to be copied


# Print inputs and outputs.
def _print_tensors(report, target):
    grid = table("which", "name", "type", "shape", ">scale", ">zero point")
    for what, tensors in (("in", report.inputs), ("out", report.outputs)):
        for i, tensor in enumerate(tensors):
            kept = tensor.kept or tensor
            scale = f"{kept.scale:.6g}" if kept.scale else UNKNOWN
            zero_point = str(kept.zero_point) if kept.scale else UNKNOWN
            kind = tensor_type(tensor)
            grid.add_row(f"{what} {i}", Text(tensor.name), kind, shape(tensor.shape),
                         scale, zero_point)  # fmt: skip
    show(grid, target, "name")


# Return the kernels of one operator; a kernel that is called n times is listed once.
def _kernels(op):
    counts = {kernel: op.kernels.count(kernel) for kernel in op.kernels}
    return [k if n == 1 else f"{n} × {k}" for k, n in counts.items()]


# Print the table of operators; if it is too wide, kernels are printed below the names.
def _print_ops(report, target):
    grid = _ops(report, False)
    if natural_width(grid, target) > target.width:
        grid = _ops(report, True)
    show(grid, target)


def _ops(report, is_narrow):
    graph = report.kind == "tflite"
    more = ("output", ">MACs", ">weights", ">arena") if graph else ()
    grid = table(">op", *(["name, kernel"] if is_narrow else ["name", "kernel"]), *more)
    lacking = {node for entry in report.missing for node in entry.nodes}
    subgraph = 0
    for op in report.ops:
        if op.subgraph != subgraph:
            subgraph = op.subgraph
            empty = [""] * (len(grid.columns) - 2)
            grid.add_row("", Text(f"sub-graph {subgraph}", style="bold"), *empty)
        kernels = Text(", ".join(_kernels(op)))
        if is_narrow:
            kernels = Text("\n".join(f"  {kernel}" for kernel in _kernels(op)))
        if op.portable_on:
            words = f"portable kernel: {', '.join(op.portable_on)}"
            kernels.append("\n" + "  " * is_narrow + words, style="yellow")
        if op.index in lacking:
            kernels = Text("  missing" if is_narrow else "missing", style="red")
        row = [str(op.index), Text(op.name), kernels]
        if is_narrow:
            row[1:] = [Text("\n").join(text for text in row[1:] if text.plain)]
        if graph:
            live = number(op.live_bytes)
            peak = op.index == report.peak_op
            row += [shape(op.output_shape), number(op.macs), number(op.weights_bytes),
                    Text(live, style="bold") if peak else live]  # fmt: skip
        grid.add_row(*row)
    return grid


def _print_totals(report, target):
    rows = []
    if report.macs is not None:
        once = "; each sub-graph counted once" if any(op.subgraph for op in report.ops) else ""
        rows.append(("MACs", number(report.macs) + once))
    rows.append(("weights", size(report.weights_bytes)))
    limit = "" if report.is_planned else "at most "
    rows.append(("arena", f"{limit}{number(report.arena_bytes)} bytes as .tflm"))
    if report.arena_tflite_bytes is not None:
        rows.append(("", f"{number(report.arena_tflite_bytes)} bytes as .tflite on the board"))
    if report.peak_op is not None:
        op = next(op for op in report.ops if op.index == report.peak_op)
        most = f"{number(op.live_bytes)} of these at the peak, op {op.index} {op.name}"
        rows.append(("", most))
    if report.tflm_head_bytes is not None:
        text = f"TFLM plans {number(report.tflm_head_bytes)} bytes for these tensors"
        rows.append(("", text))
    if not report.is_planned:
        rows.append(("", "without bands, which --exact plans as tflm flatten does"))
    if report.flat_bytes is not None:
        less = report.kind == "tflite" and report.flat_bytes < report.weights_bytes
        words = "; weights that change no result are omitted" if less else ""
        unpacked = (
            ", not packed: --target packs weights for a board" if report.kind == "tflite" else ""
        )
        rows.append(("flash", f"{size(report.flat_bytes)} as .tflm{words}{unpacked}"))
    rows += _contents(report.contents) + _floats(report)
    for name, text in rows:
        target.print(Text(f"{name:<10}", style="bold").append(text, style="default not bold"))


# Print the sections of the arena; their sum is its size.
def _print_allocations(report, target):
    for entry in report.allocations:
        where = "a .tflm" if entry.form == "tflm" else "the .tflite, prepared on the board"
        grid = table(f"arena of {where}", "section", ">bytes", ">in")
        for section in entry.parts:
            count = UNKNOWN if section.count is None else str(section.count)
            grid.add_row(section.what, section.section, number(section.bytes), count)
        grid.add_section()
        grid.add_row("Arena allocation total", "", number(sum(p.bytes for p in entry.parts)), "")
        show(grid, target)


# Return a note if operators multiply floats: a fully quantized model has no such operator.
def _floats(report):
    count = sum(op.output_dtype == "float32" and bool(op.macs) for op in report.ops)
    if not count:
        return []
    verb = "multiplies" if count == 1 else "multiply"
    return [
        ("note", f"{counted(count, 'operator')} {verb} floats, which is slow without an FPU:"),
        ("", "docs/how-to/quantize.md"),
    ]


# Return the rows for signatures, metadata and labels.
def _contents(contents):
    rows = [
        ("signature", f"{s.key}({', '.join(s.inputs)}) gives {', '.join(s.outputs)}")
        for s in contents.signatures
    ]
    if contents.metadata:
        entries = [f"{name} {size(count)}" for name, count in contents.metadata.items()]
        rows.append(("metadata", ", ".join(entries)))
    if contents.labels:
        more = len(contents.labels) - _LABELS
        text = ", ".join(contents.labels[:_LABELS])
        rows.append(("labels", f"{text} and {more} more" if more > 0 else text))
    return rows


# Print each reason why the model does not run, and its remedy.
def _print_missing(report, target):
    if not report.missing:
        return
    target.print()
    target.print(Text("This model does not run on tflm:", style="bold red"))
    for entry in report.missing:
        line = Text("  ")
        if entry.nodes:
            line.append(f"{len(entry.nodes)} × ")
        line.append(entry.op, style="bold").append(f": {entry.reason}")
        if entry.nodes:
            line.append(f" (op {', '.join(map(str, entry.nodes))})", style="dim")
        target.print(line)
        if entry.advice and entry.advice not in entry.reason:
            target.print(Text(f"    To run it: {entry.advice}."))


def _print_boards(report, target):
    target.print()
    head = "fits" if not report.missing else "would fit"
    grid = table("board", head, "how")
    for fit in report.boards:
        verdict = Text("yes", style="green") if fit.fits else Text("no", style="red")
        grid.add_row(fit.board, verdict, fit.advice)
    show(grid, target, "how")
