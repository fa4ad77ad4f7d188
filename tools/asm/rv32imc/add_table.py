# Generator of ADD with a table for RV32: the file for Cortex-M0+ with another call
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.derived import Derived

# Here add_run() requires the arena and the offset of its parameters instead of an address.
DERIVED = Derived(
    about="ADD and SUB, int8, with a table for one input",
    source="armv6m/add_table.py",
    replacements={"add_run(int(p))": "add_run(arena, op[_SCRATCH] >> 2)"},
)
