# tflm_tools: transform: .tflite files with less in them, or with other types
# MIT license; Copyright (c) 2026 the tflm authors
