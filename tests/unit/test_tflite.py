# Tests of the .tflite reader: contents of a model, and models that it refuses
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.schema import schema
from tflm import dtypes
from tflm.errors import ModelError, UnsupportedError
from tflm.tflite.reader import TfliteModel, is_tflite
from tflm_tools.flat.flatten import flatten
from unit import sample_models
from unit.on_device import device


# A builder of x -> RESHAPE -> y in float32, for tests that damage it.
def reshape(shape=(4,), dtype="float32", **keywords):
    builder = ModelBuilder("a description")
    x = builder.tensor(shape, dtype, name="x", **keywords)
    y = builder.tensor(shape, dtype, name="y", **keywords)
    builder.operator("RESHAPE", [x], [y])
    builder.io([x], [y])
    return builder


# Assert that the reader or Prepare refuses a model with a remedy.
def refused(builder, message, kind=ModelError):
    model = builder if isinstance(builder, bytes) else builder.build()
    with pytest.raises(kind, match=message) as caught:
        flatten(model)
    assert ";" in str(caught.value)


def test_identifier():
    assert is_tflite(sample_models.classifier())
    assert not is_tflite(b"\0\0\0\0TFL2")
    assert not is_tflite(b"")


def test_tensors_and_nodes():
    builder = ModelBuilder("a description")
    x = builder.tensor((2, 3), "int8", scale=0.5, zero_point=-3, name="x")
    weights = builder.tensor(
        (4, 3), "int8", np.arange(12), scale=[0.1, 0.2, 0.3, 0.4], quantized_dimension=0, name="w"
    )
    y = builder.tensor((2, 4), "int8", scale=1.0, name="ÿ")
    builder.operator("FULLY_CONNECTED", [x, weights, None], [y], keep_num_dims=True, version=4)
    builder.io([x], [y])
    builder.metadata("labels", b"a\nb")
    builder.signature("serve", {"in": x}, {"out": y})
    model = TfliteModel(builder.build())
    assert model.description == "a description"
    assert model.tensors_length == 3
    graph = model.subgraphs[0]
    assert (graph.inputs, graph.outputs, graph.nodes_length()) == ((0,), (2,), 1)
    node = graph.node(0)
    assert (node.builtin_code, node.version, str(node)) == (9, 4, "op 0 FULLY_CONNECTED")
    assert node.options(8).get(2, "b") == 1
    assert node.options(9).get(2, "b", 7) == 7  # options of another type: defaults
    assert node.optional_input(2) is None and node.optional_input(3) is None
    assert [t.name for t in node.inputs[:2]] == ["x", "w"]
    source, constant = node.inputs[:2]
    assert (source.shape, source.dtype, source.zero_point()) == ((2, 3), dtypes.INT8, -3)
    assert np.uint32(source.scale_bits()).view(np.float32) == 0.5
    assert not source.is_constant() and constant.is_constant()
    assert bytes(constant.data) == bytes(range(12))
    assert bytes(model.buffer[constant.offset : constant.offset + 12]) == bytes(range(12))
    assert constant.scales_length() == 4
    assert np.uint32(constant.scale_bits(3)).view(np.float32) == np.float32(0.4)
    assert str(node.output(0)) == "tensor 2 'ÿ' int8[2, 4]"
    assert {k: bytes(v) for k, v in model.metadata().items()} == {"labels": b"a\nb"}
    assert model.signatures() == {"serve": (0, {"in": 0}, {"out": 2})}


# Codes up to 127 may be only in the old field, larger codes only in the new one.
def test_both_fields_of_operator_codes():
    for code, deprecated, builtin in ((22, 22, 0), (22, 0, 22), (22, 22, 22), (150, 127, 150)):
        builder = reshape()
        builder.table.operatorCodes[0].deprecatedBuiltinCode = deprecated
        builder.table.operatorCodes[0].builtinCode = builtin
        model = TfliteModel(builder.build())
        assert model.subgraphs[0].node(0).builtin_code == code


def test_missing_outputs_and_inputs():
    node = TfliteModel(reshape().build()).subgraphs[0].node(0)
    for call, what in ((node.input, "input"), (node.output, "output")):
        with pytest.raises(ModelError, match=f"op 0 RESHAPE has no {what} 1; convert"):
            call(1)


def test_no_subgraph():
    builder = reshape()
    builder.table.subgraphs = []
    refused(builder, "no sub-graph; convert it again")


def test_too_many_subgraphs():
    builder = reshape()
    for _ in range(256):
        builder.subgraph("more")
    refused(builder, "257 sub-graphs", UnsupportedError)


def test_too_many_tensors():
    builder = reshape()
    tensor = builder.table.subgraphs[0].tensors[0]
    builder.table.subgraphs[0].tensors += [tensor] * 8191
    refused(builder, "more than 4096 tensors or operators", UnsupportedError)


@pytest.mark.parametrize("tensor", [2, -1, 1 << 30])
def test_missing_inputs_and_outputs(tensor):
    builder = reshape()
    builder.table.subgraphs[0].outputs = [tensor]
    refused(builder, f"names tensor {tensor} as output but has 2 tensors")
    builder.table.subgraphs[0].inputs = [tensor]
    refused(builder, f"names tensor {tensor} as input but has 2 tensors")


