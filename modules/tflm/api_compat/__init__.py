# tflm: Arrays and tensor details for the compatible APIs tflm.litert and tflm.ml.
# MIT license; Copyright (c) 2026 the tflm authors
