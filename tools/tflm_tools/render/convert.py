# tflm_tools: render: prints the result of `tflm convert`: types, sizes and accuracy
# MIT license; Copyright (c) 2026 the tflm authors

from rich.text import Text

from .common import milliseconds, number, shape
from .evaluation import order_in_words

_QUANTIZATION = {
    "int8": "int8",
    "int16": "int16 activations, int8 weights",
    "dynamic": "float32 with int8 weights, quantized while it runs",
    "weights-only": "float32 with int8 weights",
    "float32": "float32",
}


def print_converted(result, target):
    """Print a Converted."""
    model = result.made
    target.print(
        Text(result.output, style="bold").append(
            f"  {_quantization(result)}, from {result.source} by {result.converter}",
            style="default not bold",
        )
    )
    for label, tensors in (("input", model.inputs), ("output", model.outputs)):
        for tensor in tensors:
            _line(target, label, _tensor(tensor))
    if result.taken and result.form in ("int8", "int16"):
        _line(target, "data", _taken(result))
    if result.order:
        _line(target, "classes", order_in_words(result.order))
    if result.form != "float32":
        words = f"{model.per_channel} per channel, {model.per_tensor} per tensor"
        _line(target, "weights", f"scales: {words}")
    ops = ", ".join(f"{count} {name}" if count > 1 else name for name, count in model.ops.items())
    _line(target, "operators", ops)
    arena = f"{number(model.arena_bytes)} bytes of arena as .tflm"
    _line(target, "size", f"{number(model.tflite_bytes)} bytes; {arena}")
    _print_footprints(result, target)
    _print_scores(result, target)
    for note in result.notes:
        target.print(Text(f"note: {note}", style="yellow"))


def _quantization(result):
    words = _QUANTIZATION[result.form]
    return words if result.weight_bits == 8 else f"{words}, int4 where layers allow it"


# Print flash, arena and time on a Pico, before and after the conversion.
def _print_footprints(result, target):
    before, after = result.original, result.made
    if before is None or before.pico_ms is None or after.pico_ms is None:
        return
    for label, key in (("flash", "flash_bytes"), ("arena", "arena_bytes")):
        words = f"{number(getattr(before, key))} bytes before"
        _line(target, label, f"{words}, {number(getattr(after, key))} after, as .tflm")
    times = [milliseconds(each.pico_ms) for each in (before, after)]
    _line(target, "time", f"about {times[0]} before, {times[1]} after, on a Pico (estimate)")


def _line(target, label, words):
    target.print(Text(f"{label:<11}{words}"))


def _tensor(tensor):
    words = f"{tensor.name}: {tensor.dtype} {shape(tensor.shape)}"
    if not tensor.scale:
        return words
    return f"{words}, {tensor.scale:.4g} a step, {tensor.zero_point} is zero"


# Return the number of representative examples, in total and per class.
def _taken(result):
    words = f"{number(result.taken)} of {number(result.available)} examples"
    if not result.classes:
        return words
    counts = [taken for _, taken, _ in result.classes]
    least, most = min(counts), max(counts)
    each = number(least) if least == most else f"{number(least)} to {number(most)}"
    return f"{words}, {each} of each of {len(counts)} classes"


def _print_scores(result, target):
    before, after = result.before, result.after
    if before is None:
        return
    over = f"over {number(result.scored)} examples"
    if before.accuracy is None:
        words = f"{before.mean_error:.4g} before, {after.mean_error:.4g} after, mean {over}"
        _line(target, "error", words)
        return
    words = f"{100 * before.accuracy:.2f} % before, {100 * after.accuracy:.2f} % after, {over}"
    _line(target, "accuracy", words)
