# tflm_tools: the host side of tflm: command `tflm`, its functions, and what they are made of
# MIT license; Copyright (c) 2026 the tflm authors

from .api import convert, evaluate, flatten, inspect, learn, plan, run, search, verify

__all__ = (
    "convert", "evaluate", "flatten", "inspect", "learn", "plan", "run", "search", "verify",
)  # fmt: skip
