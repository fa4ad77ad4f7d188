# tflm_tools: lets the input of a model come row by row, through a node in front of the model
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.tflite.graph import Node

from ..bands.operators.input_rows import CODE
from ..bands.row_access import row_access_of
from ..errors import ToolError

_REMEDY = "leave --input-by-rows out"


def apply(graph):
    """Let the only input of a Graph come row by row, so that it needs no arena by itself.

    The tensor that operators read is written by a node, with which a banded chain may begin.
    Raises ToolError if rows would be of no use.
    """
    main = graph.running()[0]
    inputs = main.input_tensors()
    if len(inputs) != 1:
        raise ToolError(f"the model has {len(inputs)} inputs, one can come by rows; {_REMEDY}")
    source = inputs[0]
    found = _only_reader(main, source)
    if found is None or not _reads_by_rows(source, *found):
        raise ToolError(
            f"the input '{source.name}' is not read by rows, by one convolution, pool, "
            f"activation or FULLY_CONNECTED of batch 1; {_REMEDY}"
        )
    reader, tensor = found
    rows = main.new_tensor(source.name, source.dtype, source.shape, like=source)
    if tensor is source:
        main.replace_input(reader, source, rows)
    for view in _views(main, source):
        view.view_of = rows, 0
    node = Node(reader.index, CODE, 1, "", [source], [rows])
    node.origins = ()
    main.insert(0, node)
    source.by_rows = source.shape
    source.shape = (0,)


# (the only operator that reads a tensor, the tensor that it reads: `tensor` or a view of all its
# bytes), or None. Convolutions along one dimension read such a view.
def _only_reader(subgraph, tensor):
    readers, views = subgraph.consumers(tensor), _views(subgraph, tensor)
    if len(readers) + len(views) != 1 or subgraph.is_output(tensor):
        return None
    if readers:
        return readers[0], tensor
    view = views[0]
    is_whole = view.view_of[1] == 0 and view.nbytes() == tensor.nbytes()
    return _only_reader(subgraph, view) if is_whole else None


def _views(subgraph, tensor):
    return [t for t in subgraph.tensors.values() if t.view_of and t.view_of[0] is tensor]


# True if an operator reads the rows that a source delivers: along the second dimension of the
# input, whatever the shape of the view. All dimensions before the rows are 1, so the bytes of a
# row are the same in both shapes.
def _reads_by_rows(source, reader, tensor):
    access = row_access_of(reader)
    if access is None or 0 not in access.inputs:
        return False
    if tensor is source:
        return True
    is_picture = len(source.shape) > 2 and source.shape[0] == 1
    return reader.inputs[0] is tensor and is_picture and source.shape[1] == access.rows.input_rows
