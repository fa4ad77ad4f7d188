# Tests of STABLEHLO_COMPOSITE, which TFLM does not have: it runs its decomposition
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases

A = np.array([[1, -2, 3], [4, 5, -6]], np.int32)
B = np.array([[7, 8, -9], [10, 0, 2**31 - 6]], np.int32)


# (a - b, a + b), where each composite operator runs a sub-graph of its own or the same one.
def network(depth=1, subgraph=1):
    model = ModelBuilder()
    a, b, c, d = (model.tensor((2, 3), "int32") for _ in range(4))
    model.main.composite([a, b], [c, d], subgraph)
    model.io([a, b], [c, d])
    for level in range(1, depth + 1):
        graph = model.subgraph(f"level {level}")
        x, y, z, w = (graph.tensor((2, 3), "int32") for _ in range(4))
        if level < depth:
            graph.composite([x, y], [z, w], level + 1)
        else:
            graph.operator("SUB", [x, y], [z])
            graph.operator("ADD", [x, y], [w])
        graph.io([x, y], [z, w])
    return model


def twice():
    model = network(depth=1)
    e, f = (model.tensor((2, 3), "int32") for _ in range(2))
    model.main.composite([2, 3], [e, f], 1)
    model.io([0, 1], [e, f])
    return model.build()


cases = Cases()
cases.add("one", network().build(), [[A, B]], expected=[[A - B, A + B]])
cases.add("nested", network(depth=3).build(), [[A, B]], expected=[[A - B, A + B]])
cases.add("twice", twice(), [[A, B]], expected=[[-2 * B, 2 * A]])
cases.add("missing", network(subgraph=2).build(), error="runs sub-graph 2, the model has 2")
cases.add("itself", network(depth=1, subgraph=0).build(), error="sub-graph 0 runs itself")
few = network()
few.table.subgraphs[1].inputs = few.table.subgraphs[1].inputs[:1]
cases.add("inputs", few.build(), error="sub-graph 1 has 1 inputs for 2 of the operator")
narrow = network()
narrow.table.subgraphs[1].tensors[0].shape = [2, 2]
cases.add("sizes", narrow.build(), error="does not fit|must have|dimensions")


@cases.parametrize
def test_composite(case):
    case.check()
