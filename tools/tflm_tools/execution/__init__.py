# tflm_tools: execution: runs models in the MicroPython unix port, on numpy arrays
# MIT license; Copyright (c) 2026 the tflm authors
