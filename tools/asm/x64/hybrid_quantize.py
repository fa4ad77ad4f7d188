# The kernel file of the quantization of inputs of hybrid operators, for x86-64
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.derived import Derived, passage

_FILE = "hybrid_quantize.py"

DERIVED = Derived(
    "float32 to int8 with a scale for each batch",
    _FILE,
    {
        passage(_FILE, "\n# Kernel:", "\nfrom"): "\n",
        "from .float32 import sub\nfrom .float32_divide import div\n"
        "from .float32_select import maximum, minimum\nfrom .quantize import quantize\n": (
            "from .gen.float32_asm import div, sub\n"
            "from .gen.quantize_asm import extremes as find_extremes\n"
            "from .gen.quantize_asm import quantize\n"
        ),
        "_RUNNING = const(1 << 10)  # steps: a advances, dst and b stay\n": "",
        "        p[0] = 0\n        p[1] = 0\n"
        "        maximum(arena, rom, extremes, source, extremes, depth, _RUNNING)\n"
        "        minimum(arena, rom, extremes + 16, source, extremes + 16, depth, _RUNNING)\n": (
            "        find_extremes(arena, rom, extremes, source, depth)\n"
        ),
    },
)
