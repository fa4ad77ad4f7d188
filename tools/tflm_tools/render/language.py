# tflm_tools: render: prints language models: what `tflm convert` makes, and `tflm run` writes
# MIT license; Copyright (c) 2026 the tflm authors

from rich.text import Text

from .common import milliseconds, number

_PRECISIONS = {
    "int8": "int8",
    "float32": "float32",
    "dynamic": "int8 weights, float32 activations",
}


def _line(target, label, words):
    target.print(Text(f"{label:<11}{words}"))


def print_footprint(footprint, target):
    """Print a language.convert.Footprint."""
    _line(
        target, "weights", f"{number(footprint.parameters)}, as {_PRECISIONS[footprint.precision]}"
    )
    flash, arena = number(footprint.flash_bytes), number(footprint.arena_bytes)
    words = f"about {flash} bytes of flash and {arena} of RAM for"
    _line(target, "needs", f"{words} {number(footprint.positions)} tokens")
    for fit in footprint.boards:
        _line(target, "", f"{'fits' if fit.fits else 'too large for'} {fit.board}: {fit.advice}")


def print_converted_text(result, target):
    """Print a language.convert.ConvertedText."""
    target.print(
        Text(result.output, style="bold").append(
            f"  {_PRECISIONS[result.precision]}, from {result.source}", style="default not bold"
        )
    )
    _line(
        target,
        "model",
        f"{number(result.layers)} layers, {number(result.vocabulary)} tokens from "
        f"{result.tokenizer}, texts of up to {number(result.positions)}",
    )
    size = f"{number(result.tflite_bytes)} bytes"
    if result.flash_bytes is not None:
        size += f", {number(result.flash_bytes)} as .tflm"
    _line(target, "size", f"{size}; {number(result.arena_bytes)} bytes of arena as .tflm")
    if result.pico_ms is not None:
        words = f"about {milliseconds(result.pico_ms)} a token on a Pico (estimate)"
        _line(target, "time", words)
    _line(
        target,
        "loss",
        f"{result.loss_before:.4f} before, {result.loss_after:.4f} after; the likeliest token is "
        f"the same for {result.same:.1%} of {number(result.scored)}",
    )
    for note in result.notes:
        target.print(Text(f"note: {note}", style="yellow"))
