# tflm_tools: wake: detects wake words in sound, in the unix port or on a board
# MIT license; Copyright (c) 2026 the tflm authors
