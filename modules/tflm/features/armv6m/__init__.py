# tflm.features: Code for cores that run ARMv6-M: all Arm cores of MicroPython's boards.
# MIT license; Copyright (c) 2026 the tflm authors
