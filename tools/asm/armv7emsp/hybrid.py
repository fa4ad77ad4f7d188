# Generator of the kernel of float32 operators with int8 weights: outputs on the FPU
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.derived import Derived, passage

# kernels/float32.py is the file for the FPU here (kernels/armv7emsp/__init__.py).
DERIVED = Derived(
    "CONV_2D and FULLY_CONNECTED of float32 with weights of int8",
    "armv6m/hybrid.py",
    {
        passage("armv6m/hybrid.py", "from ..float32_select", "\n_SCALES"): (
            "from ..armv7em.hybrid_asm import floats, sums\n"
            "from ..float32 import combine\n"
            "from ..float32_select import clamp\n"
            "from ..hybrid import outputs\n"
        ),
    },
)
