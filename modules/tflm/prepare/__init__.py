# tflm: Prepare of each operator: checks the node, computes what Eval requires, writes records
# MIT license; Copyright (c) 2026 the tflm authors
