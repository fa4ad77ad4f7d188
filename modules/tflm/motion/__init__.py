# tflm.motion: Accelerometers as sources of samples (mpu6050, lsm6ds, analog), and windows of them.
# MIT license; Copyright (c) 2026 the tflm authors
