# tflm: what only a .tflite on the board needs, or a custom operator
# MIT license; Copyright (c) 2026 the tflm authors
