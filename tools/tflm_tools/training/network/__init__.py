# tflm_tools: training: what a Python with TensorFlow runs: a network is trained and written
# MIT license; Copyright (c) 2026 the tflm authors

# It imports nothing of ours, so that such a Python needs no tflm_tools: it runs as the package
# `network`, with this folder's parent in PYTHONPATH (see process.py).
