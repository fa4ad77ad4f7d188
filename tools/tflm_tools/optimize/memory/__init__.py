# tflm_tools: memory: how a flat model gets by with less RAM than TFLM's plan, bit for bit
# MIT license; Copyright (c) 2026 the tflm authors
