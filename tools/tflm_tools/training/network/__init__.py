# tflm_tools: training: trains the network with TensorFlow, as a separate program
# MIT license; Copyright (c) 2026 the tflm authors

# The package imports nothing of tflm_tools, so that the Python with TensorFlow need not have it.
# It runs as the package `network`, with this folder's parent in PYTHONPATH (see process.py).
