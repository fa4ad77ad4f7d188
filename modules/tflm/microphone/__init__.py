# tflm.microphone: Microphones of boards as sources of sound: int16, 16 kHz (pdm.py, i2s.py).
# MIT license; Copyright (c) 2026 the tflm authors
