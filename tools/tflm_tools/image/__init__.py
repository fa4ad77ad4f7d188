# tflm_tools: image: runs Prepare on the host and writes the bytes of a .tflm file
# MIT license; Copyright (c) 2026 the tflm authors
