# tflm_tools: render: prints the result of `tflm eval`: accuracy, confusion matrix, time
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from rich.text import Text

from .common import microseconds, number, show, table

_MAX_NAME = 12  # characters of a class's name
_MAX_CONFUSIONS = 10  # listed if there are too many classes for a matrix


def print_evaluation(result, target):
    """Print an Evaluation."""
    target.print(
        Text(Path(result.model).name, style="bold").append(
            f"  on {Path(result.data).name}, {result.where}", style="default not bold"
        )
    )
    if result.order:
        target.print(Text(f"{'classes':<10}{order_in_words(result.order)}"))
    _print_score(result, target)
    per = "per example" if result.batch == 1 else f"per batch of {result.batch}"
    how = f"median; mean {microseconds(result.mean_us)}, best {microseconds(result.best_us)}"
    line(target, "time", f"{microseconds(result.median_us)} {per}", how)
    line(target, "arena", f"{number(result.arena_bytes)} bytes", "")
    _print_comparison(result, target)
    for note in result.notes:
        target.print(Text(f"note: {note}", style="yellow"))
    if result.score.confusion:
        print_confusion(result, target)


def order_in_words(order):
    """Return a ClassOrder in words: the number and name of each class, and what says so."""
    source = "alphabetical order; --labels sets another" if order.is_guess() else order.source
    return f"{order.described()} ({source})"


def print_detector_evaluation(result, target):
    """Print a DetectorEvaluation."""
    target.print(
        Text(Path(result.model).name, style="bold").append(
            f"  on {Path(result.data).name}, {result.where}", style="default not bold"
        )
    )
    images = f"{number(result.count)} images, decoder {result.decoder}"
    line(target, "mAP", _percent(result.map), f"mean over overlaps of 0.5 to 0.95; {images}")
    line(target, "mAP 50", _percent(result.map_50), "overlap of at least 0.5")
    how = f"median; mean {microseconds(result.mean_us)}, best {microseconds(result.best_us)}"
    line(target, "time", f"{microseconds(result.median_us)} per image", how)
    line(target, "arena", f"{number(result.arena_bytes)} bytes", "")
    for note in result.notes:
        target.print(Text(f"note: {note}", style="yellow"))
    grid = table("class", ">wanted", ">found", ">AP 50", ">AP")
    for each in result.classes:
        cells = number(each.wanted), number(each.found), _percent(each.ap_50), _percent(each.ap)
        grid.add_row(Text(each.label), *cells)
    show(grid, target, "class")


def _percent(value):
    return "–" if value is None else f"{100 * value:.2f} %"


def line(target, label, value, words):
    """Print a line: a label, its value, and an explanation."""
    line = Text(f"{label:<10}").append(value, style="bold")
    target.print(line.append(f"  {words}" if words else "", style="default not bold"))


def _print_score(result, target):
    score = result.score
    if score.accuracy is not None:
        words = f"{number(score.right)} of {number(result.count)}"
        line(target, "accuracy", f"{100 * score.accuracy:.2f} %", words)
        return
    words = f"worst {score.worst_error:.6g}, over {number(result.count)} examples"
    line(target, "error", f"{score.mean_error:.6g}", f"mean absolute; {words}")


def _print_comparison(result, target):
    found = result.comparison
    if found is None:
        return
    if found.differing:
        words = f"{number(found.differing)} of {number(result.count)} outputs differ, first at "
        target.print(Text(f"{'TFLM':<10}{words}{found.first_differing}", style="bold red"))
    else:
        target.print(
            Text(f"{'TFLM':<10}").append("equal", style="bold green").append(
                f"  in all {number(result.count)} outputs", style="default not bold"
            )
        )  # fmt: skip
    score = found.score
    same = f"{100 * score.accuracy:.2f} %" if score.accuracy is not None else (
        f"error {score.mean_error:.6g}")  # fmt: skip
    line(target, "", same, f"{microseconds(found.median_us)} per invoke of the wheel, median")


# Return the name of a class: its label, or its number.
def _name(result, i):
    text = result.labels[i] if i < len(result.labels) else str(i)
    return text if len(text) <= _MAX_NAME else text[: _MAX_NAME - 1] + "…"


def print_confusion(result, target):
    """Print the matrix of a result with score and labels, or its largest confusions."""
    matrix = result.score.confusion
    classes = range(len(matrix))
    names = [_name(result, i) for i in classes]
    cell = max(len(str(v)) for row in matrix for v in row)
    width = max(map(len, names)) + 12 + sum(max(len(n), cell) + 2 for n in names)
    if width > target.width:
        _print_worst(result, matrix, target)
        return
    grid = table("label \\ found", *(f">{name}" for name in names), ">right")
    for i in classes:
        total = sum(matrix[i])
        cells = []
        for k in classes:
            style = "bold green" if i == k else "bold red" if matrix[i][k] else "dim"
            cells.append(Text(str(matrix[i][k]) if matrix[i][k] else "·", style=style))
        share = f"{100 * matrix[i][i] / total:.0f} %" if total else "–"
        grid.add_row(Text(names[i], style="bold"), *cells, share)
    show(grid, target)


def _print_worst(result, matrix, target):
    wrong = [
        (count, i, k)
        for i, row in enumerate(matrix)
        for k, count in enumerate(row)
        if i != k and count
    ]
    if not wrong:
        return
    grid = table("label", "found", ">examples", ">of the label's")
    for count, i, k in sorted(wrong, key=lambda entry: (-entry[0], entry[1:]))[:_MAX_CONFUSIONS]:
        share = f"{100 * count / sum(matrix[i]):.0f} %"
        grid.add_row(Text(_name(result, i)), Text(_name(result, k)), number(count), share)
    show(grid, target, "label", "found")
    if len(wrong) > _MAX_CONFUSIONS:
        target.print(Text(f"and {len(wrong) - _MAX_CONFUSIONS} more pairs; --json lists all"))
