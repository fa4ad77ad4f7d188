# tflm: learn: what a Learner is made of
# MIT license; Copyright (c) 2026 the tflm authors
