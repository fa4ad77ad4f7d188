# tflm_tools: converts trained and float models to int8 .tflite files, each in its own process
# MIT license; Copyright (c) 2026 the tflm authors
