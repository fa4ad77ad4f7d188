# tflm.motion: accelerometers as sources of samples, and windows of them: mpu6050.py, lsm6ds.py
# MIT license; Copyright (c) 2026 the tflm authors