@pytest.mark.parametrize("tensor", [2, -2, 1 << 30])
def test_missing_operands(tensor):
    builder = reshape()
    builder.table.subgraphs[0].operators[0].inputs = [tensor]
    refused(builder, f"names tensor {tensor} as input of op 0 but has 2 tensors")


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((-1, 4), "negative dimension; set a fixed shape"),
        ((1 << 30,), "is larger than 536870912 addressable bytes"),
        ((1 << 15, 1 << 15), "is larger than 536870912 addressable bytes"),
        ((1 << 27, 2), "is larger than 536870912 addressable bytes"),
        ((0x7FFFFFFF,) * 6, "is larger than 536870912 addressable bytes"),
    ],
)
def test_shapes(shape, message):
    refused(reshape(shape), message)


def test_rank():
    refused(reshape((1,) * 9), "has 9 dimensions, at most 8 are supported", UnsupportedError)


def test_unknown_type():
    builder = reshape()
    builder.table.subgraphs[0].tensors[1].type = 99
    refused(builder, r"type 99\[4\] has an unknown type", UnsupportedError)
    builder.table.subgraphs[0].tensors[1].type = 19
    refused(builder, r"has int2 weights; quantize them to int4 or int8", UnsupportedError)


@pytest.mark.parametrize("raw", [b"123", b"12345", bytes(20)])
def test_constant_of_a_wrong_size(raw):
    builder = reshape()
    builder.table.subgraphs[0].tensors[1].buffer = builder.buffer(raw)
    refused(builder, f"needs 16 bytes of data but its buffer holds {len(raw)}")


# Kernels write to the arena, and constants are in the model.
def test_constant_output():
    builder = reshape()
    builder.table.subgraphs[0].tensors[1].buffer = builder.buffer(bytes(16))
    refused(
        builder, "op 0 RESHAPE writes tensor 1 'y' float32.*, a constant; the model is damaged"
    )


def test_constant_input_of_the_graph():
    builder = reshape()
    builder.table.subgraphs[0].tensors[0].buffer = builder.buffer(bytes(16))
    refused(builder, "the input tensor 0 'x' .* is a constant; the model is damaged")


# The data of a variable are ignored.
def test_variable_with_data():
    builder = reshape()
    builder.table.subgraphs[0].tensors[1].isVariable = True
    tensor = TfliteModel(builder.build()).tensor(1)
    assert tensor.is_variable and not tensor.is_constant()
    builder.table.subgraphs[0].tensors[1].buffer = builder.buffer(bytes(16))
    tensor = TfliteModel(builder.build()).tensor(1)
    assert tensor.is_variable and not tensor.is_constant()


@pytest.mark.parametrize("number", [9, 0xFFFFFFFF])
def test_missing_buffer(number):
    builder = reshape()
    builder.table.subgraphs[0].tensors[1].buffer = number
    refused(builder, f"uses the missing buffer {number}")


def test_missing_operator_code():
    builder = reshape()
    builder.table.subgraphs[0].operators[0].opcodeIndex = 1
    refused(builder, "the missing operator code 1")


def test_operator_version():
    builder = reshape()
    builder.table.operatorCodes[0].version = 21
    refused(builder, "op 0 RESHAPE has version 21, newer than any known", UnsupportedError)


def test_sparse_tensor():
    builder = reshape()
    builder.table.subgraphs[0].tensors[1].sparsity = schema.SparsityParametersT()
    refused(builder, "'y'.* is sparse, and no constant; the model is damaged")


@pytest.mark.parametrize("zero_point", [1 << 31, -(1 << 40)])
def test_zero_point(zero_point):
    builder = reshape(dtype="int8", scale=0.5, zero_point=zero_point)
    refused(builder, f"has the zero point {zero_point}; the model is damaged")


def test_tensor_by_number():
    model = TfliteModel(reshape().build())
    assert model.tensor(1).name == "y"
    with pytest.raises(ModelError, match="no tensor 2"):
        model.tensor(2)


# An intact model that needs more than any heap: one error with the bytes.
def test_tensors_larger_than_the_heap(tmp_path):
    model = reshape((1 << 28,), "int8").build()
    paths = {}
    for name, data in (("TFLITE", model), ("FLAT", flatten(model, optimize="off"))):
        paths[name] = str(tmp_path / name)
        (tmp_path / name).write_bytes(data)
    device(
        """
        text = raises(ArenaError, tflm.Interpreter(FLAT).invoke)
        assert text.startswith("not enough heap for the arena: needed 536870912 bytes"), text
        # On the board the records are added, so the arena is not addressable.
        text = raises(ArenaError, tflm.Interpreter(TFLITE).invoke)
        assert "needed 536870912 bytes, available" in text, text
        for path in (FLAT, TFLITE):
            raises(ArenaError, tflm.Interpreter(path, arena=1000).invoke)
        """,
        **paths,
    )


def test_activations_that_are_not_addressable():
    builder = ModelBuilder()
    tensors = [builder.tensor((1 << 27,), "float32") for _ in range(3)]
    builder.operator("ADD", tensors[:2], [tensors[2]])
    builder.io(tensors[:2], [tensors[2]])
    refused(builder, "need 1610612736 bytes of arena, at most 536870912 are addressable")


def test_variables_that_are_not_addressable():
    builder = reshape()
    for _ in range(5):
        builder.tensor((1 << 27,), "int8", variable=True)
    refused(builder, "the variables of the model need 671088640 bytes")


# LiteRT refuses it; TFLM treats it as a tensor without quantization.
def test_scale_without_zero_point():
    builder = reshape(dtype="int8", scale=0.5, zero_point=0)
    builder.table.subgraphs[0].tensors[0].quantization.zeroPoint = None
    refused(builder, "has a scale but no zero point")


# TFLM refuses it.
def test_builtin_operator_with_custom_options():
    builder = reshape()
    builder.table.subgraphs[0].operators[0].customOptions = np.zeros(4, np.uint8)
    refused(builder, "op 0 RESHAPE has custom options")
