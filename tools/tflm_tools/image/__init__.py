# tflm_tools: image: what Prepare gives on the host, and the bytes of a .tflm made of it
# MIT license; Copyright (c) 2026 the tflm authors
