# tflm_tools: optimize.memory: searches for memory plans: bands, operator orders, weight layouts
# MIT license; Copyright (c) 2026 the tflm authors
