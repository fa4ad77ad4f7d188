# tflm_tools: render: the table of bench
# MIT license; Copyright (c) 2026 the tflm authors

from rich.text import Text

from .common import microseconds, number, shrink, table


# Multiply-accumulates in millions, or as they are.
def _millions(count):
    return f"{count / 1e6:.1f} M" if count >= 1e6 else number(count)


def print_bench(rows, target):
    """One line a model, then what the columns mean."""
    grid = table("model", ">MACs", ">tflm", ">TFLM", ">ratio", ">arena", ">head", ">flash")
    for row in rows:
        grid.add_row(
            row.model,
            _millions(row.macs),
            microseconds(row.tflm_us),
            microseconds(row.wheel_us),
            f"{row.ratio:.2f}",
            number(row.arena),
            number(row.tflm_head),
            number(row.flash),
        )
    shrink(grid, target, "model")
    target.print(grid)
    target.print(
        Text(
            "tflm: an invoke in the MicroPython unix port; TFLM: in the tflite-micro wheel (C++); "
            "ratio above 1: tflm is faster. Bytes: arena of the .tflm; head: TFLM's plan for the "
            "tensors; flash: the .tflm."
        )
    )
