# tflm_tools: optimize.memory.search: the cheapest way to run a model within a limit of arena bytes
# MIT license; Copyright (c) 2026 the tflm authors
