# The helpers of float32 kernels that compiled kernels for x86-64 call
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.machines.x64 import X64Machine
from . import curves, float32
from .compiled import kernel

# {name: Helper}. The ones for curves need AVX2.
HELPERS = {helper.name: helper for helper in (*float32.HELPERS, *curves.HELPERS)}


def machine():
    """Return the machine that compiles kernels."""
    return X64Machine(helpers=HELPERS)


def text(name):
    """Return the source of a function of float32.py that calls another one."""
    return machine().compile(kernel("float32", name, machine()))
