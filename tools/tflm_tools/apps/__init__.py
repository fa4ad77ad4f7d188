# tflm_tools: apps: runs the demo and the apps of firmware/apps on the host
# MIT license; Copyright (c) 2026 the tflm authors
