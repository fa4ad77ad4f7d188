# tflm_tools: convert: from a model as it was trained to an int8 .tflite, with TensorFlow
# MIT license; Copyright (c) 2026 the tflm authors
