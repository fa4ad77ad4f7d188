# tflm_tools: board: finds boards on serial ports, deploys models to them and runs models there
# MIT license; Copyright (c) 2026 the tflm authors
