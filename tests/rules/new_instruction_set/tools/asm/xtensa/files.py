# The assembler kernels for LX106: what each file is for, and the functions in it
# MIT license; Copyright (c) 2026 the tflm authors

from . import elementwise

FOR = "LX106"
FILES = {"mirror_asm.py": ("an operator that is made up", (elementwise.mirror,))}
