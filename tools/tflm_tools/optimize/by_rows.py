# tflm_tools: an input that comes by rows: a node in front of the model takes them
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.tflite.graph import Node

from ..errors import ToolError
from ..image.rows import CODE
from .memory.by_bands import by_rows

_HOW = "leave --input-by-rows out"


def apply(graph):
    """Let the only input of a Graph come by rows: it takes no bytes of the arena by itself.

    The tensor that the operators read is written by a node of its own, which a chain in bands may
    begin with. Raises ToolError where rows would be no use.
    """
    main = graph.running()[0]
    inputs = main.input_tensors()
    if len(inputs) != 1:
        raise ToolError(f"the model has {len(inputs)} inputs, one can come by rows; {_HOW}")
    source = inputs[0]
    readers = main.consumers(source)
    way = by_rows(readers[0]) if len(readers) == 1 else None
    if way is None or 0 not in way.inputs or main.is_output(source):
        raise ToolError(
            f"the input '{source.name}' is not read by rows, by one convolution, pool, "
            f"activation or FULLY_CONNECTED of batch 1; {_HOW}"
        )
    rows = main.new_tensor(source.name, source.dtype, source.shape, like=source)
    main.replace_input(readers[0], source, rows)
    node = Node(readers[0].index, CODE, 1, "", [source], [rows])
    node.origins = ()
    main.insert(0, node)
    source.by_rows = source.shape
    source.shape = (0,)
