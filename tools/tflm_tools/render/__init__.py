# tflm_tools: render: prints and draws the results of all commands
# MIT license; Copyright (c) 2026 the tflm authors
