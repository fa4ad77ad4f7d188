# tflm_tools: check: compares results of tflm with results of TFLM
# MIT license; Copyright (c) 2026 the tflm authors
