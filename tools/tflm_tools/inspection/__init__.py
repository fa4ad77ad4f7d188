# tflm_tools: tell: what is in a model, what it costs, what it lacks
# MIT license; Copyright (c) 2026 the tflm authors
