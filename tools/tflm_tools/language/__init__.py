# tflm_tools: converts language models of Llama's type to .tflite files, and runs them on the host
# MIT license; Copyright (c) 2026 the tflm authors
