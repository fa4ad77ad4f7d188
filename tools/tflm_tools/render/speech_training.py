# tflm_tools: render: prints the result of `tflm speech train`
# MIT license; Copyright (c) 2026 the tflm authors

from rich.text import Text

from .common import number


def _percent(count, total):
    return f"{100 * count / max(total, 1):.1f} %"


def print_trained(result, target):
    """Print a TrainedWords or a TrainedVoice: files, sizes, and scores on the test voices."""
    target.print(
        Text(result.metadata, style="bold").append(
            f"  {number(result.model_bytes)} bytes as .tflite, {number(result.flat_bytes)} as "
            f".tflm; {number(result.macs)} multiply-accumulates, {number(result.arena_bytes)} "
            "bytes of arena",
            style="default not bold",
        )
    )
    target.print(_voice(result) if hasattr(result, "found") else _words(result))
    for pair, count in getattr(result, "confusions", {}).items():
        target.print(Text(f"  {count} x {pair}"))


def _words(result):
    share = _percent(result.right, result.said)
    return (
        f"of {number(result.said)} words of the test voices, {number(result.right)} ({share}) are "
        f"recognized and {number(result.wrong)} are taken for another word; of "
        f"{number(result.others)} other utterances, {number(result.false)} are taken for a word"
    )


def _voice(result):
    return (
        f"in {result.hours:.2f} hours of the test voices, {100 * result.found:.1f} % of the "
        f"windows with a voice are detected, and {100 * result.false:.1f} % of those without"
    )
