# tflm_tools: port: MicroPython's unix port, and the scripts that run in it
# MIT license; Copyright (c) 2026 the tflm authors
