# Tests of bands that run from the last one to the first, which long networks of equal blocks need
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.banded_models import differences_from_tflm
from optimize.network import Network
from tflm.tflite.reader import TfliteModel
from tflm_tools.bands.band_schedule import BandSchedule
from tflm_tools.bands.region import RegionFinder
from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline
from tflm_tools.model.graph import Graph

SHORT, LONG = 3, 14


# A .tflite of equal residual blocks; expanded: the depthwise convolution has twice the channels.
def blocks(count, expanded=False, rows=12, channels=8):
    net = Network(f"blocks {expanded}", (rows, 8, channels))
    now = net.inputs[0]
    for _ in range(count):
        wide = net.conv(now, 2 * channels) if expanded else now
        inner = net.conv(
            net.depthwise(wide), channels, scale=0.05, zero_point=-3, activation="NONE"
        )
        now = net.binary("ADD", now, inner, 0.05, -3)
    return net.build(now)


# Equal blocks need the same arena in a short network and in a long one, and results stay equal.
@pytest.mark.long
@pytest.mark.parametrize("expanded", [False, True])
def test_long_network_needs_no_more(expanded):
    arena, tests = {}, []
    for count in (SHORT, LONG):
        model = blocks(count, expanded)
        pipeline = FlattenPipeline(model, FlattenOptions("armv6m", "ram"))
        arena[count] = pipeline.storage.arena_bytes
        plain = FlattenPipeline(model, FlattenOptions(optimize="ram"))
        assert any(_descends(chain) for chain in plain.planned.chains) == (count == LONG)
        tests.append((f"{count} blocks", model, plain.flat))
    assert arena[LONG] <= 1.02 * arena[SHORT]
    assert not differences_from_tflm(tests)


# True for a BandedChain whose first nodes write the last rows of its output.
def _descends(chain):
    outputs = [node.outputs[0] for node in chain.slots[-1]]
    return outputs[0].view_of[1] > outputs[-1].view_of[1]


# Bands that keep rows of a feature map for the next band must ascend.
def test_independent_bands():
    net = Network("two windows", (8, 8, 4))
    now = net.depthwise(net.conv(net.inputs[0], 4))
    model = net.build(net.pool("AVERAGE_POOL_2D", now, 8))
    finder = RegionFinder(Graph(TfliteModel(model)).running()[0])
    region = finder.region(0, 2)
    assert not BandSchedule(region, 1).has_independent_bands()
    recomputed = {region.outputs[0]: 1}
    assert BandSchedule(region, 1, recomputed=recomputed).has_independent_bands()
    assert not BandSchedule(finder.region(1, 3), 1).has_independent_bands()
    single = RegionFinder(Graph(TfliteModel(blocks(1))).running()[0]).region(0, 3)
    assert BandSchedule(single, 2).has_independent_bands()
