# tflm_tools: render: prints the results of `tflm fleet`
# MIT license; Copyright (c) 2026 the tflm authors

from rich.text import Text

from .common import number


def print_update(update, target):
    """Print a signed Update."""
    target.print(Text(update.path, style="bold"))
    tests = f"{update.vectors} test vectors, {number(update.vectors_bytes)} bytes"
    for label, text in (
        ("model", f"{update.name} {update.version}, {number(update.model_bytes)} bytes"),
        ("tests", tests),
        ("file", f"{number(update.bytes)} bytes, SHA-256 {update.sha256}"),
        ("key", update.key[:16] + "..., signature and checksum are correct"),
    ):
        target.print(Text(f"{label:<7}{text}"), soft_wrap=True)
