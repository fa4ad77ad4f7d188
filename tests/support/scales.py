# Scales for which multipliers computed in float32 and in double differ
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np


def rounded_up(random):
    """Return (a, b, product): float32 scales whose product is rounded up in float32.

    With 2 * product as the output's scale the multiplier is 1/2 in float32 and a little smaller
    in double, where negative halves are rounded away from zero.
    """
    while True:
        a, b = random.uniform(0.01, 0.02, 2).astype(np.float32)
        if float(a * b) > float(a) * float(b) * (1 + 2e-8):
            return float(a), float(b), float(a * b)
