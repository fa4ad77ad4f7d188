# tflm_tools: render: writes a Report as one HTML page without external files
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from rich.text import Text

from .arena_scene import arena_scene
from .common import UNKNOWN, microseconds, milliseconds, number, shape, size, tensor_type
from .graph_scene import graph_scene
from .plan import plan_words
from .report_style import page_style
from .svg import clean, svg

_MAX_TENSORS = 400  # rows of the table of tensors


# Return an HTML table. columns: headings, with ">" before a column of numbers. rows: texts or
# _Html. marked: the number of the row to emphasize.
def _table(columns, rows, marked=None):
    heads = "".join(
        f'<th class="n">{clean(c[1:])}</th>' if c[:1] == ">" else f"<th>{clean(c)}</th>"
        for c in columns
    )
    lines = [f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>']
    for i, row in enumerate(rows):
        cells = []
        for column, cell in zip(columns, row, strict=True):
            kind = "n" if column[:1] == ">" else "text" if len(str(cell)) > 40 else ""
            text = cell.html if isinstance(cell, _Html) else clean(cell)
            cells.append(f'<td class="{kind}">{text}</td>' if kind else f"<td>{text}</td>")
        mark = ' class="peak"' if i == marked else ""
        lines.append(f"<tr{mark}>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</tbody></table></div>"])


# A text that is HTML and must not be escaped.
class _Html:
    def __init__(self, html):
        self.html = html

    def __len__(self):
        return len(self.html)

    def __str__(self):
        return ""


def _tiles(report):
    found = report.inspection
    fitting = report.summary("")
    tiles = [
        (size(report.arena_bytes), "arena: RAM for tensors"),
        (size(report.flat_bytes), "flash, as .tflm"),
        (number(found.macs), "multiply-accumulates"),
        (size(found.weights_bytes), "weights in the .tflite"),
        (str(len(found.ops)), "operators"),
    ]
    if fitting.boards:
        text = f"{fitting.boards_that_fit} of {fitting.boards}"
        tiles.append((text, "boards that it fits"))
    if found.pico_ms is not None:
        boards = (
            ("Pico", found.pico_ms), ("Pico 2", found.pico2_ms), ("ESP32", found.esp32_ms),
            ("ESP32-C3", found.esp32c3_ms),
        )  # fmt: skip
        tiles += [(milliseconds(ms), f"on {board}, estimate") for board, ms in boards if ms]
    if report.profile:
        total = sum(row.us for row in report.profile)
        tiles.append((microseconds(total), "measured in operators"))
    cells = [f'<div class="tile"><b>{clean(a)}</b><span>{clean(b)}</span></div>' for a, b in tiles]
    return f'<div class="tiles">{"".join(cells)}</div>'


def _missing(report):
    entries = report.inspection.missing
    if not entries:
        return ""
    items = "".join(f"<li>{clean(entry.op)}: {clean(entry.reason)}</li>" for entry in entries)
    return f'<p class="bad">This model does not run on tflm:</p><ul>{items}</ul>'


# Return the section of inputs, outputs, signatures and labels.
def _ends(report):
    found = report.inspection
    rows = [
        (f"{what} {i}", t.name, tensor_type(t), shape(t.shape),
         f"{t.scale:.6g}" if t.scale else UNKNOWN, t.zero_point if t.scale else UNKNOWN)
        for what, tensors in (("input", found.inputs), ("output", found.outputs))
        for i, t in enumerate(tensors)
    ]  # fmt: skip
    text = _table(("", "name", "type", "shape", ">scale", ">zero point"), rows)
    contents = found.contents
    for s in contents.signatures:
        words = f"{s.key}({', '.join(s.inputs)}) gives {', '.join(s.outputs)}"
        text += f"<p>Signature {clean(words)}</p>"
    if contents.labels:
        text += f'<p class="dim">Labels: {clean(", ".join(contents.labels))}</p>'
    return text


def _arenas(report):
    sections = []
    for i, plan in enumerate(report.plans):
        whose, words = plan_words(plan)
        name = "The .tflite as TFLM plans it" if plan.level == "off" else f"The .tflm of {whose}"
        if plan.plan.blocks:
            drawing = svg(arena_scene(plan.plan, name, words), f"arena{i}-", whole=False)
            sections.append(f'<div class="wide fit">{drawing}</div>')
        else:
            sections.append(f"<p>{clean(name)}: no tensor of this model is in the arena.</p>")
    return "\n".join(reversed(sections))


def _ops(report):
    found = report.inspection
    rows = [
        (op.index, op.name, ", ".join(dict.fromkeys(op.kernels)) or "missing",
         f"{shape(op.output_shape)} {op.output_dtype or ''}", number(op.macs),
         number(op.weights_bytes), number(op.live_bytes))
        for op in found.ops
    ]  # fmt: skip
    peak = next((i for i, op in enumerate(found.ops) if op.index == found.peak_op), None)
    columns = (">op", "name", "kernel", "output", ">MACs", ">weights", ">arena in use")
    note = '<p class="dim">Bytes, of the .tflite; bold: the peak of the arena.</p>'
    return _table(columns, rows, peak) + note


