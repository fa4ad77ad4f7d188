# tflm_tools: model: reads model files and converts their inputs and outputs to arrays
# MIT license; Copyright (c) 2026 the tflm authors
