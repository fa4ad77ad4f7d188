# Tests of the gestures model: its accuracy with wearers that it was not trained with
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import tflm_tools as tt
from motion.reference import quantize
from tflm_tools.check import oracle

from models.gestures import wearers

_WEARERS = range(30_000, 30_012)  # used nowhere else


def test_accuracy(repository):
    path = repository / "models" / "gestures" / "gestures_int8.tflite"
    inspected = tt.inspect(path)
    assert tuple(inspected.contents.labels) == wearers.LABELS
    (tensor,) = inspected.inputs
    x, y = wearers.windows(_WEARERS, 4)
    x, y = x[y.max(axis=1) == 1], y[y.max(axis=1) == 1].argmax(axis=1)
    steps = np.clip(np.round(x * 8192), -32768, 32767)
    windows = quantize(steps, [1 / 8192] * 3, tensor.scale, tensor.zero_point)
    runs = oracle.run(path.read_bytes(), [[window[None]] for window in windows]).outputs
    found = np.array([outputs[0][0].argmax() for outputs in runs])
    assert len(y) > 200 and (found == y).mean() > 0.97
