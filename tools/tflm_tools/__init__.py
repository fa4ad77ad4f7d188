# tflm_tools: the host side of tflm: command `tflm` and what it is made of
# MIT license; Copyright (c) 2026 the tflm authors
