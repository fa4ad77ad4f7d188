# tflm_tools: search: which networks of a user's space fit a board, before any is trained
# MIT license; Copyright (c) 2026 the tflm authors
