# Tests of image/prepared_nodes.py: copied records equal the records that Prepare would write
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.network import Network
from tflm.prepare.lanes import BYTES, IN_PLACE
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import levels_of, optimized_model
from tflm_tools.image.custom import CheckingResolver, HostResolver
from tflm_tools.image.flat_image import image_of
from tflm_tools.image.prepare import prepare_graph
from tflm_tools.image.prepared_nodes import CachingResolver
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.levels import BALANCED, RAM, SPEED


def _small_model():
    net = Network("once", (9, 8, 4))
    first = net.conv(net.inputs[0], 8, 1, 1)
    second = net.depthwise(net.conv(net.inputs[0], 8, 3, 1), 3, 1)
    return net.build(net.binary("ADD", first, second))


# Nodes of an operator in bands share records, whatever their tensors and constants.
@pytest.mark.parametrize("target", (None, "armv6m", "armv7em"))
def test_nodes_in_bands(target):
    net = Network("parts", (32, 16, 4))
    first = net.conv(net.depthwise(net.conv(net.inputs[0], 16, 3), 3, 2), 8)
    second = net.conv(net.depthwise(net.conv(first, 16), 3), 8, scale=0.05, zero_point=-3)
    tflite = net.build(net.conv(net.binary("ADD", first, second), 16, 3, 2))
    levels = levels_of(optimized_model(tflite)[0], None, target)
    for level in (SPEED, BALANCED, RAM):
        model = levels.model(level)[0]
        expected = image_of(tflite, model, prepare_graph(model, target=target))
        assert image_of(tflite, model, levels.prepared(model)) == expected
    assert model.chains


# Nodes in another order, so that constants and scratch buffers have other numbers, and with other
# layouts of weights, share records too.
@pytest.mark.parametrize("target", (None, "armv6m", "armv7em"))
def test_nodes_of_several_models(target):
    tflite = _small_model()
    graph = Graph(TfliteModel(tflite))
    graph.overlap = True
    resolver = CachingResolver(CheckingResolver(HostResolver()))
    other = graph.sharing()
    first, *nodes, last = graph.running()[0].nodes
    other.running()[0].nodes = [*nodes, first, last]
    packings = {}, {0: IN_PLACE}, {1: BYTES, 2: BYTES}
    for packing in [*packings, *packings]:
        for model in (graph, other):
            options = {"target": target, "packing": packing}
            expected = image_of(tflite, model, prepare_graph(model, **options))
            assert image_of(tflite, model, prepare_graph(model, resolver, **options)) == expected
