# tflm_tools: optimize.memory.rewrites: other graphs with the same results, which may need less RAM
# MIT license; Copyright (c) 2026 the tflm authors
