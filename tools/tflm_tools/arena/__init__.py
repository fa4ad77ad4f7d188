# tflm_tools: arena: plans which bytes of the arena each buffer of a flat model uses, and when
# MIT license; Copyright (c) 2026 the tflm authors
