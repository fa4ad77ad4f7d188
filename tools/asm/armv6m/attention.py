# Generator of attention over the filled positions for Cortex-M0+: the portable kernel, compiled
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from ..language.machines import MACHINES
from ..language.viper import translate

_KERNEL = Path(__file__).resolve().parents[3] / "modules" / "tflm" / "kernels" / "attention.py"


def attention():
    """Return the source of run_int8()."""
    machine = MACHINES["armv6m"]()
    return machine.compile(translate(_KERNEL, "eval_int8", machine))
