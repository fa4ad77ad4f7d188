# Tests of bands in front, which make what only the first one would need, and of rows kept apart
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import pairwise

import pytest
from optimize.forms import banded, failures
from optimize.graphs import Network
from tflm.tflite.reader import TfliteModel
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.progress import Progress
from tflm_tools.optimize.memory.regions import Regions

LAST = 4


# Windows behind strides: the first row of the last output needs 15 rows of the input, another 8.
def model():
    net = Network("strides", (48, 8, 4))
    now = net.inputs[0]
    for stride in (1, 2, 2, 1, 2):
        now = net.conv(now, 4, 3, stride)
    return net.build(now)


def progress(apart, *pace):
    region = Regions(Graph(TfliteModel(model())).running()[0]).region(0, LAST + 1)
    return Progress(region, *pace, apart=apart)


# Bands in front make no band of others higher, and leave the same rows in the end.
def test_buffers():
    plain = progress(False, 1)
    led = plain.led()
    assert led.bands > plain.bands and led.led() is None
    inside = [key for key, value in led.region.values.items() if value.inside]
    assert all(led.buffer_rows(key) <= plain.buffer_rows(key) for key in inside)
    assert sum(map(led.buffer_rows, inside)) < 0.7 * sum(map(plain.buffer_rows, inside))
    for key in led.region.outputs:
        assert led.made[key][-plain.bands :] == plain.made[key][-plain.bands :]
        steps = [after - before for before, after in pairwise(led.made[key])]
        assert min(steps) >= 0 and max(steps[:-1]) == plain.made[key][2] - plain.made[key][1]


# Nothing to gain where each band needs as much at a time as the first one.
def test_no_use():
    net = Network("plain", (16, 8, 4))
    now = net.conv(net.conv(net.inputs[0], 4, 3), 4, 3)
    region = Regions(Graph(TfliteModel(net.build(now))).running()[0]).region(0, 2)
    assert Progress(region, 1).led() is None


# Rows that later bands need lie in memory of their own behind each band, also those that are at
# the front of their buffer already: it may be another value's then.
@pytest.mark.parametrize("pace", [(1,), (2, 2), (1, 0), (3, 0)])
def test_rows_apart(pace):
    plain, kept = progress(True, *pace), 0
    for way in filter(None, (plain, plain.led())):
        for key, value in way.region.values.items():
            there = 0
            for band in range(1, way.bands + 1):
                used = any(
                    way.made[each][band] > way.made[each][band - 1]
                    for each in (key, *(way.region.outputs[at] for at, _ in value.readers))
                )
                if not value.inside or not used:
                    assert way.brought_rows(key, band) == way.copied_rows(key, band) == 0
                    continue
                assert way.brought_rows(key, band) == there
                there = way.copied_rows(key, band)
                if band < way.bands:
                    assert there == way.made[key][band] - way.held[key][band]
                kept += there > 0 and way.held[key][band] == way.held[key][band - 1]
    assert kept


@pytest.mark.parametrize("target", [None, "armv6m"])
def test_outputs(target):
    net, forms = model(), []
    for pace in ((1,), (2,), (1, 2), (2, 2), (1, 0), (3, 0)):
        for apart in (False, True):
            for led in (False, True):
                chain = 0, LAST, *pace, *[None] * (2 - len(pace)), apart
                flat = banded(net, [chain], target, led)[0]
                forms.append((f"{chain} {led}", net, flat))
    assert not failures(forms)
