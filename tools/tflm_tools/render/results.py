# tflm_tools: render: what flatten, run, verify and ops print
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from rich.text import Text

from .common import microseconds, number, shape, shrink, size, table


def print_conversion(result, target):
    """Sizes of a Conversion."""
    target.print(Text(result.output, style="bold"))
    for label, text in (
        ("flash", f"{size(result.flat_bytes)} as .tflm, {size(result.tflite_bytes)} as .tflite"),
        ("arena", f"{number(result.arena_bytes)} bytes"),
        ("", f"{number(result.tflm_head_bytes)} bytes is what TFLM plans for these tensors"),
    ):
        target.print(Text(f"{label:<7}{text}"))


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
    shrink(grid, target, "largest, or range")
    target.print(grid)
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
    grid = table("path", ">cases", ">time an invoke", ">arena", "")
    for entry in result.paths:
        differs = result.mismatch is not None and result.mismatch.path == entry.path
        word = Text("differs", style="bold red") if differs else Text("equal", style="green")
        grid.add_row(entry.path, str(entry.cases), microseconds(entry.mean_us),
                     number(entry.arena_bytes), word)  # fmt: skip
    target.print(grid)
    mismatch = result.mismatch
    if mismatch is None:
        name = Path(result.model).name
        target.print(Text(f"{name} gives what TFLM gives.", style="bold green"))
        return
    case = f"Output {mismatch.output} differs from TFLM in the case '{mismatch.case}'"
    target.print(Text(f"{case} (seed {result.seed}):", style="bold red"))
    target.print(Text("  " + _difference(mismatch.difference)))
    if mismatch.op is None:
        target.print(Text(mismatch.note))
        return
    op = mismatch.op
    target.print(Text(f"First differing op: {op.node} {op.op}, kernel {op.kernel}", style="bold"))
    target.print(Text(f"  tensor '{op.tensor}': {_difference(op.difference)}"))


def print_operators(operators, target):
    """The list of operators."""
    grid = table(">code", "operator", "prepared by")
    for operator in operators:
        grid.add_row(str(operator.code), operator.name, operator.file)
    target.print(grid)
    target.print(Text(f"{len(operators)} operators"))
