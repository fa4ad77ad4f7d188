# tflm.camera: Take grey pictures with cameras at an RP2040 or RP2350 (hm01b0.py, ov7670.py).
# MIT license; Copyright (c) 2026 the tflm authors
