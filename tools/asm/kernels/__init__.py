# Kernels in the kernel language, for all machines: see tools/asm/README.md
# MIT license; Copyright (c) 2026 the tflm authors
