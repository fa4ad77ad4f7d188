# tflm_tools: model_search: finds networks in a user's space that fit a board, before training
# MIT license; Copyright (c) 2026 the tflm authors
