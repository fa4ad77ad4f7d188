# tflm.detect: Decoders of detectors (fomo, ssd, yolo, mediapipe): from outputs to boxes in pixels.
# MIT license; Copyright (c) 2026 the tflm authors
