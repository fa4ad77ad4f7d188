# tflm_tools: bands.operators: operators that compute some rows of another operator's output
# MIT license; Copyright (c) 2026 the tflm authors
