# tflm: operations and curves of float32: for x86-64
# MIT license; Copyright (c) 2026 the tflm authors
#
# Replaces: float32_select float32_copy float32_divide float32_dots float32_math

from . import LEVEL
from .gen import curves_asm, float32_asm
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

_curves = curves_asm if LEVEL == 2 else float32_asm
exp = _curves.exp
logistic = _curves.logistic
tanh = _curves.tanh
elu = _curves.elu
