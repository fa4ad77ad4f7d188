# tflm_tools: models for many boards: keys, signed updates, a server to try them with
# MIT license; Copyright (c) 2026 the tflm authors
