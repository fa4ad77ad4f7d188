# tflm: Prepare of each operator: checks everything, computes what Eval needs, writes records
# MIT license; Copyright (c) 2026 the tflm authors
