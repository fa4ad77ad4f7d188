# tflm_tools: packages: which files of tflm go on a board, compiled, and as packages for mip
# MIT license; Copyright (c) 2026 the tflm authors
