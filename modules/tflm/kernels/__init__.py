# tflm: Eval of each operator: viper functions that run records without checks and allocations
# MIT license; Copyright (c) 2026 the tflm authors
