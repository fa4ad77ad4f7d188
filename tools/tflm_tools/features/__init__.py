# tflm_tools: features: computes the features of sounds and motion for a model's input
# MIT license; Copyright (c) 2026 the tflm authors
