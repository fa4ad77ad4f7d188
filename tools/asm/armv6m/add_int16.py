# Generator of ADD and SUB of int16 for Cortex-M0+: the portable kernel with a fast rescale()
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.derived import Derived, passage

_FACTS = "# Kernel:"
_IMPORTS = "from .broadcast import expand\nfrom .fixed_point import rescale, store\n"


def derived(name, about, blocks):
    """Return the Derived of a kernel file. blocks: names of its multipliers."""
    source = f"{name}.py"
    calls = {
        f"rescale(op, arena, {block}, rows, count, 0)": (
            f"rescale(int(r) + 4 * {block}, base + rows, count, 0)"
        )
        for block in blocks
    }
    return Derived(
        about,
        source,
        {
            passage(source, _FACTS, "from ."): "",
            _IMPORTS: "from ..broadcast import expand\n"
            "from ..fixed_point import store\n"
            "from .gen.recurrent_asm import rescale\n",
            **calls,
        },
    )


DERIVED = derived("add_int16", "ADD and SUB, int16", ("_MULTIPLIER", "_OUTPUT_MULTIPLIER"))
