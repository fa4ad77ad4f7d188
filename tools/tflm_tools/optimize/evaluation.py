# tflm_tools: evaluation: computes operators that depend on constants only, with the kernels
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.errors import TflmError

from ..errors import DeviceError
from ..image.flat_image import image_of
from ..image.prepare import prepare_graph
from ..port import invocation

# Kinds of DeviceError that a model can cause: errors of the runtime, or a model that is too large.
_CAUSED_BY_MODEL = (
    "ModelError",
    "UnsupportedError",
    "ArenaError",
    "InputError",
    "MemoryError",
    "timeout",
    "crash",
)


def evaluate(graph, subgraph, nodes):
    """Return {tensor number: bytes} of the outputs of nodes of a sub-graph, computed in one run.

    The kernels run in MicroPython on this computer. The result is None when this fails; the same
    error is then raised when the model runs.
    """
    tensors = [tensor for node in nodes for tensor in node.outputs]
    try:
        _, data, _ = invocation.invoke(_flat_model_of(graph, subgraph, nodes, tensors), b"")
    except DeviceError as error:
        if error.kind not in _CAUSED_BY_MODEL:
            raise  # another exception, such as KeyError, is a defect of tflm
        return None
    except TflmError:
        return None
    values, at = {}, 0
    for tensor in tensors:
        values[tensor.index] = data[at : at + tensor.nbytes()]
        at += tensor.nbytes()
    return values


# The .tflm (bytes), without inputs, that runs `nodes` of a sub-graph and has the outputs
# `outputs`.
def _flat_model_of(graph, subgraph, nodes, outputs):
    model = graph.copy()
    main = model.subgraphs[subgraph.number]
    numbers = {node.index for node in nodes}
    main.nodes = [node for node in main.nodes if node.index in numbers]
    main.inputs = ()
    main.outputs = tuple(tensor.index - subgraph.first_tensor for tensor in outputs)
    for tensor in main.tensors.values():
        tensor.is_variable = False
    main.number = 0
    model.subgraphs = [main]
    model.metadata = dict
    model.signatures = dict
    return image_of(bytes(graph.buffer), model, prepare_graph(model))
