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
    read = _only_read(main, source)
    if read is None or not _by_its_rows(source, *read):
        raise ToolError(
            f"the input '{source.name}' is not read by rows, by one convolution, pool, "
            f"activation or FULLY_CONNECTED of batch 1; {_HOW}"
        )
    reader, seen = read
    rows = main.new_tensor(source.name, source.dtype, source.shape, like=source)
    if seen is source:
        main.replace_input(reader, source, rows)
    for view in _views(main, source):
        view.view_of = rows, 0
    node = Node(reader.index, CODE, 1, "", [source], [rows])
    node.origins = ()
    main.insert(0, node)
    source.by_rows = source.shape
    source.shape = (0,)


# (the operator, what it sees of a tensor) where nothing else reads that: the tensor itself, or all
# of it with another shape, as convolutions along one dimension begin with. Else None.
def _only_read(subgraph, tensor):
    readers, views = subgraph.consumers(tensor), _views(subgraph, tensor)
    if len(readers) + len(views) != 1 or subgraph.is_output(tensor):
        return None
    if readers:
        return readers[0], tensor
    view = views[0]
    is_whole = view.view_of[1] == 0 and view.nbytes() == tensor.nbytes()
    return _only_read(subgraph, view) if is_whole else None


def _views(subgraph, tensor):
    return [t for t in subgraph.tensors.values() if t.view_of and t.view_of[0] is tensor]


# True where an operator goes through the rows that a source gives: the second dimension of the
# input, whatever shape the operator sees, and along whichever of its dimensions. These are the
# same bytes, as nothing but ones stands before the rows of either.
def _by_its_rows(source, reader, seen):
    way = by_rows(reader)
    if way is None or 0 not in way.inputs:
        return False
    if seen is source:
        return True
    is_there = reader.inputs[0] is seen and len(source.shape) > 2 and source.shape[0] == 1
    return is_there and source.shape[1] == way.rows.input_rows
