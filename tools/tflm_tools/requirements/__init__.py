# tflm_tools: requirements: lists what models need of tflm, for builds without the rest
# MIT license; Copyright (c) 2026 the tflm authors
