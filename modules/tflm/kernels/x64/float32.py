# tflm: operations of float32: for x86-64
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.float32_asm import (  # noqa: F401
    add,
    clamp,
    combine,
    compare,
    copy,
    div,
    dots,
    mac,
    mac_each,
    maximum,
    minimum,
    mul,
    store_rounded,
    sub,
)

FUNCTIONS = ("add", "clamp", "combine", "compare", "copy", "div", "dots", "mac", "mac_each")
FUNCTIONS += ("maximum", "minimum", "mul", "store_rounded", "sub")
