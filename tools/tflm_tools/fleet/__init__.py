# tflm_tools: fleet: signs models and serves them to many boards as updates
# MIT license; Copyright (c) 2026 the tflm authors
