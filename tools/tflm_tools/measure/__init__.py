# tflm_tools: measure: times of models and operators, and accuracy over data sets
# MIT license; Copyright (c) 2026 the tflm authors
