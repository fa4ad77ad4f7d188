# tflm_tools: flat: flattens a .tflite to a .tflm: passes, memory plans and packed weights
# MIT license; Copyright (c) 2026 the tflm authors