def _profile(report):
    if not report.profile:
        return ""
    macs = {op.index: op.macs for op in report.inspection.ops}
    cycles = any(row.cycles for row in report.profile)
    largest = max(row.share for row in report.profile) or 1
    columns = [">op", "name", ">time", ">share", "", ">MACs", ">ns / MAC"]
    rows = []
    for row in report.profile:
        count = macs.get(row.op) or 0
        bar = _Html(f'<svg class="bar" width="{round(7 * row.share / largest, 2)}rem"></svg>')
        cells = [row.op, row.name, microseconds(row.us), f"{100 * row.share:.1f} %", bar,
                 number(count), f"{1000 * row.us / count:.2f}" if count else UNKNOWN]  # fmt: skip
        if cycles:
            cells += [number(round(row.cycles or 0))]
        rows.append(cells)
    table = _table(columns + [">cycles"] * cycles, rows)
    return f"<h2>Time</h2><p>From {clean(report.profile_name)}.</p>{table}"


def _boards(report):
    if not report.boards:
        return "<p>Board profiles are only part of a checkout of tflm.</p>"
    rows = []
    for fit in report.boards:
        verdict = _Html(f'<span class="{"good" if fit.fits else "bad"}">'
                        f"{'yes' if fit.fits else 'no'}</span>")  # fmt: skip
        firmware = "the port's own" if fit.firmware == "stock" else "with tflm"
        rows.append((fit.board, verdict, firmware, size(fit.memory), size(fit.flash), fit.advice))
    columns = ("board", "fits", "firmware", ">memory", ">flash for models", "how")
    return _table(columns, rows)


def _graphs(report):
    tensors = {row.number: row for row in report.tensors}
    macs = {op.index: op.macs for op in report.inspection.ops}
    sections = []
    for i, graph in enumerate(report.graph):
        if len(report.graph) > 1:
            sections.append(f"<h3>{clean(f'Sub-graph {i}: {graph.name}')}</h3>")
        drawing = svg(graph_scene(graph, tensors, macs), f"graph{i}-", whole=False)
        sections.append(f'<div class="graph">{drawing}</div>')
    return "\n".join(sections)


def _quantization(report):
    rows = [
        (t.number, t.kind, t.name, f"{shape(t.shape)} {t.dtype}", number(t.bytes),
         (f"{t.scale:.6g}" if t.scales == 1 else f"{t.scales} channels") if t.scale else UNKNOWN,
         t.zero_point if t.scale else UNKNOWN)
        for t in report.tensors[:_MAX_TENSORS]
    ]  # fmt: skip
    columns = (">tensor", "kind", "name", "shape", ">bytes", ">scale", ">zero point")
    more = len(report.tensors) - len(rows)
    note = f'<p class="dim">and {more} more</p>' if more > 0 else ""
    count = f"{len(report.tensors)} tensors"
    return f"<details><summary>{count}</summary>{_table(columns, rows)}{note}</details>"


# Return the section with the commands for the computer, if there are any, and the program for the
# board.
def _how_to_run(report):
    commands, after = "", ""
    if report.commands:
        commands = clean("\n".join(report.commands))
        commands = f"<p>On the computer:</p><pre>{commands}</pre>"
        after = ", after <code>tflm deploy</code>, which prints the name of the file"
    program = f"<p>On the board{after}:</p><pre>{clean(report.snippet)}</pre>"
    return f"<h2>Run it</h2>{commands}{program}"


def report_page(report):
    """Return the HTML page of a Report as a text."""
    found = report.inspection
    name = clean(Path(found.path).name)
    target = f", target {report.target}" if report.target else ""
    sections = [
        f"<h1>{name}</h1>",
        f'<p class="dim">{size(found.file_bytes)} as .tflite; the .tflm was made with '
        f"--optimize {clean(report.level)}{clean(target)}</p>",
        _missing(report),
        _tiles(report),
        "<h2>Inputs and outputs</h2>",
        _ends(report),
        "" if found.missing else _how_to_run(report),
        "<h2>The arena</h2><p>Operators from left to right, bytes upwards. A tensor exists from "
        "the operator that writes it to the last operator that reads it. Hatched blocks are "
        "scratch buffers of one operator. A grey background marks operators that run in bands of "
        "rows.</p>",
        _arenas(report),
        "<h2>Boards</h2>",
        _boards(report),
        _profile(report),
        "<h2>Operators</h2>",
        _ops(report),
        "<h2>Graph</h2>",
        _graphs(report),
        "<h2>Tensors and quantization</h2>",
        _quantization(report),
        f"<footer>Written by tflm {clean(report.version)}.</footer>",
    ]
    body = "\n".join(section for section in sections if section)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{name}</title>\n<style>{page_style()}</style>\n</head>\n<body>\n{body}\n"
        "</body>\n</html>\n"
    )


def print_report(summary, target):
    """Print a ReportSummary."""
    target.print(Text(summary.output, style="bold"))
    arena = f"arena {number(summary.arena_bytes)} bytes"
    if summary.flat_bytes is None:
        text = f"{arena} for its tensors; it does not run on tflm; the page lists the reasons"
    else:
        fit = f"fits {summary.boards_that_fit} of {summary.boards} boards"
        text = f"{arena}, flash {size(summary.flat_bytes)}; {fit}"
    target.print(Text(text))
