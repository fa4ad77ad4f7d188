# Tests of shapes that follow from the inputs: what runs, what is refused, and resizing
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.script import run_script
from tflm.errors import InputError, TflmError, UnsupportedError
from tflm.introspection.op_names import name as op_name
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import flatten
from tflm_tools.inspection.survey import survey
from unit.damaged_files import damaged_copies


# x [?, 4] -> [?, 2, 2] through SHAPE, STRIDED_SLICE and PACK, as converters write Reshape.
def reshape_model(reader="RESHAPE"):
    model = ModelBuilder()
    x = model.tensor((1, 4), "float32", shape_signature=(-1, 4), name="x")
    sizes = model.tensor((2,), "int32")
    batch = model.tensor((), "int32")
    wanted = model.tensor((3,), "int32")
    y = model.tensor((1, 2, 2), "float32", shape_signature=(-1, 2, 2))
    zero, one = model.tensor((1,), "int32", [0]), model.tensor((1,), "int32", [1])
    two = model.tensor((), "int32", [2])
    model.operator("SHAPE", [x], [sizes])
    model.operator("STRIDED_SLICE", [sizes, zero, one, one], [batch], shrink_axis_mask=1)
    model.operator("PACK", [batch, two, two], [wanted], values_count=3)
    if reader == "RESHAPE":
        model.operator("RESHAPE", [x, wanted], [y])
    else:
        model.operator("FILL", [wanted, model.tensor((), "float32", [7])], [y])
    model.io([x], [y])
    return model.build()


def test_right_shapes_are_not_changed():
    model = TfliteModel(reshape_model())
    assert model.known == {}
    assert model.subgraphs[0].nodes_length() == 4


def test_computed_shapes_are_constants():
    subgraph = TfliteModel(reshape_model("FILL")).subgraphs[0]
    assert subgraph.nodes_length() == 1
    assert subgraph.node_number(0) == 3
    assert subgraph.node(0).input(0).data == np.array([1, 2, 2], "<i4").tobytes()


def test_shapes_follow_the_inputs():
    model = TfliteModel(reshape_model(), {0: (5, 4)})
    subgraph = model.subgraphs[0]
    assert subgraph.nodes_length() == 1
    assert subgraph.tensor(subgraph.outputs[0]).shape == (5, 2, 2)


@pytest.mark.parametrize("shape", [(4,), (1, 2, 2), (-1, 4)])
def test_impossible_shapes(shape):
    with pytest.raises(InputError, match="cannot have the shape"):
        TfliteModel(reshape_model(), {0: shape})


def test_missing_input():
    with pytest.raises(InputError, match="no input 1"):
        TfliteModel(reshape_model(), {1: (1, 4)})


# A node without a possible shape is refused by name in Prepare; inspect reports it.
def _refused(data, shapes, match):
    with pytest.raises(UnsupportedError, match=match):
        flatten(data, input_shapes=shapes)


def test_operators_without_a_rule():
    model = ModelBuilder()
    x = model.tensor((1, 4), "float32", shape_signature=(-1, 4))
    y = model.tensor((1, 4), "float32")
    model.custom("Mine", [x], [y])
    model.io([x], [y])
    _refused(model.build(), {0: (2, 4)}, "op 0 Mine: its output cannot have another shape")


def test_shapes_known_only_at_run_time():
    model = ModelBuilder()
    x = model.tensor((4,), "float32", name="x")
    sizes = model.tensor((2,), "int32", name="sizes")
    y = model.tensor((1, 1), "float32", shape_signature=(-1, -1))
    model.operator("RESHAPE", [x, sizes], [y])
    model.io([x, sizes], [y])
    _refused(model.build(), None, "op 0 RESHAPE: .* depends on sizes, .* only at run time")
    _, _, missing = survey(model.build())
    assert [entry.op for entry in missing] == ["RESHAPE"]
    assert "run time" in missing[0].reason


# A constant shape that is right only for one batch.
def test_contradicting_shapes():
    model = ModelBuilder()
    x = model.tensor((1, 4), "float32", shape_signature=(-1, 4))
    y = model.tensor((2, 2), "float32")
    model.operator("RESHAPE", [x, model.tensor((2,), "int32", [2, 2])], [y])
    model.io([x], [y])
    _refused(model.build(), {0: (3, 4)}, "op 0 RESHAPE: it does not match the shapes")
    assert flatten(model.build(), input_shapes={0: (1, 4)})


def test_missing_operators_have_a_remedy():
    model = ModelBuilder()
    x = model.tensor((4,), "float32")
    y = model.tensor((4,), "float32")
    model.operator("REDUCE_PROD", [x, model.tensor((1,), "int32", [0])], [y])
    model.io([x], [y])
    _, _, missing = survey(model.build())
    assert missing[0].op == "REDUCE_PROD"
    assert "tf.reduce_sum" in missing[0].advice


