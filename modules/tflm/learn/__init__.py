# tflm: The heads and files of a Learner.
# MIT license; Copyright (c) 2026 the tflm authors
