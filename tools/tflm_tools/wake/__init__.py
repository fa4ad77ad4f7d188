# tflm_tools: wake: wake words on the host
# MIT license; Copyright (c) 2026 the tflm authors
