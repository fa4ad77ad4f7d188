# tflm_tools: evaluation: some nodes of a model as a flat model of their own
# MIT license; Copyright (c) 2026 the tflm authors

from ..image.flat_image import image_of
from ..image.prepare import prepare_graph


def flat_model_of(graph, subgraph, nodes, outputs):
    """A .tflm (bytes) without inputs that runs `nodes` of a sub-graph and gives `outputs`."""
    part = graph.copy()
    own = part.subgraphs[subgraph.number]
    numbers = {node.index for node in nodes}
    own.nodes = [node for node in own.nodes if node.index in numbers]
    own.inputs = ()
    own.outputs = tuple(tensor.index - subgraph.first_tensor for tensor in outputs)
    for tensor in own.tensors.values():
        tensor.is_variable = False
    own.number = 0
    part.subgraphs = [own]
    part.metadata = dict
    part.signatures = dict
    return image_of(bytes(graph.buffer), part, prepare_graph(part))
