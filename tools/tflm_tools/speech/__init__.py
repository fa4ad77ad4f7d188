# tflm_tools: speech: voice detection and word recognition on the host: `tflm speech`
# MIT license; Copyright (c) 2026 the tflm authors
