# tflm: what tells of a model or a run: names, labels, summaries, times
# MIT license; Copyright (c) 2026 the tflm authors
