# asm: common: macros and parameter blocks that the generators of several instruction sets share
# MIT license; Copyright (c) 2026 the tflm authors
