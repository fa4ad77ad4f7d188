# asm: common: what generators of several targets share
# MIT license; Copyright (c) 2026 the tflm authors
