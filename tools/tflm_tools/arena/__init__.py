# tflm_tools: plan: which bytes of the arena each buffer of a flat model has, and when
# MIT license; Copyright (c) 2026 the tflm authors
