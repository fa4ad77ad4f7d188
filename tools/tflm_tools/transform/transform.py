# tflm_tools: transform: a .tflite with less in it that no board needs, and the same results
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from .. import files
from ..check import oracle
from ..check.cases import make_cases
from ..check.comparison import first_difference
from ..errors import ToolError
from ..flat.conversion import open_tflite
from ..flat.flatten import flatten
from ..model.model_file import open_model
from ..model.schema import BuiltinOperator
from . import schema

_CASES = 3


@dataclass
class Transformed:
    """What `tflm transform` wrote; `done` names what was done, sizes in bytes."""

    source: str
    output: str
    done: list[str]
    before_bytes: int
    after_bytes: int


# Names that no board needs: of the model, sub-graphs and tensors; signatures are names alone.
def _strip_strings(model):
    model.description = None
    model.signatureDefs = None
    for subgraph in model.subgraphs:
        subgraph.name = None
        for tensor in subgraph.tensors:
            tensor.name = None


# Resource variables are told apart by their names: 0, 1, 2 do as well. A container is part of
# the name.
def _shorten_variables(model):
    known = {}
    for subgraph in model.subgraphs:
        for operator in subgraph.operators or []:
            if (
                schema.code_of(model, operator) == BuiltinOperator.VAR_HANDLE
                and operator.builtinOptions
            ):
                options = operator.builtinOptions
                key = (options.container, options.sharedName)
                options.container = None
                options.sharedName = str(known.setdefault(key, len(known)))


# Ranges of the training, which nothing reads, and zero points of each channel that are equal:
# one stands for all.
def _strip_quantization(model):
    for subgraph in model.subgraphs:
        for tensor in subgraph.tensors:
            quantization = tensor.quantization
            if quantization is None:
                continue
            quantization.min = quantization.max = None
            points = quantization.zeroPoint
            if points is not None and len(points) > 1 and len(set(map(int, points))) == 1:
                quantization.zeroPoint = points[:1]


TRANSFORMS = {
    "strip-strings": _strip_strings,
    "shorten-variables": _shorten_variables,
    "strip-quantization": _strip_quantization,
}


# Outputs of a .tflite in TFLM for random inputs; the same for the same inputs.
def _outputs(model, timeout):
    cases = make_cases(model.inputs, _CASES, 0)
    return cases, oracle.run(model.data, [case.inputs for case in cases], timeout=timeout).outputs


# Both run in TFLM with the same outputs, and what we make of the new one can be flattened.
def _check_same(before, after, timeout):
    flatten(after.data)
    _, wanted = _outputs(before, timeout)
    cases, got = _outputs(after, timeout)
    for case, ours, theirs in zip(cases, got, wanted, strict=True):
        for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            if a.shape != b.shape or a.dtype != b.dtype or first_difference(a, b):
                raise ToolError(
                    f"output {k} of {before.path} is another one after this in the case "
                    f"'{case.name}'; leave out a transform"
                )


def transform(path, output, names=(), timeout=None):
    """Write the .tflite at `path` into `output` with the transforms of these names (none: all).

    The new model is compared with the old one in TFLM before it is written, which may take
    `timeout` seconds for each. Raises TflmError.
    """
    files.check_output(output, path)
    schema.require()
    before = open_tflite(path, "transform")
    done = [name for name in TRANSFORMS if not names or name in names]
    with schema.changes(path, before.data):
        model = schema.read_model(before.data)
        for name in done:
            TRANSFORMS[name](model)
        data = schema.write_model(model)
    _check_same(before, open_model(output, data), timeout)
    files.write(output, data)
    return Transformed(str(path), str(output), done, len(before.data), len(data))
