# Models whose pooling and FULLY_CONNECTED run in bands of rows
# MIT license; Copyright (c) 2026 the tflm authors

from optimize.banded_models import banded_model
from optimize.network import Network
from optimize.test_reductions_in_bands import random_model

_OTHERS = ("dense", "int8"), ("dense", "float32"), ("reduced", "float32"), ("pool", "float32")


def models():
    """Return a .tflm for each kind of output, with channels by fours and one by one."""
    ends = [_pooled(name, depth) for name in ("AVERAGE_POOL_2D", "MEAN") for depth in (4, 6)]
    others = [random_model(*kind, number, None) for kind in _OTHERS for number in range(2)]
    return ends + [flat for _, _, flat, _ in filter(None, others)]


def _pooled(name, depth):
    net = Network(f"pooled {name} {depth}", (6, 4, 4))
    rows = net.conv(net.conv(net.inputs[0], 4), depth)
    if name == "MEAN":
        last = net.unary(name, rows, 0.02, -60, (1, depth), [net.constant([1, 2])])
    else:
        sides = {"filter_height": 6, "filter_width": 4, "stride_h": 1, "stride_w": 1}
        last = net.unary(name, rows, shape=(1, 1, 1, depth), padding="VALID", **sides)
    return banded_model(net.build(last), [(0, 2, 2, 1)])[0]
