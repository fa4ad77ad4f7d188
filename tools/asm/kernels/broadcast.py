# Kernel language: kernels/broadcast.py expand(), compiled, with four arguments
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from ..language.kernel import Kernel
from ..language.viper import write_portable

_PORTABLE = Path(__file__).resolve().parents[3] / "modules/tflm/kernels/broadcast.py"
_ABOUT = "expand() of kernels/broadcast.py, compiled. what: start << 11 | count << 1 | which."


def expand_kernel(machine):
    """Return the Kernel of run_expand(op, arena, rom, what)."""
    k = Kernel("run_expand", _ABOUT, ("op", "arena", "rom", "what"), machine)
    *buffers, what = k.arguments
    which = k.var("which", what.field(0, 1))
    start = k.var("start", what.lsr(11))
    count = k.var("count", what.field(1, 10))
    write_portable(k, _PORTABLE, "expand", machine, [*buffers, which, start, count])
    return k.finish()
