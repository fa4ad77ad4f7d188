# tflm_tools: optimize: what makes a model smaller and faster when it is flattened, bit for bit
# MIT license; Copyright (c) 2026 the tflm authors
