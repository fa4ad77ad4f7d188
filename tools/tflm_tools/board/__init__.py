# tflm_tools: board: real boards behind a serial port: what they are, what they get, what they run
# MIT license; Copyright (c) 2026 the tflm authors
