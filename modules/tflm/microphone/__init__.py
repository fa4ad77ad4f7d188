# tflm.microphone: microphones of boards as sources of sound, 16 kHz, int16: pdm.py and i2s.py
# MIT license; Copyright (c) 2026 the tflm authors
