# tflm_tools: model: a model file of either kind, and what stands in it
# MIT license; Copyright (c) 2026 the tflm authors
