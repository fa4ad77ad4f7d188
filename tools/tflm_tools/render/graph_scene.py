# tflm_tools: render: draws the graph of a model as a Scene, with one operator per row
# MIT license; Copyright (c) 2026 the tflm authors

from .common import UNKNOWN, number, shape
from .scene import Label, Line, Rect, Scene, fitting

_LEFT, _TOP = 12, 8
_BOX = 300  # width
_ROW, _HEIGHT = 50, 36
_LANE = 11  # distance of two edges to the right of the boxes
_MAX_LANES = 12
_KINDS = {
    "CONV_2D": 0,
    "DEPTHWISE_CONV_2D": 5,
    "TRANSPOSE_CONV": 0,
    "FULLY_CONNECTED": 1,
    "BATCH_MATMUL": 1,
    "SVDF": 1,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": 1,
    "AVERAGE_POOL_2D": 2,
    "MAX_POOL_2D": 2,
    "MEAN": 2,
    "ADD": 3,
    "SUB": 3,
    "MUL": 3,
    "CONCATENATION": 3,
    "SOFTMAX": 4,
    "LOGISTIC": 4,
    "TANH": 4,
    "RELU": 4,
    "RELU6": 4,
}


# Return (from row, to row) of each edge; row 0 is the inputs, the last row the outputs.
def _edges(graph):
    rows = {tensor: 0 for tensor in graph.inputs}  # of the operator that writes a tensor
    edges = []
    for row, node in enumerate(graph.nodes, 1):
        edges += sorted({(rows[t], row) for t in node.inputs if t in rows})
        rows.update((t, row) for t in node.outputs)
    end = len(graph.nodes) + 1
    return edges + sorted({(rows[t], end) for t in graph.outputs if t in rows})


# Return {edge: lane} for edges that pass other rows. Edges of one lane do not overlap.
def _lanes(edges):
    busy = []  # by lane: the row up to which it is occupied
    lanes = {}
    for edge in sorted(edges, key=lambda e: (e[0], e[1])):
        if edge[1] - edge[0] < 2:
            continue
        for lane, until in enumerate(busy):
            if until <= edge[0]:
                busy[lane] = edge[1]
                lanes[edge] = lane
                break
        else:
            lanes[edge] = len(busy) % _MAX_LANES
            if len(busy) < _MAX_LANES:
                busy.append(edge[1])
    return lanes


def graph_scene(graph, tensors, macs):
    """Return the Scene of a ReportedGraph.

    tensors: TensorRow by number. macs: multiply-accumulates by operator number.
    """
    edges = _edges(graph)
    lanes = _lanes(edges)
    rows = len(graph.nodes) + 2
    width = _LEFT + _BOX + 14 + _LANE * (max(lanes.values(), default=-1) + 1)
    scene = Scene(width, _TOP + _ROW * rows, f"graph of {graph.name}")
    for start, end in edges:
        top = _TOP + _ROW * start + _HEIGHT
        bottom = _TOP + _ROW * end
        middle = _LEFT + _BOX / 2
        if (start, end) not in lanes:
            scene.add(Line([(middle, top), (middle, bottom)], "dim", 1.4))
            scene.add(_arrow(middle, bottom))
            continue
        right = _LEFT + _BOX
        x = right + 8 + _LANE * lanes[start, end]
        out, into = top - _HEIGHT / 3, bottom + _HEIGHT / 3
        points = [(right, out), (x, out), (x, into), (right, into)]
        scene.add(Line(points, "dim", 1.4))
        scene.add(Line([(right + 5, into - 4), (right, into), (right + 5, into + 4)], "dim", 1.4))
    scene.add(*_end(0, "inputs", graph.inputs, tensors))
    for row, node in enumerate(graph.nodes, 1):
        scene.add(*_box(row, node, macs))
    scene.add(*_end(rows - 1, "outputs", graph.outputs, tensors))
    return scene


def _arrow(x, y):
    return Line([(x - 4, y - 5), (x, y), (x + 4, y - 5)], "dim", 1.4)


# Return the shapes of an operator's box.
def _box(row, node, macs):
    y = _TOP + _ROW * row
    role = f"b{_KINDS[node.name]}" if node.name in _KINDS else "band"
    what = f"{shape(node.output_shape)} {node.output_dtype or ''}".strip()
    count = macs.get(node.number)
    work = f"{number(count)} MACs" if count else ""
    return [
        Rect(_LEFT, y, _BOX, _HEIGHT, role, f"{node.number} {node.name}: {what}", outline="grid",
             radius=6),
        Label(_LEFT + 10, y + 15, f"{node.number}", "ink", 11),
        Label(_LEFT + 38, y + 15, fitting(node.name, 12, _BOX - 48), "ink", 12, bold=True),
        Label(_LEFT + 38, y + 29, fitting(what, 11, 150), "ink", 11),
        Label(_LEFT + _BOX - 10, y + 29, work, "ink", 11, "end"),
    ]  # fmt: skip


# Return the shapes of the box for the inputs or outputs.
def _end(row, what, numbers, tensors):
    y = _TOP + _ROW * row
    texts = [
        f"{shape(tensors[i].shape)} {tensors[i].dtype}" if i in tensors else UNKNOWN
        for i in numbers
    ]
    return [
        Rect(_LEFT, y, _BOX, _HEIGHT, "paper", outline="dim", radius=18),
        Label(_LEFT + _BOX / 2, y + 15, what, "dim", 11, "middle"),
        Label(_LEFT + _BOX / 2, y + 29, fitting(", ".join(texts), 11, _BOX - 30), "ink", 11,
              "middle"),
    ]  # fmt: skip
