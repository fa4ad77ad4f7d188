# Tests of the voice decoder of Moonshine Micro, beside TFLM and LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from rules.sources import REPOSITORY
from support import litert
from support.oracle import shared_oracle
from support.schema import schema
from tflm_tools.execution.device_model import invoke
from tflm_tools.model.model_file import open_tflite
from tflm_tools.port.invocation import InvokeOptions
from tflm_tools.transform.schema import read_model, write_model

_DECODER = REPOSITORY.parent / "shared/models/speech/pb_decoder.tflite"
_GELUS = 5


# Yield (is it a GELU, inputs, outputs, model of these operators) for each GELU, and for the
# operators between them. Inputs and outputs are numbers of tensors.
def _sections(data):
    graph = read_model(data).subgraphs[0]
    codes = [code.builtinCode for code in read_model(data).operatorCodes]
    is_gelu = [codes[node.opcodeIndex] == schema.BuiltinOperator.GELU for node in graph.operators]
    count = len(is_gelu)
    begins = [i for i in range(count) if not i or is_gelu[i] or is_gelu[i - 1]]
    for begin, end in zip(begins, [*begins[1:], count], strict=True):
        model = read_model(data)
        model.signatureDefs = []
        graph = model.subgraphs[0]
        before = _tensors(graph.operators[:begin], "outputs") | set(graph.inputs)
        after = _tensors(graph.operators[end:], "inputs") | set(graph.outputs)
        graph.operators = graph.operators[begin:end]
        graph.inputs = sorted(_tensors(graph.operators, "inputs") & before)
        graph.outputs = sorted(_tensors(graph.operators, "outputs") & after)
        yield is_gelu[begin], list(graph.inputs), list(graph.outputs), write_model(model)


def _tensors(nodes, side):
    return {number for node in nodes for number in getattr(node, side)}


# TFLM's wheel has no GELU, so LiteRT is the oracle of GELU. Its C library rounds a few of the
# 513 entries of a table in another way, which is one step of the output.
@litert.needs_litert
@pytest.mark.skipif(not _DECODER.exists(), reason="needs the models in ../shared/models/speech")
def test_voice_decoder(tmp_path):
    data = _DECODER.read_bytes()
    random = np.random.RandomState(62)
    inputs = random.normal(0, 8000, (2, 1, 32, 64)).clip(-32768, 32767).astype(np.int16)
    inputs[1, 0, ::3] = random.choice([-32768, 32767], (11, 64))
    tensors = {read_model(data).subgraphs[0].inputs[0]: list(inputs)}
    path = tmp_path / "section.tflite"
    gelus = 0
    for is_gelu, numbers, outputs, section in _sections(data):
        runs = [[tensors[number][i] for number in numbers] for i in range(2)]
        if is_gelu:
            path.write_bytes(section)
            found = invoke(open_tflite(str(path), "test"), runs).outputs
            for (got,), (wanted,) in zip(found, litert.outputs(section, runs), strict=True):
                difference = np.abs(got.astype(int) - wanted)
                assert difference.max() <= 1 and difference.mean() < 0.001
            gelus += 1
        else:
            found = shared_oracle().run(section, runs)
        for i, number in enumerate(outputs):
            tensors[number] = [run[i] for run in found]
    assert gelus == _GELUS
    model = open_tflite(str(_DECODER), "test")
    for kind in ("flat", "tflite"):
        answer = invoke(model, [[value] for value in inputs], InvokeOptions(path=kind)).outputs
        for (got,), wanted in zip(answer, tensors[outputs[0]], strict=True):
            np.testing.assert_array_equal(got, wanted.reshape(got.shape))