# A loop that concatenates slices of a list in another way than an update of one item.
@pytest.mark.parametrize("step, replaced", [(1, True), (2, False)])
def test_updates_of_lists(step, replaced):
    model = ModelBuilder()
    outer = [model.tensor((), "int32"), model.tensor((4, 2), "float32", shape_signature=())]
    open_dimensions = model.tensor((1, 1), "float32", shape_signature=(-1, -1))
    ends = [model.tensor((), "int32"), model.tensor((4, 2), "float32")]
    model.operator("WHILE", outer, ends, cond_subgraph_index=1, body_subgraph_index=2)
    model.io(outer, ends)
    assert open_dimensions == 2

    condition = model.subgraph("condition")
    i, items = condition.tensor((), "int32"), condition.tensor((4, 2), "float32")
    more = condition.tensor((), "bool")
    condition.operator("LESS", [i, condition.tensor((), "int32", [4])], [more])
    condition.io([i, items], [more])

    body = model.subgraph("body")
    i, items = body.tensor((), "int32"), body.tensor((4, 2), "float32")
    one = body.tensor((1,), "int32", [1])
    following = body.tensor((), "int32")
    body.operator("ADD", [i, body.tensor((), "int32", [step])], [following])
    bounds = []
    for number, rest in ((i, -1), (following, 0)):
        line, joined = body.tensor((1,), "int32"), body.tensor((2,), "int32")
        body.operator("RESHAPE", [number, one], [line])
        body.operator("CONCATENATION", [line, body.tensor((1,), "int32", [rest])], [joined])
        bounds.append(joined)
    start, all_of_it = body.tensor((2,), "int32", [0, 0]), body.tensor((2,), "int32", [-1, -1])
    head, tail = (
        body.tensor((1, 2), "float32", shape_signature=(-1, 2)),
        body.tensor((1, 2), "float32", shape_signature=(-1, 2)),
    )
    body.operator("SLICE", [items, start, bounds[0]], [head])
    body.operator("SLICE", [items, bounds[1], all_of_it], [tail])
    item = body.tensor((1, 2), "float32", [[5, 6]])
    result = body.tensor((4, 2), "float32")
    body.operator("CONCATENATION", [head, item, tail], [result])
    body.io([i, items], [following, result])

    subgraph = TfliteModel(model.build()).subgraphs[2]
    codes = [subgraph.node_code(k) for k in range(subgraph.nodes_length())]
    assert (151 in codes) == replaced  # DYNAMIC_UPDATE_SLICE
    assert (65 in codes) != replaced  # SLICE


# Damaged shapes raise an error of tflm or are accepted.
@pytest.mark.parametrize("reader", ["RESHAPE", "FILL"])
def test_damaged_shapes(reader):
    results = set()
    for data in damaged_copies(reshape_model(reader), reader, 200):
        try:
            flatten(data)
            results.add("ran")
        except TflmError as error:
            results.add(type(error).__name__)
    assert {"ran", "ModelError"} <= results


_RESIZE = """
import sys, tflm
model = tflm.load(sys.argv[1])
interpreter = tflm.Interpreter(model)
for call in (
    lambda: interpreter.resize_input(0, (1, 2, 2)),
    lambda: interpreter.resize_input(3, (1, 4)),
    lambda: interpreter.input(0) and interpreter.resize_input(0, (2, 4)),
    lambda: tflm.Interpreter(tflm.load(sys.argv[2])).resize_input(0, (2, 4)),
):
    try:
        call()
        print("no error")
    except tflm.errors.TflmError as error:
        print(type(error).__name__, error)
interpreter.free()
interpreter.resize_input(0, [3, 4])
interpreter.invoke()
print(interpreter.input(0).shape, interpreter.output(0).shape)
print(tflm.Interpreter(model).output(0).shape)
"""


def test_resize_input(tmp_path):
    (tmp_path / "m.tflite").write_bytes(reshape_model())
    (tmp_path / "m.tflm").write_bytes(flatten(reshape_model(), input_shapes={0: (2, 4)}))
    lines = run_script(_RESIZE, str(tmp_path / "m.tflite"), str(tmp_path / "m.tflm")).splitlines()
    assert "InputError" in lines[0] and "cannot have the shape [1, 2, 2]" in lines[0]
    assert "InputError there is no input 3" in lines[1]
    assert "StateError" in lines[2] and "before allocate_tensors()" in lines[2]
    assert "InputError" in lines[3] and "--input-shape" in lines[3]
    assert lines[4:] == ["(3, 4) (3, 2, 2)", "(1, 2, 2)"]


# A model whose output depends on a part of the shape of its input: [8] of (1, 8).
def _part_of_a_shape(op):
    model = ModelBuilder(op)
    x = model.tensor((1, 8), "float32")
    shape = model.tensor((2,), "int32")
    model.operator("SHAPE", [x], [shape], out_type="int32")
    pieces = [model.tensor(() if op == "UNPACK" else (1,), "int32") for _ in range(2)]
    axis = model.tensor((), "int32", 0)
    if op == "SPLIT":
        model.operator("SPLIT", [axis, shape], pieces, num_splits=2)
    elif op == "SPLIT_V":
        sizes = model.tensor((2,), "int32", [1, -1])
        model.operator("SPLIT_V", [shape, sizes, axis], pieces, num_splits=2)
    else:
        model.operator("UNPACK", [shape], pieces, num=2, axis=0)
    zeros = model.tensor((1,), "float32", shape_signature=(-1,))
    scalar = model.tensor((), "float32", 0.0)
    size = pieces[1]
    if op == "UNPACK":
        size = model.tensor((1,), "int32")
        one = model.tensor((1,), "int32", [1])
        model.operator("RESHAPE", [pieces[1], one], [size])
    model.operator("FILL", [size, scalar], [zeros])
    y = model.tensor((1, 8), "float32")
    model.operator("ADD", [x, zeros], [y])
    model.io([x], [y])
    return model.build()


@pytest.mark.parametrize("op", ["SPLIT", "SPLIT_V", "UNPACK"])
def test_parts_of_shapes(op):
    model = TfliteModel(_part_of_a_shape(op))
    main = model.subgraphs[0]
    kept = [op_name(main.node(i).builtin_code) for i in range(main.nodes_length())]
    assert kept == ["FILL", "ADD"] and not main.node(1).refused
    assert main.node(1).input(1).shape == (8,)
