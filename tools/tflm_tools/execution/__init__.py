# tflm_tools: run: models in the unix port: arrays in, arrays and times out
# MIT license; Copyright (c) 2026 the tflm authors
