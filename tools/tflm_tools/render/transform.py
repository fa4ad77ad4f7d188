# tflm_tools: render: prints the results of `tflm transform` and `tflm requantize`
# MIT license; Copyright (c) 2026 the tflm authors

from rich.text import Text

from .common import show, size, table


# Print the name of the file, and its size before and after.
def _print_sizes(result, target):
    target.print(Text(result.output, style="bold"))
    target.print(Text(f"{size(result.before_bytes)} became {size(result.after_bytes)}"))


def print_transformed(result, target):
    """Print a Transformed."""
    _print_sizes(result, target)
    target.print(Text(f"{', '.join(result.done)}; TFLM gives the same outputs"))


def print_requantized(result, target):
    """Print a Requantized."""
    _print_sizes(result, target)
    text = f"{result.activations} activations in int16, {result.biases} biases in int64"
    target.print(Text(text))
    grid = table("output", ">a step in int8", ">largest difference")
    for entry in result.distances:
        step = f"{entry.step:.6g}" if entry.step else "float32"
        grid.add_row(Text(entry.name), step, f"{entry.largest:.6g}")
    show(grid, target)
    note = "Real outputs in TFLM, int16 against int8, on random inputs; check with your data."
    target.print(Text(note, style="dim"))
