# tflm_tools: transform: writes .tflite files without unneeded data, or with other types
# MIT license; Copyright (c) 2026 the tflm authors
