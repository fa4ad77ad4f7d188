# tflm.microphone: for cores that run Thumb code of ARMv6-M: all of Arm's that boards have
# MIT license; Copyright (c) 2026 the tflm authors
