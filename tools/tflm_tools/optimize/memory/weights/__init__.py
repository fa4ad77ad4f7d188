# tflm_tools: optimize.memory.weights: chooses how packed weights are stored, by scratch and cycles
# MIT license; Copyright (c) 2026 the tflm authors
