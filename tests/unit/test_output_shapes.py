# Tests of output_shapes(): each rule on every node of the test cases and of real models
# MIT license; Copyright (c) 2026 the tflm authors

import contextlib
import multiprocessing

import pytest
from rules.sources import TESTS, files, valid_cases
from support import litert
from support.builder import ModelBuilder
from support.runner import REPOSITORY
from tflm.errors import InputError, TflmError
from tflm.introspection.op_names import name as op_name
from tflm.tflite.reader import TfliteModel
from tflm.tflite.shapes import _rule_of
from tflm_tools.image.prepare import prepare_graph

_FILES = files(TESTS, "test_*.py")
_MODELS = sorted((REPOSITORY / "models").rglob("*.tflite"))
_MODELS += sorted((REPOSITORY.parent / "shared" / "models").rglob("*.tflite"))


# Return a shape without dimensions of 1 at its ends.
def _core(shape):
    text = list(shape)
    while text and text[0] == 1:
        text.pop(0)
    while text and text[-1] == 1:
        text.pop()
    return text


# Prepare accepts an output as the file has it where TFLM does: dimensions of 1 around it, fewer
# channels than the weights have rows, sides of any length, computed sizes.
_FREE = ("FULLY_CONNECTED", "TRANSPOSE_CONV", "SLICE")


def _check(data, where):
    looked = 0
    for subgraph in TfliteModel(data).subgraphs:
        for i in range(subgraph.nodes_length()):
            node = subgraph.node(i)
            rule = _rule_of(node)
            if rule is None or node.refused:
                continue
            looked += 1
            key = node.custom_name or op_name(node.builtin_code)
            wanted = [tensor.shape for tensor in node.outputs]
            try:
                found = [tuple(shape) for shape in rule(node)]
            except TflmError:
                assert key in _FREE, f"{where}: {node}"
                continue
            if found != wanted and key not in _FREE:
                assert list(map(_core, found)) == list(map(_core, wanted)), f"{where}: {node}"
    return looked


@pytest.mark.parametrize("path", _FILES, ids=[path.stem for path in _FILES])
def test_rules_give_the_shapes_of_the_cases(path):
    for case in valid_cases(path):
        _check(case.build(), case.name)


@pytest.mark.parametrize("path", _MODELS, ids=[path.stem for path in _MODELS])
def test_rules_give_the_shapes_of_models(path):
    with contextlib.suppress(TflmError):  # some of them must be refused
        looked = _check(path.read_bytes(), path.name)
        assert looked or "frontend" in path.name  # it has only custom operators


# Models whose inputs LiteRT accepts with the first dimension doubled: (shapes, output shapes).
def _worker(models, connection):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    kind = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    for data in models:
        answer = None
        with contextlib.suppress(ValueError, RuntimeError):
            interpreter = Interpreter(model_content=data, experimental_op_resolver_type=kind)
            interpreter.allocate_tensors()
            shapes = {}
            for i, details in enumerate(interpreter.get_input_details()):
                shapes[i] = tuple(map(int, details["shape"]))
                shapes[i] = tuple(2 * n for n in shapes[i][:1]) + shapes[i][1:]
                interpreter.resize_tensor_input(details["index"], shapes[i])
            interpreter.allocate_tensors()
            outputs = [tuple(map(int, d["shape"])) for d in interpreter.get_output_details()]
            answer = (shapes, outputs) if any(shapes.values()) else None
        connection.send(answer)


# Run LiteRT in another process: its unchecked cases may crash it.
def _doubled(models):
    answers, context = [], multiprocessing.get_context("spawn")
    while len(answers) < len(models):
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=_worker, args=(models[len(answers) :], there))
        process.start()
        there.close()
        with contextlib.suppress(EOFError):
            while True:
                answers.append(here.recv())
        process.join()
        if len(answers) < len(models):
            answers.append(None)
    return answers


# LiteRT accepts these shapes but cannot run them: a batch of detections, and more lengths than
# batches. Models whose constant shape keeps the batch do not run there, either.
_NOT_RUN = ("TFLite_Detection_PostProcess", "REVERSE_SEQUENCE")
_CONSTANT_BATCH = ("TRANSPOSE_CONV",)


@litert.needs_litert
def test_resized_shapes_match_litert():
    models = [
        (f"{path.stem} {case.name}", bytes(case.build()))
        for path in _FILES
        for case in list(valid_cases(path))[::3]
    ]
    taken, refused, others = 0, [], []
    for (name, data), answer in zip(models, _doubled([data for _, data in models]), strict=True):
        if answer is None:
            continue
        taken += 1
        shapes, wanted = answer
        try:
            model = TfliteModel(data, shapes)
            prepare_graph(model)
        except TflmError as error:
            refused.append((name, str(error)))
            continue
        graph = model.subgraphs[0]
        found = [graph.tensor(i).shape for i in graph.outputs]
        key = op_name(graph.node_code(0)) if graph.nodes_length() else ""
        if found != wanted and () not in wanted and key not in _CONSTANT_BATCH:
            others.append((name, found, wanted))
    assert taken > 1000
    assert others == []
    assert len(refused) <= taken // 50, refused
    surprising = [entry for entry in refused if not any(key in entry[1] for key in _NOT_RUN)]
    assert len(surprising) <= taken // 200, surprising


# y = x + x.
def _sum(dtype="float32"):
    model = ModelBuilder()
    x, y = model.tensor((1, 4), dtype, name="x"), model.tensor((1, 4), dtype)
    model.operator("ADD", [x, x], [y])
    model.io([x], [y])
    return model.build()


@pytest.mark.parametrize(
    "shape", [(1.0, 4), ("1", 4), (None, 4), (1 << 40, 4), (1 << 20, 1 << 20), (-1, 4), (4,)]
)
def test_invalid_input_shapes(shape):
    with pytest.raises(InputError, match=r"tensor 0 'x' float32\[1, 4\] cannot have the shape"):
        TfliteModel(_sum(), {0: shape})


@pytest.mark.parametrize("number", [1, -1, "x", None, 0.5])
def test_missing_inputs(number):
    with pytest.raises(InputError, match="there is no input"):
        TfliteModel(_sum(), {number: (1, 4)})
