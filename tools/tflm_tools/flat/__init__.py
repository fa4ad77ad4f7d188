# tflm_tools: flat: from a .tflite to a .tflm: savings, levels, packed weights
# MIT license; Copyright (c) 2026 the tflm authors
