# tflm_tools: the host tools of tflm: the command `tflm` and its Python functions
# MIT license; Copyright (c) 2026 the tflm authors

from .api import convert, evaluate, flatten, inspect, learn, plan, run, search, verify

__all__ = (
    "convert", "evaluate", "flatten", "inspect", "learn", "plan", "run", "search", "verify",
)  # fmt: skip
