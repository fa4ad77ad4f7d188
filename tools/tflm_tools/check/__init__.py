# tflm_tools: check: results beside those of TFLM itself
# MIT license; Copyright (c) 2026 the tflm authors
