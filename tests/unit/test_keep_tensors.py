# Tests of keep_tensors with control flow: tensors of sub-graphs, in both formats
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from support.builder import ModelBuilder
from tflm_tools.flat.flatten import flatten
from unit.on_device import device


# IF with two sub-graphs of two operators each. Tensors have numbers of the whole model.
@pytest.fixture
def branches():
    builder = ModelBuilder()
    flag = builder.tensor((1,), "bool", name="flag")
    x = builder.tensor((4,), "float32", name="x")
    y = builder.tensor((4,), "float32", name="y")
    for op in ("NEG", "ABS"):
        branch = builder.subgraph(op)
        a, b, c = (branch.tensor((4,), "float32", name=f"{op}{i}") for i in range(3))
        branch.operator(op, [a], [b])
        branch.operator("RELU", [b], [c])
        branch.io([a], [c])
    builder.operator("IF", [flag, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    builder.io([flag, x], [y])
    return builder.build()


@pytest.mark.parametrize("file_format", ["tflm", "tflite"])
def test_tensors_of_sub_graphs(branches, tmp_path, file_format):
    path = tmp_path / f"model.{file_format}"
    path.write_bytes(branches if file_format == "tflite" else flatten(branches, keep_tensors=True))
    lines = device(
        """
        interp = tflm.Interpreter(PATH, keep_tensors=True)
        for flag in (1, 0):
            interp.input(0).data[0] = flag
            interp.input(1).quantize([1, -2, 3, -4])
            interp.invoke()
        tensors = interp.tensors()
        for i in sorted(tensors):
            print(i, tensors[i].name, [int(x) for x in tensors[i].dequantize()])
        """,
        PATH=str(path),
    )
    assert lines == [
        "0 flag [0]",
        "1 x [1, -2, 3, -4]",
        "2 y [1, 2, 3, 4]",
        "3 NEG0 [1, -2, 3, -4]",  # the branch that ran before
        "4 NEG1 [-1, 2, -3, 4]",
        "5 NEG2 [0, 2, 0, 4]",
        "6 ABS0 [1, -2, 3, -4]",
        "7 ABS1 [1, 2, 3, 4]",
        "8 ABS2 [1, 2, 3, 4]",
    ]
