# tflm.motion: accelerometers (mpu6050, lsm6ds, analog) as sources of samples; windows of these
# MIT license; Copyright (c) 2026 the tflm authors
