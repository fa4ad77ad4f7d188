# tflm_tools: optimize: makes models smaller and faster when they are flattened, with equal results
# MIT license; Copyright (c) 2026 the tflm authors
