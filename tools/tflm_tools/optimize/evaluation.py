# tflm_tools: evaluation: nodes that depend on constants alone, computed by the kernels themselves
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.errors import TflmError

from ..errors import DeviceError
from ..image.flat_image import image_of
from ..image.prepare import prepare_graph
from ..port import invocation

# Kinds of DeviceError that speak of a model: what the runtime raises, or too large a model.
_SAID_OF_THE_MODEL = (
    "ModelError",
    "UnsupportedError",
    "ArenaError",
    "InputError",
    "MemoryError",
    "timeout",
    "crash",
)


def evaluate(graph, subgraph, nodes):
    """{tensor number: bytes} of the outputs of nodes of a sub-graph, all in one run.

    The kernels run in MicroPython on this machine. None when the nodes cannot be computed here:
    the model then says why when it runs.
    """
    tensors = [tensor for node in nodes for tensor in node.outputs]
    try:
        _, data, _ = invocation.invoke(_flat_model_of(graph, subgraph, nodes, tensors), b"")
    except DeviceError as error:
        if error.kind not in _SAID_OF_THE_MODEL:
            raise  # a KeyError there, say, is a mistake of ours
        return None
    except TflmError:
        return None
    values, at = {}, 0
    for tensor in tensors:
        values[tensor.index] = data[at : at + tensor.nbytes()]
        at += tensor.nbytes()
    return values


# A .tflm (bytes) without inputs that runs `nodes` of a sub-graph and gives `outputs`.
def _flat_model_of(graph, subgraph, nodes, outputs):
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
