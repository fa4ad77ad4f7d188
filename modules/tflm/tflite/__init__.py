# tflm: What only a .tflite on the board, or a custom operator, needs.
# MIT license; Copyright (c) 2026 the tflm authors
