# tflm: Eval of each operator: viper functions over records; no checks, no allocation
# MIT license; Copyright (c) 2026 the tflm authors
