# tflm: curves of float32 (kernels/float32_math.py): for x86-64
# MIT license; Copyright (c) 2026 the tflm authors

from . import LEVEL
from .gen import curves_asm, float32_asm

_curves = curves_asm if LEVEL == 2 else float32_asm
exp = _curves.exp
logistic = _curves.logistic
tanh = _curves.tanh
elu = _curves.elu
FUNCTIONS = ("exp", "logistic", "tanh", "elu")
