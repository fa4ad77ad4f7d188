# tflm_tools: training: a wake word from nothing but its text: `tflm wake train`
# MIT license; Copyright (c) 2026 the tflm authors
