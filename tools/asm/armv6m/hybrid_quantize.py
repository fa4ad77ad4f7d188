# Generator of the kernel that quantizes inputs of hybrid operators, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.derived import Derived, passage

_FILE = "hybrid_quantize.py"

DERIVED = Derived(
    "float32 to int8 with a scale for each batch",
    _FILE,
    {
        passage(_FILE, "\n# Kernel:", "\nfrom"): "\n",
        "from .float32 import sub": "from ..float32 import sub",
        "from .float32_divide import div": "from ..float32_divide import div",
        "from .float32_select import maximum, minimum\n": "",
        "from .quantize import quantize\n": "from ..quantize import quantize\n"
        "from .hybrid_asm import extremes as find_extremes\n"
        "from .hybrid_asm import quantize as quantize_batch\n",
        passage(_FILE, "        p[0] = 0\n", "        if r[_ASYMMETRIC]"): (
            "        find_extremes(op, arena, rom, start)\n"
        ),
        passage(_FILE, "        target = ", "        start += 1"): (
            "        quantize_batch(op, arena, rom, start)\n"
        ),
        "    depth = r[_DEPTH]\n": "",
        passage(_FILE, "        source = ", "        scale = "): "",
    },
)
