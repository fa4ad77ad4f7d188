# tflm_tools: render: prints the result of `tflm learn`: accuracy and confusion matrix
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from rich.text import Text

from .common import number
from .evaluation import line, print_confusion


def print_learning(result, target):
    """Print a Learning."""
    target.print(
        Text(Path(result.model).name, style="bold").append(
            f"  on {Path(result.data).name}, {result.method}", style="default not bold"
        )
    )
    classes = f"of {number(len(result.labels))} classes, {number(result.features)} features each"
    line(target, "taught", f"{number(result.taught)} examples", classes)
    if result.threshold is None:
        score = result.score
        words = f"{number(score.right)} of {number(result.count)} others"
        line(target, "accuracy", f"{100 * score.accuracy:.2f} %", words)
    else:
        words = f"of {number(result.count)} others: further away than {number(result.threshold)}"
        line(target, "unusual", number(result.unusual), words)
    line(target, "arena", f"{number(result.arena_bytes)} bytes", "")
    if result.output:
        words = f"{number(result.flat_bytes)} bytes, network and head"
        line(target, "wrote", result.output, words)
    for note in result.notes:
        target.print(Text(f"note: {note}", style="yellow"))
    if result.threshold is None:
        print_confusion(result, target)
