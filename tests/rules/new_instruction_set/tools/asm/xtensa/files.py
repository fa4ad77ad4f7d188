# The files of kernels/xtensa that are generated: what each computes, and its generators
# MIT license; Copyright (c) 2026 the tflm authors

from . import mirror

CORE = "LX106"
FILES = {"mirror_asm.py": ("the example of a new operator", (mirror.mirror,))}
