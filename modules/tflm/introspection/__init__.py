# tflm: Information about a model or a run: names, labels, tables, times.
# MIT license; Copyright (c) 2026 the tflm authors
